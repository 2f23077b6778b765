/** Maps DocIds to the ordinals of their vectors and back. */
import { countAnd, hasBit, makeBitset, popCount } from '../sets/bitset.ts';
import type { DocumentRanks } from '../sets/document-ranks.ts';
import { lowerBound } from '../sets/sorted.ts';

export class VectorOwners {
  readonly ranks: DocumentRanks;
  /** Ordinal of the first vector by rank of the document, and the end; null = one vector each. */
  readonly starts: Uint32Array | null;
  #documents: Uint32Array | null = null;

  constructor(ranks: DocumentRanks, starts: Uint32Array | null) {
    this.ranks = ranks;
    this.starts = starts;
  }

  /** Bitset of all owners, created at first use. */
  get documents(): Uint32Array {
    if (this.#documents === null) {
      this.#documents = makeBitset(this.ranks.end);
      this.ranks.addLive(null, this.#documents);
    }
    return this.#documents;
  }

  /** Visits the owners in `universe` (a bitset of DocIds; null = all) by their rank, ascending. */
  forEachRank(universe: Uint32Array | null, visit: (rank: number) => void): void {
    if (universe === null) {
      for (let rank = 0; rank < this.ranks.count; rank++) visit(rank);
      return;
    }
    const { documents } = this;
    const shared = Math.min(documents.length, universe.length);
    let before = 0;
    for (let i = 0; i < shared; i++) {
      const owners = documents[i]!;
      for (let word = owners & universe[i]!; word !== 0; word &= word - 1)
        visit(before + popCount(owners & ((word & -word) - 1)));
      before += popCount(owners);
    }
  }

  /** Ordinals of the vectors of owners in `universe`, ascending. */
  ordinalsIn(universe: Uint32Array | null): Uint32Array {
    const count = universe === null ? this.startOf(this.ranks.count) : this.countIn(universe);
    const ordinals = new Uint32Array(count);
    let at = 0;
    this.forEachRank(universe, (rank) => {
      const end = this.startOf(rank + 1);
      for (let ordinal = this.startOf(rank); ordinal < end; ordinal++) ordinals[at++] = ordinal;
    });
    return ordinals;
  }

  /** Number of the vectors of owners in `universe`. */
  countIn(universe: Uint32Array): number {
    if (this.starts === null) return countAnd(this.documents, universe);
    let count = 0;
    this.forEachRank(universe, (rank) => {
      count += this.startOf(rank + 1) - this.startOf(rank);
    });
    return count;
  }

  /** Whether the owner of an ordinal is in `universe`; null = all are. */
  memberTest(universe: Uint32Array | null): ((ordinal: number) => boolean) | null {
    return universe === null
      ? null
      : (ordinal) => hasBit(universe, this.ranks.docIdAt(this.rankOfOrdinal(ordinal)));
  }

  /** First ordinal of the document with this rank; of `ranks.count`, the number of vectors. */
  startOf(rank: number): number {
    return this.starts === null ? rank : this.starts[rank]!;
  }

  /** Rank of the owner of a vector. */
  rankOfOrdinal(ordinal: number): number {
    return this.starts === null ? ordinal : lowerBound(this.starts, ordinal + 1) - 1;
  }
}
