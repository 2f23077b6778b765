/** Documents that may be among the best, with the bounds of their scores. */

export class Candidates {
  /** Ascending. */
  readonly docs: Uint32Array;
  /** Bits of the query words that each document holds, by match kind. */
  readonly bits: Uint32Array;
  readonly ranks: Uint32Array;
  /** Maximum remaining gain of each document. */
  readonly left: Float64Array;
  count: number;

  /** Takes ownership of the lists, which have the same length. */
  constructor(docs: Uint32Array, bits: Uint32Array, ranks: Uint32Array, left: Float64Array) {
    this.docs = docs;
    this.bits = bits;
    this.ranks = ranks;
    this.left = left;
    this.count = docs.length;
  }

  /**
   * Removes and returns about `count` documents with the greatest possible gain; all if there are
   * few.
   */
  takeBest(count: number): Candidates {
    const { docs, bits, ranks, left, count: all } = this;
    const best = new Candidates(
      docs.slice(0, all),
      bits.slice(0, all),
      ranks.slice(0, all),
      left.slice(0, all),
    );
    if (all <= 2 * count) this.count = 0;
    else {
      const least = best.left.toSorted()[all - count]!;
      best.#keep((at) => best.left[at]! >= least);
      this.#keep((at) => left[at]! < least);
    }
    return best;
  }

  /** Removes documents that have a score. */
  leaveOut(values: Float32Array): void {
    this.#keep((at) => values[this.docs[at]!] === 0);
  }

  /** Removes documents whose current score plus maximum gain is below `least`. */
  leaveOutBelow(least: number, values: Float32Array): void {
    this.#keep((at) => values[this.docs[at]!]! + this.left[at]! >= least);
  }

  #keep(isKept: (at: number) => boolean): void {
    const { docs, bits, ranks, left, count } = this;
    let n = 0;
    for (let at = 0; at < count; at++) {
      const kept = isKept(at);
      docs[n] = docs[at]!;
      bits[n] = bits[at]!;
      ranks[n] = ranks[at]!;
      left[n] = left[at]!;
      n += kept ? 1 : 0;
    }
    this.count = n;
  }

  /** Documents with a bit of each side. */
  withBoth(a: number, b: number): Uint32Array {
    const { docs, bits, count } = this;
    const both = new Uint32Array(count);
    let n = 0;
    for (let at = 0; at < count; at++) {
      both[n] = docs[at]!;
      n += (bits[at]! & a) !== 0 && (bits[at]! & b) !== 0 ? 1 : 0;
    }
    return both.subarray(0, n);
  }

  /** Subtracts `most` from the remaining gain of documents with a bit of each side. */
  spendOnBoth(a: number, b: number, most: number): void {
    const { bits, left, count } = this;
    for (let at = 0; at < count; at++)
      if ((bits[at]! & a) !== 0 && (bits[at]! & b) !== 0) left[at]! -= most;
  }

  /** Subtracts a gain from the remaining gain of each document, by its bits and ranks. */
  spend(mostOf: (bits: number, ranks: number) => number): void {
    const { bits, ranks, left, count } = this;
    for (let at = 0; at < count; at++) left[at]! -= mostOf(bits[at]!, ranks[at]!);
  }
}
