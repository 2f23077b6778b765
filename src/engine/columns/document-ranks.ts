/** DocId ↔ rank (place among the ascending DocIds of a segment). */
import { indexOfSorted } from '../sets/sorted.ts';

export class DocumentRanks {
  readonly count: number;
  readonly first: number;
  /** null when the DocIds are consecutive. */
  readonly docIds: Uint32Array | null;

  /** @param docIds ascending; unused when they are consecutive */
  constructor(count: number, first: number, docIds: Uint32Array | null) {
    this.count = count;
    this.first = first;
    this.docIds = docIds;
  }

  docIdAt(rank: number): number {
    return this.docIds === null ? this.first + rank : this.docIds[rank]!;
  }

  /** Rank of the document, or −1. */
  rankOf(docId: number): number {
    if (this.docIds !== null) return indexOfSorted(this.docIds, docId);
    const rank = docId - this.first;
    return rank >= 0 && rank < this.count ? rank : -1;
  }
}
