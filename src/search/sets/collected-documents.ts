/** Builds a set from documents that arrive in ascending order; their number is known in advance. */
import { DocSet, listedMax } from './doc-set.ts';
import { TYPED_ARRAY_POOL } from './typed-array-pool.ts';

export class CollectedDocuments {
  readonly #bits: Uint32Array | null;
  readonly #list: Uint32Array | null;
  readonly #bitsetLength: number;
  #length = 0;

  constructor(count: number, bitsetLength: number) {
    const isListed = count <= listedMax(bitsetLength);
    this.#bits = isListed ? null : TYPED_ARRAY_POOL.zeros(bitsetLength);
    this.#list = isListed ? TYPED_ARRAY_POOL.numbers(count) : null;
    this.#bitsetLength = bitsetLength;
  }

  add(doc: number): void {
    if (this.#bits) this.#bits[doc >>> 5]! |= 1 << (doc & 31);
    else this.#list![this.#length++] = doc;
  }

  /** Returns the set of the documents added; call it once. */
  take(): DocSet {
    return this.#bits
      ? DocSet.fromBits(this.#bits)
      : DocSet.fromList(this.#list!, this.#bitsetLength);
  }
}
