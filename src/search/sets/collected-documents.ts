/** Documents that come in ascending order, their number being known, on their way to a set. */
import { DocSet, listedMax } from './doc-set.ts';
import { SEARCH_SPACE } from './search-space.ts';

export class CollectedDocuments {
  readonly #bits: Uint32Array | null;
  readonly #list: Uint32Array | null;
  readonly #bitsetLength: number;
  #length = 0;

  constructor(count: number, bitsetLength: number) {
    const isListed = count <= listedMax(bitsetLength);
    this.#bits = isListed ? null : SEARCH_SPACE.zeros(bitsetLength);
    this.#list = isListed ? SEARCH_SPACE.numbers(count) : null;
    this.#bitsetLength = bitsetLength;
  }

  add(doc: number): void {
    if (this.#bits) this.#bits[doc >>> 5]! |= 1 << (doc & 31);
    else this.#list![this.#length++] = doc;
  }

  /** Those that have come; it is used up then. */
  take(): DocSet {
    return this.#bits
      ? DocSet.fromBits(this.#bits)
      : DocSet.fromList(this.#list!, this.#bitsetLength);
  }
}
