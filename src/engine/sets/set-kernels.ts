/**
 * Operations on long sets of DocIds by compiled kernels, one instance per thread. Operands are
 * copied into the kernels' memory and results out of it, which takes a tenth of the time of a loop
 * over the words in JavaScript. A result stays in this memory until the next operation.
 */
import { KernelSpace } from '../bytes/kernel-space.ts';
import { SET_KERNELS_BASE64 } from './compiled-kernels.ts';

/** For shorter bitsets the JavaScript loop is faster than copying them here and back. */
const WORDS_MIN = 256;

/** For lists shorter than this share of the bitset's words, JavaScript is faster. */
const LIST_SHARE_MIN = 0.125;

export const isForKernels = (bits: Uint32Array): boolean => bits.length >= WORDS_MIN;

/** The same for a list. @param words of bitsets that hold it */
export const areForKernels = (docs: Uint32Array, words: number): boolean =>
  words >= WORDS_MIN && docs.length >= words * LIST_SHARE_MIN;

/** Arguments are addresses unless they are counts; all functions return the number of documents. */
interface SetKernelFunctions {
  /** Writes a ∩ b. */
  and(a: number, b: number, words: number, into: number): number;
  /** Writes a − b. */
  andNot(a: number, b: number, words: number, into: number): number;
  /** Writes a ∪ b. */
  or(a: number, b: number, words: number, into: number): number;
  count(a: number, words: number): number;
  /** Writes the DocIds of bits. */
  list(bits: number, words: number, into: number): void;
  /** Writes the members of `docs` whose bit is as wanted, 1 or 0. */
  keep(docs: number, count: number, bits: number, wanted: number, into: number): number;
  /** Writes numbers of two bytes, or'ed with `base`, as numbers of four. */
  unpack(lows: number, count: number, base: number, into: number): void;
  /** Clears the bits of `docs`; returns how many were set. */
  remove(docs: number, count: number, bits: number): number;
  /** Sets the bits to the members of `docs`. */
  mark(docs: number, count: number, bits: number, words: number): void;
}

export class SetKernels {
  readonly #space = new KernelSpace<SetKernelFunctions>(SET_KERNELS_BASE64);
  /** Offsets, in words, of the operands, the result, and lists made of it. */
  #a = 0;
  #b = 0;
  #result = 0;
  #list = 0;
  /** Words of each area, except the last, which is extended when used. */
  #capacity = 0;
  /** Words of the result. */
  #length = 0;
  #view: Uint32Array = new Uint32Array(0);

  /** |a ∩ b|; the result is a ∩ b. Words missing in one of them count as empty. */
  and(a: Uint32Array, b: Uint32Array): number {
    this.#takeBoth(a, b);
    return this.#space.run.and(this.#a * 4, this.#b * 4, this.#even, this.#result * 4);
  }

  /** |a − b|; the result is a − b. */
  andNot(a: Uint32Array, b: Uint32Array): number {
    this.#takeBoth(a, b);
    return this.#space.run.andNot(this.#a * 4, this.#b * 4, this.#even, this.#result * 4);
  }

  /** |a ∪ b|; the result is a ∪ b, without members beyond `a`. */
  or(a: Uint32Array, b: Uint32Array): number {
    this.#takeBoth(a, b);
    return this.#space.run.or(this.#a * 4, this.#b * 4, this.#even, this.#result * 4);
  }

  /** Sets the result to `a`. */
  load(a: Uint32Array): void {
    this.#reserve(a.length);
    this.#take(a, this.#result);
  }

  /** |a|; the result is `a`. */
  count(a: Uint32Array): number {
    this.load(a);
    return this.#space.run.count(this.#result * 4, this.#even);
  }

  /** |a| without `docs`; the result is the remaining set. @param count |a| */
  remove(a: Uint32Array, count: number, docs: Uint32Array): number {
    this.#reserve(a.length, docs.length);
    this.#take(a, this.#result);
    this.#space.words.set(docs, this.#a);
    return count - this.#space.run.remove(this.#a * 4, docs.length, this.#result * 4);
  }

