/**
 * Documents as lines for dumps and exports, so that an import restores them exactly: stored ones
 * with the vectors of separate files in the long form of `_vectors` (api.md 12.6).
 */
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import type { Settings } from '../../model/settings.ts';
import { vectorJson } from '../../model/vector-json.ts';
import { DocumentEntries } from '../../segments/contract/document-entries.ts';
import { storedEmbedders } from '../../segments/vectors/stored-embedders.ts';
import { DocumentWithEntries } from './document-with-entries.ts';
import { holderOf } from './live-copies.ts';
import type { LiveVectors } from './live-vectors.ts';

export interface DocumentLines {
  readonly lines: Uint8Array;
  readonly documentCount: number;
  /** First DocId of the next call, null = all are done. */
  readonly nextDocId: number | null;
}

interface LinesInput {
  readonly segments: readonly LiveVectors[];
  readonly settings: Pick<Settings, 'embedders'>;
  readonly fromDocId: number;
  /** The lines end when they have this many bytes. */
  readonly bytesMax: number;
}

/** In the order of their DocIds. */
export function linesOfDocuments({
  segments,
  settings,
  fromDocId,
  bytesMax,
}: LinesInput): DocumentLines {
  const end = Math.max(0, ...segments.map(({ reader }) => reader.ranks.end));
  const lines = new ByteBuffer();
  const write = lineWriter(lines, settings);
  let documentCount = 0;
  let docId = fromDocId;
  for (; docId < end && lines.length < bytesMax; docId++) {
    const holder = holderOf(segments, docId);
    if (holder === undefined) continue;
    write(docId, holder);
    documentCount++;
  }
  return { lines: lines.copy(), documentCount, nextDocId: docId < end ? docId : null };
}

/** Returns a function that appends a stored document as a line. */
function lineWriter(lines: ByteBuffer, settings: Pick<Settings, 'embedders'>) {
  const embedders = storedEmbedders(settings);
  const tape = new JsonTape();
  const entries = new DocumentEntries();
  const documents = new DocumentWithEntries();
  return (docId: number, { reader, vectors }: LiveVectors): void => {
    const json = reader.readDocument(docId);
    const embedded = embedders.flatMap((embedder) => {
      const kept = vectors.get(embedder.name)?.vectorsOf(docId) ?? [];
      return kept.length === 0 ? [] : [{ embedder, kept }];
    });
    if (embedded.length === 0) lines.pushRange(json, 0, json.length);
    else {
      tape.scan(json, 0, json.length);
      entries.begin(tape);
      const longForms = embedded.map(({ embedder, kept }) => {
        const regenerate = entries.get(embedder)?.regenerate ?? !embedder.isUserProvided;
        const embeddings = kept.map(vectorJson).join(',');
        return [
          embedder.name,
          `{"embeddings":[${embeddings}],"regenerate":${regenerate}}`,
        ] as const;
      });
      const { bytes, length } = documents.text(tape, new Map(longForms));
      lines.pushRange(bytes, 0, length);
    }
    lines.pushText('\n');
  };
}
