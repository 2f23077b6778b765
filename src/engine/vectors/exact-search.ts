/** Nearest documents of several files by exact comparison of the requested vectors. */
import { ROWS_AT_ONCE, type RowComparison } from './row-comparison.ts';
import type { Neighbour } from './vectors.ts';
import type { VectorsFile } from './vectors-reader.ts';

/** Documents beyond twice the wanted number that are held until the worst are dropped. */
const HELD_MORE = 64;

/** The `k` most similar of the documents offered. */
class BestDocuments {
  readonly #k: number;
  readonly #found: Neighbour[] = [];
  /** Documents below are not among the best. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(k: number) {
    this.#k = k;
  }

  get count(): number {
    return Math.min(this.#k, this.#found.length);
  }

  /** Offer each document at most once. */
  offer(docId: number, similarity: number): void {
    if (similarity < this.#least) return;
    this.#found.push({ docId, similarity });
    if (this.#found.length >= 2 * this.#k + HELD_MORE) this.ranked();
  }

  /** Best first, equal ones by ascending DocId. */
  ranked(): Neighbour[] {
    const found = this.#found;
    found.sort((a, b) => b.similarity - a.similarity || a.docId - b.docId);
    if (found.length > this.#k) found.length = this.#k;
    if (found.length === this.#k) this.#least = found.at(-1)?.similarity ?? this.#least;
    return found;
  }
}

/** Collects vectors of documents until a batch is full; no document twice. */
export class ExactSearch {
  readonly #comparison: RowComparison;
  readonly #best: BestDocuments;
  readonly #ordinals = new Uint32Array(ROWS_AT_ONCE);
  readonly #owningRanks = new Uint32Array(ROWS_AT_ONCE);
  #waiting = 0;
  /** The document being compared, and its best similarity so far. */
  #rank = -1;
  #similarity = 0;

  /** @param k number of documents to find */
  constructor(comparison: RowComparison, k: number) {
    this.#comparison = comparison;
    this.#best = new BestDocuments(k);
  }

  /** Compares all documents of the universe (a bitset of DocIds; null = all). */
  compareAll(file: VectorsFile, universe: Uint32Array | null): void {
    file.owners.forEachRank(universe, (rank) => this.#add(file, rank));
    this.#finishFile(file);
  }

  /** Compares all vectors of the documents that own one of these. @param ordinals ascending */
  compareOwners(file: VectorsFile, ordinals: Uint32Array): void {
    let previous = -1;
    for (const ordinal of ordinals) {
      const rank = file.owners.rankOfOrdinal(ordinal);
      if (rank !== previous) this.#add(file, rank);
      previous = rank;
    }
    this.#finishFile(file);
  }

  /** Number of documents found, at most `k`. */
  get foundCount(): number {
    return this.#best.count;
  }

  /** Best first, equal ones by ascending DocId. */
  ranked(): Neighbour[] {
    return this.#best.ranked();
  }

  #add(file: VectorsFile, rank: number): void {
    const end = file.owners.startOf(rank + 1);
    for (let ordinal = file.owners.startOf(rank); ordinal < end; ordinal++) {
      this.#ordinals[this.#waiting] = ordinal;
      this.#owningRanks[this.#waiting] = rank;
      if (++this.#waiting === ROWS_AT_ONCE) this.#compareWaiting(file);
    }
  }

  #finishFile(file: VectorsFile): void {
    if (this.#waiting > 0) this.#compareWaiting(file);
    this.#offerDocument(file);
    this.#rank = -1;
  }

  #compareWaiting(file: VectorsFile): void {
    const similarities = this.#comparison.compare(file.rows, this.#ordinals, this.#waiting);
    for (let i = 0; i < this.#waiting; i++) {
      const similarity = similarities[i]!;
      if (this.#owningRanks[i] === this.#rank) {
        this.#similarity = Math.max(this.#similarity, similarity);
        continue;
      }
      this.#offerDocument(file);
      this.#rank = this.#owningRanks[i]!;
      this.#similarity = similarity;
    }
    this.#waiting = 0;
  }

  #offerDocument({ owners }: VectorsFile): void {
    if (this.#rank >= 0) this.#best.offer(owners.ranks.docIdAt(this.#rank), this.#similarity);
  }
}