  /** Writes the result as bits; returns them. */
  bitsTo(out: Uint32Array): Uint32Array {
    if (this.#view.length !== this.#length || this.#view.buffer !== this.#space.words.buffer)
      this.#view = this.#space.words.subarray(this.#result, this.#result + this.#length);
    out.set(this.#view);
    return out;
  }

  /** Writes the members of the result, as many as `out` has elements; returns them, ascending. */
  listTo(out: Uint32Array): Uint32Array {
    this.#reach(this.#list + out.length);
    this.#space.run.list(this.#result * 4, this.#even, this.#list * 4);
    out.set(this.#space.words.subarray(this.#list, this.#list + out.length));
    return out;
  }

  /**
   * The members of `docs` that have the bit wanted, in order; valid until the next operation.
   * @param bits missing words count as empty
   */
  keep(docs: Uint32Array, bits: Uint32Array, words: number, wanted: 0 | 1): Uint32Array {
    this.#reserve(words, docs.length);
    this.#take(bits, this.#b);
    return this.#keep(docs, wanted);
  }

  /**
   * The members of `docs` that are in the list `others`, or that are not; valid until the next
   * operation.
   * @param words of bitsets that hold them all
   */
  keepListed(
    docs: Uint32Array,
    others: Uint32Array,
    words: number,
    isWanted: boolean,
  ): Uint32Array {
    this.#reserve(words, Math.max(docs.length, others.length));
    this.#space.words.set(others, this.#a);
    this.#space.run.mark(this.#a * 4, others.length, this.#b * 4, this.#even);
    return this.#keep(docs, isWanted ? 1 : 0);
  }

  #keep(docs: Uint32Array, wanted: 0 | 1): Uint32Array {
    this.#space.words.set(docs, this.#a);
    const { run } = this.#space;
    const count = run.keep(this.#a * 4, docs.length, this.#b * 4, wanted, this.#result * 4);
    return this.#space.words.subarray(this.#result, this.#result + count);
  }

  /**
   * Writes two-byte numbers to `out`, from index `at` on; the numbers from `starts[i]` on get `i`
   * in the upper half.
   */
  unpack(lows: Uint16Array, starts: Uint32Array, out: Uint32Array, at: number): void {
    this.#reserve(0, lows.length);
    this.#space.halves.set(lows, this.#a * 2);
    for (let i = 0; i + 1 < starts.length; i++) {
      const start = starts[i]!;
      const count = starts[i + 1]! - start;
      const from = this.#a * 4 + start * 2;
      this.#space.run.unpack(from, count, i << 16, (this.#result + start) * 4);
    }
    out.set(this.#space.words.subarray(this.#result, this.#result + lows.length), at);
  }

  /** The result's words, rounded up to whole steps of the kernels. */
  get #even(): number {
    return (this.#length + 1) & ~1;
  }

  #takeBoth(a: Uint32Array, b: Uint32Array): void {
    this.#reserve(a.length);
    this.#take(a, this.#a);
    this.#take(b, this.#b);
  }

  /** Copies the result's number of words; missing words are zeros. */
  #take(bits: Uint32Array, at: number): void {
    const { words } = this.#space;
    const own = bits.length > this.#length ? bits.subarray(0, this.#length) : bits;
    words.set(own, at);
    if (own.length < this.#even) words.fill(0, at + own.length, at + this.#even);
  }

  #reserve(words: number, docs = 0): void {
    this.#length = words;
    const needed = Math.max(words + 1, docs);
    if (needed <= this.#capacity) return;
    this.#capacity = Math.ceil(Math.max(needed, 2 * this.#capacity) / 4) * 4;
    this.#b = this.#capacity;
    this.#result = 2 * this.#capacity;
    this.#list = 3 * this.#capacity;
    this.#reach(this.#list);
    this.#view = new Uint32Array(0);
  }

  #reach(words: number): void {
    if (words > this.#space.words.length) this.#space.areas([words * 4]);
  }
}

let ofThread: SetKernels | null = null;

/** The thread's kernels, compiled at first use. */
export function threadSetKernels(): SetKernels {
  ofThread ??= new SetKernels();
  return ofThread;
}
