/**
 * Automata that read a text character by character and compute its distance from a fixed word, by
 * Damerau–Levenshtein distance with adjacent transposition (optimal string alignment), up to 2.
 * States are kept by depth, so a trie walk can go back.
 *
 * `step(depth, point)` takes the state at `depth` (characters read so far) to the one at `depth +
 * 1` and returns `accept | alive << 2`: `accept` is the distance between the word and the text
 * read, `alive` the least distance that any continuation could still have; 3 stands for "more than
 * the limit".
 */
import { doubled } from '../../core/doubled.ts';
export interface TypoAutomaton {
  readonly limit: number;
  /** Distance between the word and the empty text, or 3. */
  readonly start: number;
  step(depth: number, point: number): number;
  /**
   * Positions of the word, as bits, of which a character that follows the state at `depth` must have
   * one to stay within `limit`, 1 or 2; -1 if any character stays within it.
   */
  neededPositions(depth: number, limit: number): number;
  /** Positions of a character in the word, as bits; 0 for words too long for `neededPositions`. */
  positionsOf(point: number): number;
  /** Resets the automaton's entries in shared tables. */
  close(): void;
}

export const BEYOND = 3;

/** Word lengths up to this fit in one machine word. */
const BIT_PARALLEL_MAX = 30;

/**
 * Bit `i` of entry `c`: character `i` of the current word is code point `c`. Zero except while an
 * automaton is open.
 */
const positionMasks = new Int32Array(0x110000);

/** The word must have at least one character. One automaton is open at a time. */
export function openAutomaton(word: readonly number[], limit: number): TypoAutomaton {
  return word.length <= BIT_PARALLEL_MAX
    ? new BitParallelAutomaton(word, limit)
    : new BandedAutomaton(word, limit);
}

/**
 * Row `j` is a set of bits: bit `i` says that the first `i` characters of the word match the text
 * read with at most `j` errors (Wu and Manber's method, with transposition added).
 */
class BitParallelAutomaton implements TypoAutomaton {
  readonly limit: number;
  readonly start: number;
  readonly #word: readonly number[];
  readonly #full: number;
  readonly #full2: number;
  readonly #accept: number;
  #rows0 = new Int32Array(64);
  #rows1 = new Int32Array(64);
  #rows2 = new Int32Array(64);
  /** Mask of the character that led to the state. */
  #masks = new Int32Array(64);

  constructor(word: readonly number[], limit: number) {
    this.limit = limit;
    this.#word = word;
    this.start = word.length <= limit ? word.length : BEYOND;
    this.#accept = 1 << word.length;
    this.#full = 0x7fffffff >>> (BIT_PARALLEL_MAX - word.length);
    this.#full2 = limit >= 2 ? this.#full : 0;
    for (let i = 0; i < word.length; i++) positionMasks[word[i]!]! |= 1 << i;
    this.#rows0[0] = 1;
    this.#rows1[0] = 3 & this.#full;
    this.#rows2[0] = 7 & this.#full2;
  }

  step(depth: number, point: number): number {
    if (depth + 1 >= this.#rows0.length) this.#grow();
    const rows0 = this.#rows0;
    const rows1 = this.#rows1;
    const rows2 = this.#rows2;
    const mask = positionMasks[point]!;
    const r0 = rows0[depth]!;
    const r1 = rows1[depth]!;
    const n0 = (r0 & mask) << 1;
    let n1 = ((r1 & mask) << 1) | r0 | (r0 << 1) | (n0 << 1);
    let n2 = ((rows2[depth]! & mask) << 1) | r1 | (r1 << 1);
    if (depth > 0) {
      const swap = mask & (this.#masks[depth]! >>> 1);
      n1 |= (rows0[depth - 1]! & swap) << 2;
      n2 |= (rows1[depth - 1]! & swap) << 2;
    }
    n1 &= this.#full;
    n2 = (n2 | (n1 << 1)) & this.#full2;
    const next = depth + 1;
    rows0[next] = n0;
    rows1[next] = n1;
    rows2[next] = n2;
    this.#masks[next] = mask;
    const end = this.#accept;
    const accept = n0 & end ? 0 : n1 & end ? 1 : n2 & end ? 2 : BEYOND;
    const alive = n0 ? 0 : n1 ? 1 : n2 ? 2 : BEYOND;
    return accept | (alive << 2);
  }

  neededPositions(depth: number, limit: number): number {
    const rows = limit === 1 ? this.#rows1 : this.#rows2;
    const less = limit === 1 ? this.#rows0 : this.#rows1;
    if (less[depth] !== 0) return -1;
    const swapped = depth > 0 ? (this.#masks[depth]! >>> 1) & less[depth - 1]! : 0;
    return rows[depth]! | swapped;
  }

  positionsOf(point: number): number {
    return positionMasks[point]!;
  }

  close(): void {
    for (const point of this.#word) positionMasks[point] = 0;
  }

  #grow(): void {
    this.#rows0 = doubled(this.#rows0);
    this.#rows1 = doubled(this.#rows1);
    this.#rows2 = doubled(this.#rows2);
    this.#masks = doubled(this.#masks);
  }
}

/**
 * The classic table, one row per character of text, cut to the five columns around the diagonal
 * that can stay within 2.
 */
class BandedAutomaton implements TypoAutomaton {
  readonly limit: number;
  readonly start: number;
  readonly #word: readonly number[];
  /**
   * Row `d`, at `d * 5`: distances between the first `d` characters of text and the first `d − 2 …
   * d + 2` of the word.
   */
  readonly #rows: number[] = [];
  readonly #text: number[] = [];

  constructor(word: readonly number[], limit: number) {
    this.limit = limit;
    this.#word = word;
    this.start = word.length <= limit ? word.length : BEYOND;
    for (let band = 0; band < 5; band++) this.#rows.push(band < 2 ? BEYOND : band - 2);
  }

  step(depth: number, point: number): number {
    const row = depth + 1;
    this.#text[row] = point;
    let alive = BEYOND;
    for (let band = 0; band < 5; band++) {
      const distance = this.#cell(row, band);
      this.#rows[row * 5 + band] = distance;
      if (distance < alive) alive = distance;
    }
    if (alive > this.limit) alive = BEYOND;
    const last = this.#word.length - row + 2;
    const accept = last >= 0 && last < 5 ? this.#rows[row * 5 + last]! : BEYOND;
    return (accept > this.limit ? BEYOND : accept) | (alive << 2);
  }

  neededPositions(): number {
    return -1;
  }

  positionsOf(): number {
    return 0;
  }

  close(): void {
    this.#text.length = 0;
  }

  #cell(row: number, band: number): number {
    const column = row + band - 2;
    if (column < 0 || column > this.#word.length) return BEYOND;
    const rows = this.#rows;
    const above = (row - 1) * 5;
    let distance = BEYOND;
    if (band < 4) distance = rows[above + band + 1]! + 1;
    if (band > 0) distance = Math.min(distance, rows[row * 5 + band - 1]! + 1);
    if (column === 0) return Math.min(distance, BEYOND);
    const same = this.#text[row] === this.#word[column - 1];
    distance = Math.min(distance, rows[above + band]! + (same ? 0 : 1));
    if (
      row > 1 &&
      column > 1 &&
      this.#text[row] === this.#word[column - 2] &&
      this.#text[row - 1] === this.#word[column - 1]
    ) {
      distance = Math.min(distance, rows[above - 5 + band]! + 1);
    }
    return Math.min(distance, BEYOND);
  }
}
