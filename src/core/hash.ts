/**
 * 32-bit hashes of byte ranges and strings for hash tables. Not collision-resistant, not stable
 * across versions, never stored.
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
