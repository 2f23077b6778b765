/**
 * A long bitset with a short list of excluded documents: rules whose buckets are single documents
 * remove documents one by one, and the remaining bits are often never read.
 */
import { clearBit, hasBit } from '../../engine/sets/bitset.ts';
import { indexOfSorted } from '../../engine/sets/sorted.ts';
import { TYPED_ARRAY_POOL } from './typed-array-pool.ts';

/** Maximum length of the list, which is copied for each removed document. */
const TAKEN_MAX = 64;

export class BitsetWithExclusions {
  readonly #bits: Uint32Array;
  /** Excluded documents whose bits are set in `#bits`, ascending. */
  readonly #taken: Uint32Array;

  private constructor(bits: Uint32Array, taken: Uint32Array) {
    this.#bits = bits;
    this.#taken = taken;
  }

  static readonly of = (bits: Uint32Array): BitsetWithExclusions =>
    new BitsetWithExclusions(bits, new Uint32Array(0));

  get takenCount(): number {
    return this.#taken.length;
  }

  has(doc: number): boolean {
    return hasBit(this.#bits, doc) && indexOfSorted(this.#taken, doc) < 0;
  }

  /** null when they are too many to be noted. @param docs without repeats */
  without(docs: Uint32Array): BitsetWithExclusions | null {
    if (this.#taken.length + docs.length > TAKEN_MAX) return null;
    const more = docs.filter((doc) => this.has(doc));
    const taken = new Uint32Array(this.#taken.length + more.length);
    taken.set(this.#taken);
    taken.set(more, this.#taken.length);
    return new BitsetWithExclusions(this.#bits, taken.sort());
  }

  /** What is left, as bits of their own. */
  settled(): Uint32Array {
    const bits = TYPED_ARRAY_POOL.copyOf(this.#bits);
    for (const doc of this.#taken) clearBit(bits, doc);
    return bits;
  }
}
