/** Documents that hold query words, added set by set, with their score bounds. */
import { Candidates } from './candidates.ts';
import type { HeldWords } from './held-words.ts';
import { KnownDocuments } from './known-documents.ts';

/** Number of equal intervals of the histogram of bounds, which finds the best documents. */
const PARTS = 1024;
const counts = new Uint32Array(PARTS + 1);
/** The bounds of 4 times the requested number of documents are computed exactly. */
const LOOKED_AT = 4;
/**
 * Documents are dropped after the bound of all other documents has decreased by this share of the
 * least score.
 */
const DROP_SHARE = 0.1;

/** State of the thread's current search, empty between searches. */
const known = new KnownDocuments();

/** Documents of a universe that hold query words; one instance at a time per thread. */
export class HoldingDocuments {
  readonly #words: HeldWords;
  readonly #universe: Uint32Array;
  /** Index of the next set to add. */
  #next = 0;

  constructor(words: HeldWords, universe: Uint32Array) {
    this.#words = words;
    this.#universe = universe;
  }

  get count(): number {
    return known.count;
  }

  /** True if all sets have been added. */
  get isWhole(): boolean {
    return this.#next === this.#words.order.length;
  }

  /** Score bound of documents that have not been added. */
  get mostOfOthers(): number {
    return this.isWhole ? 0 : this.#words.mostFrom[this.#next]!;
  }

  clear(): void {
    known.clear();
  }

  /**
   * Adds the documents of the next sets that are in the universe: about `more`; none when the bound
   * of other documents is below `least`.
   */
  addNext(more: number, least: number): void {
    const { order, mostFrom } = this.#words;
    const first = this.#next;
    let listed = 0;
    do listed += order[this.#next++]!.docs.count;
    while (listed < more && !this.isWhole && mostFrom[this.#next]! >= least);
    known.add(order.slice(first, this.#next), this.#universe);
  }

  /** About `count` documents with the greatest bounds. */
  best(count: number): Candidates {
    const looked = this.#withMost(LOOKED_AT * count);
    for (const sets of this.#words.waysFrom(this.#next)) known.lookUpIn(sets, looked);
    this.#words.openFrom(this.#words.order.length);
    const bounds = looked.map((row) => this.#boundOf(row));
    const last = bounds.toSorted((a, b) => b - a)[Math.min(count, bounds.length) - 1]!;
    return this.#candidates(looked.filter((_, i) => bounds[i]! >= last));
  }

  /** Rows of about `count` documents with the greatest bounds by their known words. */
  #withMost(count: number): number[] {
    const { most, count: rows } = known;
    const scale = PARTS / this.#words.mostFrom[0]!;
    counts.fill(0);
    for (let row = 0; row < rows; row++) counts[(most[row]! * scale) | 0]!++;
    let part = PARTS;
    for (let above = counts[part]!; above < count && part > 0; ) above += counts[--part]!;
    const found: number[] = [];
    for (let row = 0; row < rows && found.length < count; row++)
      if (most[row]! * scale >= part) found.push(row);
    return found;
  }

  /** The documents whose bound is at least `least`; afterwards no more documents can be added. */
  above(least: number): Candidates {
    const { order, mostFrom } = this.#words;
    let dropped = Number.POSITIVE_INFINITY;
    for (; !this.isWhole; this.#next++) {
      const others = mostFrom[this.#next]!;
      if (dropped - others > least * DROP_SHARE) {
        this.#dropBelow(least);
        dropped = others;
      }
      known.lookUp(order[this.#next]!);
    }
    this.#dropBelow(least);
    return this.#candidates(null);
  }

  /** Drops documents whose bound is below `least`. */
  #dropBelow(least: number): void {
    this.#words.openFrom(this.#next);
    known.dropBelow(least, (bits) => this.#words.moreOf(bits));
  }

  /** Bound of the document of a row whose words are all known. */
  #boundOf(row: number): number {
    const { most, bits } = known;
    return most[row]! + this.#words.moreOf(bits[row]!);
  }

  /** @param rows of documents whose words are all known; null = all */
  #candidates(rows: readonly number[] | null): Candidates {
    const { docs, bits, ranks } = known;
    const found = known.ascending(rows, this.#universe.length);
    const of = (list: Uint32Array): Uint32Array => found.map((row) => list[row]!);
    const left = Float64Array.from(found, (row) => this.#boundOf(row));
    return new Candidates(of(docs), of(bits), of(ranks), left);
  }
}
