/**
 * Writes vectors that came with documents back into the documents when no file will hold them any
 * more: their embedder is removed, or makes vectors itself from now on.
 */
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import { vectorJson } from '../../model/vector-json.ts';
import type { DocumentSink } from '../../segments/contract/component.ts';
import type { VectorsCoverage } from '../../segments/vectors/vectors-component.ts';
import { DocumentWithEntries } from './document-with-entries.ts';
import { withOpenFiles } from './open-files.ts';

/** @param feed passes the documents to the given sink, which completes them and passes them on */
export function withWrittenBack(
  directory: Directory,
  files: readonly SegmentFile[],
  sink: DocumentSink,
  feed: (sink: DocumentSink) => void,
): void {
  withOpenFiles(directory, [files], ([opened]) => {
    const readers = files.flatMap(({ covers }, i) => {
      const reader = opened?.vectors[i];
      const { embedder } = covers as VectorsCoverage;
      return reader === undefined ? [] : [{ reader, embedder }];
    });
    const documents = new DocumentWithEntries();
    feed({
      add: (docId, id, tape, entries) => {
        const back = new Map<string, string>();
        for (const { reader, embedder } of readers) {
          const vectors = entries.node(embedder) < 0 ? reader.vectorsOf(docId) : [];
          if (vectors.length > 0) back.set(embedder, `[${vectors.map(vectorJson).join(',')}]`);
        }
        sink.add(docId, id, documents.of(tape, back), entries);
      },
    });
  });
}
