/** Nearest documents by exact comparison of the vectors that are asked for. */
import { BestDocuments } from './best-documents.ts';
import { ROWS_AT_ONCE, type RowComparison } from './row-comparison.ts';
import type { VectorOwners } from './vector-owners.ts';
import type { Neighbour } from './vectors.ts';

/** Among all documents of the universe (a bitset of DocIds; null = all). */
export function exactNearest(
  owners: VectorOwners,
  comparison: RowComparison,
  k: number,
  universe: Uint32Array | null,
): Neighbour[] {
  const search = new DocumentSearch(owners, comparison, k);
  owners.forEachRank(universe, (rank) => search.add(rank));
  return search.finish();
}

/** Among the documents that own one of these vectors; sorts `ordinals`. */
export function nearestAmong(
  owners: VectorOwners,
  comparison: RowComparison,
  k: number,
  ordinals: Uint32Array,
): Neighbour[] {
  const search = new DocumentSearch(owners, comparison, k);
  let previous = -1;
  for (const ordinal of ordinals.sort()) {
    const rank = owners.rankOfOrdinal(ordinal);
    if (rank !== previous) search.add(rank);
    previous = rank;
  }
  return search.finish();
}

/** Collects vectors of documents until there are enough to compare at once. */
class DocumentSearch {
  readonly #owners: VectorOwners;
  readonly #comparison: RowComparison;
  readonly #best: BestDocuments;
  readonly #ordinals = new Uint32Array(ROWS_AT_ONCE);
  readonly #owningRanks = new Uint32Array(ROWS_AT_ONCE);
  #waiting = 0;
  /** The document whose vectors are being compared, and its best so far. */
  #rank = -1;
  #similarity = 0;

  constructor(owners: VectorOwners, comparison: RowComparison, k: number) {
    this.#owners = owners;
    this.#comparison = comparison;
    this.#best = new BestDocuments(k);
  }

  /** @param rank each document once */
  add(rank: number): void {
    const end = this.#owners.startOf(rank + 1);
    for (let ordinal = this.#owners.startOf(rank); ordinal < end; ordinal++) {
      this.#ordinals[this.#waiting] = ordinal;
      this.#owningRanks[this.#waiting] = rank;
      if (++this.#waiting === ROWS_AT_ONCE) this.#compareWaiting();
    }
  }

  finish(): Neighbour[] {
    this.#compareWaiting();
    this.#offerDocument();
    return this.#best.ranked();
  }

  #compareWaiting(): void {
    const similarities = this.#comparison.compare(this.#ordinals, this.#waiting);
    for (let i = 0; i < this.#waiting; i++) {
      const similarity = similarities[i]!;
      if (this.#owningRanks[i] === this.#rank) {
        this.#similarity = Math.max(this.#similarity, similarity);
        continue;
      }
      this.#offerDocument();
      this.#rank = this.#owningRanks[i]!;
      this.#similarity = similarity;
    }
    this.#waiting = 0;
  }

  #offerDocument(): void {
    if (this.#rank >= 0) this.#best.offer(this.#owners.ranks.docIdAt(this.#rank), this.#similarity);
  }
}
