/**
 * A long bitset without some few of its documents, which are noted beside it: rules whose buckets are
 * single documents take one out after the other, and often nobody asks for all that is left.
 */
import { clearBit, hasBit } from '../../engine/sets/bitset.ts';
import { indexOfSorted } from '../../engine/sets/sorted.ts';
import { SEARCH_SPACE } from './search-space.ts';

/** They are copied for each document that is taken out. */
const TAKEN_MAX = 64;

export class ThinnedBits {
  readonly #bits: Uint32Array;
  /** Those that `#bits` has besides, ascending. */
  readonly #taken: Uint32Array;

  private constructor(bits: Uint32Array, taken: Uint32Array) {
    this.#bits = bits;
    this.#taken = taken;
  }

  static readonly of = (bits: Uint32Array): ThinnedBits =>
    new ThinnedBits(bits, new Uint32Array(0));

  get takenCount(): number {
    return this.#taken.length;
  }

  has(doc: number): boolean {
    return hasBit(this.#bits, doc) && indexOfSorted(this.#taken, doc) < 0;
  }

  /** null when they are too many to be noted. @param docs without repeats */
  without(docs: Uint32Array): ThinnedBits | null {
    if (this.#taken.length + docs.length > TAKEN_MAX) return null;
    const more = docs.filter((doc) => this.has(doc));
    const taken = new Uint32Array(this.#taken.length + more.length);
    taken.set(this.#taken);
    taken.set(more, this.#taken.length);
    return new ThinnedBits(this.#bits, taken.sort());
  }

  /** What is left, as bits of their own. */
  settled(): Uint32Array {
    const bits = SEARCH_SPACE.copyOf(this.#bits);
    for (const doc of this.#taken) clearBit(bits, doc);
    return bits;
  }
}
