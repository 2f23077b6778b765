/** Feeds the stored documents of a segment to its components. */
import { JsonTape } from '../../engine/json/json-tape.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import type { DocumentSink } from './component.ts';
import { DocumentEntries } from './document-entries.ts';

/**
 * Adds the segment's documents to a sink, in order. @param dead documents to leave out; null = none
 */
export function addStoredDocuments(
  segment: SegmentReader,
  dead: Uint32Array | null,
  sink: DocumentSink,
): void {
  const tape = new JsonTape();
  const entries = new DocumentEntries();
  for (const docId of segment.docIds) {
    if (!isLive(docId, dead)) continue;
    const json = segment.readDocument(docId);
    tape.scan(json, 0, json.length);
    sink.add(docId, segment.documentId(docId), tape, entries.begin(tape));
  }
}
