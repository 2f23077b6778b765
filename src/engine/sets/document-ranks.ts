/**
 * The documents of a file in the order of their DocIds: DocId ↔ rank, all living ones as bits.
 * Costs nothing to make when DocIds are consecutive.
 */
import { addRange, setBit } from './bitset.ts';
import { indexOfSorted } from './sorted.ts';
import { isLive } from './tombstones.ts';

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

  /** Least number above all DocIds; 0 = no documents. */
  get end(): number {
    return this.count === 0 ? 0 : this.docIdAt(this.count - 1) + 1;
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

  /**
   * Adds the documents that are not `dead` to `bits`. Consecutive DocIds take a step for each 32 of
   * them.
   */
  addLive(dead: Uint32Array | null, bits: Uint32Array): void {
    if (this.docIds === null) {
      addRange(bits, this.first, this.end, dead);
      return;
    }
    for (const docId of this.docIds) if (isLive(docId, dead)) setBit(bits, docId);
  }
}
