/**
 * Scratch arrays of a thread, used by one search at a time. They grow to the size that the largest
 * index needs.
 */
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';

/** Numbers with undefined content. */
class ScratchNumbers {
  #numbers = new Uint32Array(0);
  #taken = this.#numbers;

  /** Exactly `length` numbers, valid until the next call. */
  take(length: number): Uint32Array {
    if (this.#taken.length === length) return this.#taken;
    if (this.#numbers.length < length) this.#numbers = new Uint32Array(length);
    this.#taken = this.#numbers.subarray(0, length);
    return this.#taken;
  }
}

/** One number per document. */
class ScratchCosts {
  #costs = new Uint8Array(0);

  /**
   * At least `docIds` numbers. A new array is filled with `fill`; the caller restores `fill` after
   * use.
   */
  take(docIds: number, fill: number): Uint8Array {
    if (this.#costs.length < docIds) this.#costs = new Uint8Array(docIds).fill(fill);
    return this.#costs;
  }
}

/** Space for lists. */
export class ScratchList {
  #list = new Uint32Array(0);

  /** At least `length` numbers with undefined content; valid until the next call. */
  atLeast(length: number): Uint32Array {
    if (this.#list.length < length)
      this.#list = new Uint32Array(Math.max(length, 2 * this.#list.length));
    return this.#list;
  }
}

/** For each document its slot in the table that filled the slots last. */
class ScratchSlots {
  #slots = new Int32Array(0);
  #owner: symbol | null = null;

  /** The slots of the table `owner`; null when another table has filled them since. */
  of(owner: symbol): Int32Array | null {
    return this.#owner === owner ? this.#slots : null;
  }

  /** @param docIds more than any of `docs` */
  fill(owner: symbol, docs: Uint32Array, docIds: number): Int32Array {
    if (this.#slots.length < docIds) this.#slots = new Int32Array(docIds);
    const slots = this.#slots;
    for (let i = 0; i < docs.length; i++) slots[docs[i]!] = i;
    this.#owner = owner;
    return slots;
  }
}

const newOccurrences = (): OccurrenceBuffer => ({
  docs: new Uint32Array(1024),
  keys: new Uint32Array(1024),
  length: 0,
});

/** Bits are all zero between uses; the caller clears the bits that it has set. */
export type ScratchBits = ScratchNumbers;

export const SCRATCH = {
  /** Universe of a ranking rule. */
  universe: new ScratchNumbers(),
  /** Part of the universe, in use at the same time. */
  part: new ScratchNumbers(),
  /** Documents that may hold a pair of words, in use at the same time. */
  pairs: new ScratchNumbers(),
  /** A set under construction. */
  set: new ScratchNumbers(),
  /** Documents collected term by term. */
  gathered: new ScratchNumbers(),
  costs: new ScratchCosts(),
  list: new ScratchList(),
  /** Unpacked cached sets, at most two at a time. */
  unpacked: new ScratchList(),
  otherUnpacked: new ScratchList(),
  occurrences: newOccurrences(),
  otherOccurrences: newOccurrences(),
  slots: new ScratchSlots(),
};
