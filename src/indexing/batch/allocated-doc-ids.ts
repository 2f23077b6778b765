/**
 * The DocIds in use in one index, kept across batches so that a batch costs only its changes.
 * Shared with the indexing threads.
 */
import { clearBit, setBit, wordsFor } from '../../engine/sets/bitset.ts';

/** Growth factor over the greatest DocId when it does not fit. */
const GROWTH = 1.5;
const CAPACITY_MIN = 1024;

export class AllocatedDocIds {
  #shared: SharedArrayBuffer;
  #bits: Uint32Array;

  constructor(bits: Uint32Array) {
    this.#shared = sharedWords(Math.max(bits.length, wordsFor(CAPACITY_MIN)));
    this.#bits = new Uint32Array(this.#shared);
    this.#bits.set(bits);
  }

  /** Words of the bitset; must not change while a thread reads it. */
  get shared(): SharedArrayBuffer {
    return this.#shared;
  }

  add(docIds: Uint32Array): void {
    let greatest = 0;
    for (const docId of docIds) if (docId > greatest) greatest = docId;
    if (wordsFor(greatest + 1) > this.#bits.length)
      this.#grow(wordsFor(Math.ceil((greatest + 1) * GROWTH)));
    for (const docId of docIds) setBit(this.#bits, docId);
  }

  remove(docIds: Uint32Array): void {
    for (const docId of docIds) clearBit(this.#bits, docId);
  }

  clear(): void {
    this.#bits.fill(0);
  }

  #grow(words: number): void {
    const old = this.#bits;
    this.#shared = sharedWords(words);
    this.#bits = new Uint32Array(this.#shared);
    this.#bits.set(old);
  }
}

const sharedWords = (words: number): SharedArrayBuffer => new SharedArrayBuffer(words * 4);
