/**
 * Arrays of the trie over a segment's terms, read without copying. Layout:
 * term-dictionary-writer.ts.
 */
import { FIRST_LISTED_SYMBOL, OWN_TERM_FLAG } from './term-dictionary-writer.ts';

export class TermTrie {
  /** `symbol << 1 | is inner` of each node. */
  readonly labels: Uint16Array | Uint32Array;
  /** First child of inner node `k`; its last is before `firstChild[k + 1]`. */
  readonly firstChild: Uint32Array;
  /** See `firstInnerChild` and `isTerm`. */
  readonly innerAndFlag: Uint32Array;
  /** Ordinal after the last term below inner node `k`. */
  readonly ends: Uint32Array;

  readonly #points: Uint32Array;
  /** Symbols from here on are listed. */
  readonly #firstListed: number;

  constructor(labels: Uint16Array | Uint32Array, inner: Uint32Array, points: Uint32Array) {
    const innerCount = Math.floor((inner.length - 1) / 3);
    this.labels = labels;
    this.#points = points;
    this.#firstListed = points.length > 0 ? FIRST_LISTED_SYMBOL : 0x110000;
    this.firstChild = inner.subarray(0, innerCount + 1);
    this.innerAndFlag = inner.subarray(innerCount + 1, innerCount * 2 + 1);
    this.ends = inner.subarray(innerCount * 2 + 1);
  }

  /** Code point of a label. */
  point(label: number): number {
    const symbol = label >>> 1;
    return symbol < this.#firstListed ? symbol : (this.#points[symbol - FIRST_LISTED_SYMBOL] ?? 0);
  }

  /** Number of the first inner node among the children of `inner`; the others follow it. */
  firstInnerChild(inner: number): number {
    return this.innerAndFlag[inner]! & 0x7fffffff;
  }

  /** True when the path to `inner` is itself a term: the first of those below it. */
  isTerm(inner: number): boolean {
    return this.innerAndFlag[inner]! >= OWN_TERM_FLAG;
  }
}
