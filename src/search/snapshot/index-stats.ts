/** Statistics of an index: counts, sizes and the number of documents with each top-level field. */
import { andNotInto, countBits, hasBit, orInto } from '../../engine/sets/bitset.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

export interface IndexFigures {
  readonly numberOfDocuments: number;
  /** Bytes of the stored JSON, deleted documents included until they are merged away. */
  readonly rawDocumentDbSize: number;
  readonly avgDocumentSize: number;
  /** Vectors of all embedders. */
  readonly numberOfEmbeddings: number;
  /** Documents with a vector of at least one embedder. */
  readonly numberOfEmbeddedDocuments: number;
  /** Ascending by name; `_vectors` is not counted. */
  readonly fieldDistribution: Readonly<Record<string, number>>;
}

/** Costs one pass over the documents' shapes. */
export function indexFigures(snapshot: IndexSnapshot): IndexFigures {
  const { segments, dead, live } = snapshot;
  const counts = new Map<string, number>();
  segments.forEach((segment, s) => {
    const byShape = new Uint32Array(segment.shapes.length);
    const gone = dead[s]!;
    for (let rank = 0; rank < segment.documentCount; rank++) {
      const docId = segment.ranks.docIdAt(rank);
      if (gone === null || !hasBit(gone, docId)) byShape[segment.shapeOf(docId)]!++;
    }
    segment.shapes.forEach((names, shape) => {
      for (const name of names)
        if (byShape[shape]! > 0) counts.set(name, (counts.get(name) ?? 0) + byShape[shape]!);
    });
  });
  counts.delete(VECTORS_FIELD);
  const stored = segments.reduce((sum, segment) => sum + segment.storedBytes, 0);
  const held = segments.reduce((sum, segment) => sum + segment.documentCount, 0);
  return {
    numberOfDocuments: live.count,
    rawDocumentDbSize: stored,
    avgDocumentSize: held === 0 ? 0 : Math.floor(stored / held),
    ...embeddingFigures(snapshot),
    fieldDistribution: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Counts bits; only deleted documents are checked one by one. */
function embeddingFigures({ vectors, dead, liveBits }: IndexSnapshot) {
  const embedded = new Uint32Array(liveBits.length);
  let numberOfEmbeddings = 0;
  for (const [s, readers] of vectors.entries()) {
    const gone = dead[s] ?? null;
    for (const reader of readers.values()) {
      const own = reader.documents.slice();
      numberOfEmbeddings += reader.vectorCount - (gone === null ? 0 : reader.countVectorsOf(gone));
      orInto(embedded, gone === null ? own : andNotInto(own, gone));
    }
  }
  return { numberOfEmbeddings, numberOfEmbeddedDocuments: countBits(embedded) };
}
