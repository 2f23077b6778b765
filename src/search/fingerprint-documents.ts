/** Fingerprints of documents of a segment. */

import { objectOf } from '../core/json.ts';
import { decodeUtf8, encodeUtf8 } from '../engine/bytes/utf8.ts';
import type { SegmentReader } from '../engine/segment/segment-reader.ts';
import { isLive } from '../engine/sets/tombstones.ts';
import {
  documentFingerprint,
  FingerprintSum,
  idDigest,
  parseDocument,
} from '../model/document-fingerprint.ts';
import type {
  DocumentFingerprint,
  FingerprintReply,
  FingerprintRequest,
} from '../model/fingerprint.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';

/** A `FingerprintReply` as JSON. */
export function fingerprintDocuments(
  { manifest, segments, dead }: IndexSnapshot,
  request: FingerprintRequest,
  check: () => void,
): Uint8Array {
  const { generation } = manifest;
  const place = manifest.segments.findIndex(({ id }) => id === request.segmentId);
  const found = place < 0 ? null : read(segments[place]!, dead[place]!, request, check);
  return encodeUtf8(JSON.stringify({ generation, found } satisfies FingerprintReply));
}

function read(
  segment: SegmentReader,
  dead: Uint32Array | null,
  request: FingerprintRequest,
  check: () => void,
): FingerprintReply['found'] {
  const sum = new FingerprintSum();
  const listed: DocumentFingerprint[] = [];
  const to = Math.min(request.to, segment.ranks.count);
  for (let rank = request.from; rank < to; rank++) {
    check();
    const docId = segment.ranks.docIdAt(rank);
    if ('sum' in request && request.sum === 'dead' && isLive(docId, dead)) continue;
    if ('list' in request && !isLive(docId, dead)) continue;
    const id = segment.documentId(docId);
    const digest = idDigest(id);
    if ('sum' in request) sum.addDocument(digest, fingerprintOf(segment, docId));
    else if (request.list.some((prefix) => digest.startsWith(prefix)))
      listed.push({ id: Buffer.from(id).toString(), fingerprint: fingerprintOf(segment, docId) });
  }
  return 'sum' in request ? sum.parts : listed;
}

function fingerprintOf(segment: SegmentReader, docId: number): string {
  const bytes = segment.readDocument(docId);
  return documentFingerprint(objectOf(parseDocument(decodeUtf8(bytes, 0, bytes.length))));
}
