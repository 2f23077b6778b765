/** Members of bitsets as ascending lists. */
import { SCRATCH } from './search-scratch.ts';
import { SEARCH_SPACE } from './search-space.ts';

/** @param count how many there are */
export function listOf(bits: Uint32Array, count: number): Uint32Array {
  const out = SEARCH_SPACE.numbers(count);
  let n = 0;
  for (let i = 0; n < count; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1)
      out[n++] = (i << 5) | (31 - Math.clz32(word & -word));
  }
  return out;
}

/**
 * The common members when there are at most `max` of them, else null: what is found first is a
 * list, given up when it grows too long.
 */
export function sharedList(a: Uint32Array, b: Uint32Array, max: number): Uint32Array | null {
  const out = SCRATCH.list.atLeast(max + 32);
  let n = 0;
  for (let i = 0; i < a.length; i++) {
    const shared = a[i]! & b[i]!;
    if (shared === 0) continue;
    for (let word = shared; word !== 0; word &= word - 1)
      out[n++] = (i << 5) | (31 - Math.clz32(word & -word));
    if (n > max) return null;
  }
  return SEARCH_SPACE.copyOf(out, 0, n);
}
