/** Bitsets of numbers, for tests. */
import { makeBitset, setBit } from '../../src/engine/sets/bitset.ts';

/** A set of `members`, able to hold 0 … `count` − 1. */
export function fromArray(members: readonly number[], count: number): Uint32Array {
  const bits = makeBitset(count);
  for (const member of members) setBit(bits, member);
  return bits;
}
