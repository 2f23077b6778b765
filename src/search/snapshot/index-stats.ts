/**
 * Figures of an index that follow from its documents: counts, sizes and how many documents have
 * each top-level field.
 */
import { hasBit } from '../../engine/sets/bitset.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

export interface IndexFigures {
  readonly numberOfDocuments: number;
  /** Bytes of the stored JSON, dead documents included until they are merged away. */
  readonly rawDocumentDbSize: number;
  readonly avgDocumentSize: number;
  /** The index format holds no vectors yet. */
  readonly numberOfEmbeddings: 0;
  readonly numberOfEmbeddedDocuments: 0;
  /** Ascending by name; `_vectors` is not counted. */
  readonly fieldDistribution: Readonly<Record<string, number>>;
}

/** Costs one pass over the documents' shapes. */
export function indexFigures({ segments, dead, live }: IndexSnapshot): IndexFigures {
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
  counts.delete('_vectors');
  const stored = segments.reduce((sum, segment) => sum + segment.storedBytes, 0);
  const held = segments.reduce((sum, segment) => sum + segment.documentCount, 0);
  return {
    numberOfDocuments: live.count,
    rawDocumentDbSize: stored,
    avgDocumentSize: held === 0 ? 0 : Math.floor(stored / held),
    numberOfEmbeddings: 0,
    numberOfEmbeddedDocuments: 0,
    fieldDistribution: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
