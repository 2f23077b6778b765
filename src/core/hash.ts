/**
 * Hashes of byte ranges, strings and numbers for hash tables and caches. Not collision-resistant
 * against an attacker, not stable across versions, never stored.
 */

/** Initial state of a hash built byte by byte with `hashStep`. */
export const HASH_SEED = 0x811c9dc5 | 0;

/** State after one more byte (one FNV-1a round). */
export const hashStep = (state: number, byte: number): number =>
  Math.imul(state ^ byte, 0x01000193);

/** Final mixing, so that the low bits can select a slot; unsigned. */
export function hashFinish(state: number): number {
  const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** Hash of `bytes[start, end)`, an unsigned 32-bit number. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let state = HASH_SEED;
  for (let i = start; i < end; i++) state = Math.imul(state ^ (bytes[i] as number), 0x01000193);
  return hashFinish(state);
}

/** State after all UTF-16 units of a string. */
export function hashText(text: string, seed = HASH_SEED): number {
  let state = seed;
  for (let i = 0; i < text.length; i++) state = hashStep(state, text.charCodeAt(i));
  return state;
}

/** 64-bit hash of a sequence of 32-bit numbers: two hashes with different constants. */
export class NumbersHash {
  #low = HASH_SEED;
  #high = 0x9e3779b9 | 0;

  add(number: number): void {
    this.#low = mixed(this.#low, Math.imul(number, 0xcc9e2d51 | 0), 0x1b873593, 0xe6546b64 | 0);
    this.#high = mixed(this.#high, Math.imul(number, 0x239b961b), 0xab0e9789 | 0, 0x38b34ae5);
  }

  addAll(numbers: ArrayLike<number>): void {
    const { length } = numbers;
    this.add(length);
    for (let i = 0; i < length; i++) this.add(numbers[i] as number);
  }

  /** The hash so far, as text. */
  get text(): string {
    return `${hashFinish(this.#low).toString(36)}.${hashFinish(this.#high).toString(36)}`;
  }
}

/** One round of MurmurHash3. */
function mixed(state: number, product: number, factor: number, addend: number): number {
  const next = state ^ Math.imul((product << 15) | (product >>> 17), factor);
  return (Math.imul((next << 13) | (next >>> 19), 5) + addend) | 0;
}
