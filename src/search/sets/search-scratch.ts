/**
 * Space in which the searches of a thread work, one search at a time: grown to what the largest
 * index needs.
 */
import type { OccurrenceBuffer } from '../../engine/segment/segment.ts';

/** Room for numbers, whatever it holds. */
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

/** Room for a number for each document. */
class ScratchCosts {
  #costs = new Uint8Array(0);

  /** At least `docIds` numbers, all of them `fill` when it is new: who takes them leaves them so. */
  take(docIds: number, fill: number): Uint8Array {
    if (this.#costs.length < docIds) this.#costs = new Uint8Array(docIds).fill(fill);
    return this.#costs;
  }
}

/** Room for lists made in one go. */
export class ScratchList {
  #list = new Uint32Array(0);

  /** At least `length` numbers, whatever they are; valid until the next call. */
  atLeast(length: number): Uint32Array {
    if (this.#list.length < length)
      this.#list = new Uint32Array(Math.max(length, 2 * this.#list.length));
    return this.#list;
  }
}

/** For each document its slot in the table that filled them last. */
class ScratchSlots {
  #slots = new Int32Array(0);
  #owner: symbol | null = null;

  /** The slots of the table `owner`; null when another one has filled them. */
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

/** Bits are all zero between uses: who takes them leaves them so. */
export type ScratchBits = ScratchNumbers;

export const SCRATCH = {
  /** Bits of the universe of a rule … */
  universe: new ScratchNumbers(),
  /** … of a part of it, at the same time … */
  part: new ScratchNumbers(),
  /** … of documents that may hold a pair of words … */
  pairs: new ScratchNumbers(),
  /** … and of a set that is being made. */
  set: new ScratchNumbers(),
  /** Bits of several sets, one after the other, that a digest is dealt into. */
  dealt: new ScratchNumbers(),
  /** Documents gathered term by term. */
  gathered: new ScratchNumbers(),
  costs: new ScratchCosts(),
  list: new ScratchList(),
  /** Kept sets while they are worked with, two at a time. */
  unpacked: new ScratchList(),
  otherUnpacked: new ScratchList(),
  occurrences: newOccurrences(),
  otherOccurrences: newOccurrences(),
  slots: new ScratchSlots(),
};
