/** Documents that hold words of a query, taken in set by set, with the most that each can have. */
import { Candidates } from './candidates.ts';
import type { HeldWords } from './held-words.ts';
import { KnownDocuments } from './known-documents.ts';

/** The best are found by counting documents in so many equal parts of what they can have. */
const PARTS = 1024;
const counts = new Uint32Array(PARTS + 1);
/** So many times as many as the best that are asked for are looked at closer. */
const LOOKED_AT = 4;
/** Documents are dropped when others can have so much less than before, as a share of the least. */
const DROP_SHARE = 0.1;

/** Those of the thread's search. */
const known = new KnownDocuments();

/** Documents of a universe that hold words; one such at a time in a thread. */
export class HoldingDocuments {
  readonly #words: HeldWords;
  readonly #universe: Uint32Array;
  /** Place in the order of sets of the next to be taken in. */
  #next = 0;

  constructor(words: HeldWords, universe: Uint32Array) {
    this.#words = words;
    this.#universe = universe;
  }

  get count(): number {
    return known.rows.count;
  }

  /** Whether all sets have been taken in. */
  get isWhole(): boolean {
    return this.#next === this.#words.order.length;
  }

  /** The most that a document can have that has not been taken in. */
  get mostOfOthers(): number {
    return this.isWhole ? 0 : this.#words.mostFrom[this.#next]!;
  }

  clear(): void {
    known.clear();
  }

  /**
   * Takes in the documents of the next sets that are in the universe: about `more`, and none when
   * what others can have is below `least`.
   */
  addNext(more: number, least: number): void {
    const { order, mostFrom } = this.#words;
    const first = this.#next;
    let listed = 0;
    do listed += order[this.#next++]!.docs.count;
    while (listed < more && !this.isWhole && mostFrom[this.#next]! >= least);
    known.add(order.slice(first, this.#next), this.#universe);
  }

  /** About `count` documents that can have most. */
  best(count: number): Candidates {
    const looked = this.#withMost(LOOKED_AT * count);
    for (const sets of this.#words.waysFrom(this.#next)) known.lookUpIn(sets, looked);
    this.#words.openFrom(this.#words.order.length);
    const bounds = looked.map((row) => this.#boundOf(row));
    const last = bounds.toSorted((a, b) => b - a)[Math.min(count, bounds.length) - 1]!;
    return this.#candidates(looked.filter((_, i) => bounds[i]! >= last));
  }

  /** Rows of about `count` documents that can have most by the words that are known. */
  #withMost(count: number): number[] {
    const { most, count: rows } = known.rows;
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

  /** The documents that can have at least so much; after that no more can be taken in. */
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
    return this.#candidates(Array.from({ length: known.rows.count }, (_, row) => row));
  }

  /** Leaves out documents that cannot have so much by what is known of them. */
  #dropBelow(least: number): void {
    this.#words.openFrom(this.#next);
    known.dropBelow(least, (bits) => this.#words.moreOf(bits));
  }

  /** What the document of a row can have when all its words are known. */
  #boundOf(row: number): number {
    const { most, bits } = known.rows;
    return most[row]! + this.#words.moreOf(bits[row]!);
  }

  /** @param found rows, ascending, of documents whose words are all known */
  #candidates(found: readonly number[]): Candidates {
    const { docs, bits, ranks } = known.rows;
    const of = (list: Uint32Array): Uint32Array => Uint32Array.from(found, (row) => list[row]!);
    const left = Float64Array.from(found, (row) => this.#boundOf(row));
    return new Candidates(of(docs), of(bits), of(ranks), left);
  }
}
