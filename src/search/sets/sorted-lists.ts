/**
 * What two ascending lists of DocIds have in common, what one has that the other has not, and what of
 * one is in a bitset.
 */

import { areForKernels, threadSetKernels } from '../../engine/sets/set-kernels.ts';
import { indexOfSorted, lowerBound } from '../../engine/sets/sorted.ts';
import { SCRATCH } from './search-scratch.ts';
import { TYPED_ARRAY_POOL } from './typed-array-pool.ts';

/** How much longer a list must be for single look-ups in it to cost less than a walk through it. */
export const LOOK_UP_RATIO = 16;

/**
 * Walks the shorter list and looks up in what is left of the longer one when that is much longer,
 * else merges, or looks for each in the bits of the other. @param bitsetLength of bitsets that hold
 * them, in words
 */
export function listIntersection(
  a: Uint32Array,
  b: Uint32Array,
  bitsetLength: number,
): Uint32Array {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length * LOOK_UP_RATIO < long.length) return lookedUpIn(short, long);
  return areForKernels(short, bitsetLength)
    ? TYPED_ARRAY_POOL.copyOf(threadSetKernels().keepListed(short, long, bitsetLength, true))
    : mergedWith(short, long);
}

function lookedUpIn(short: Uint32Array, long: Uint32Array): Uint32Array {
  const out = SCRATCH.list.atLeast(short.length);
  let n = 0;
  for (let i = 0; i < short.length; i++)
    if (indexOfSorted(long, short[i]!) >= 0) out[n++] = short[i]!;
  return TYPED_ARRAY_POOL.copyOf(out, 0, n);
}

function mergedWith(short: Uint32Array, long: Uint32Array): Uint32Array {
  const out = SCRATCH.list.atLeast(short.length);
  let n = 0;
  for (let i = 0, j = 0; i < short.length && j < long.length; ) {
    const x = short[i]!;
    const y = long[j]!;
    if (x === y) out[n++] = x;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return TYPED_ARRAY_POOL.copyOf(out, 0, n);
}

/** `list`, which is not empty, without `removed`. @param bitsetLength of bitsets that hold them */
export function listDifference(
  list: Uint32Array,
  removed: Uint32Array,
  bitsetLength: number,
): Uint32Array {
  if (areForKernels(list, bitsetLength) && removed.length * LOOK_UP_RATIO > list.length)
    return TYPED_ARRAY_POOL.copyOf(
      threadSetKernels().keepListed(list, removed, bitsetLength, false),
    );
  const out = SCRATCH.list.atLeast(list.length);
  let n = 0;
  let j = lowerBound(removed, list[0]!);
  for (let i = 0; i < list.length; i++) {
    const doc = list[i]!;
    while (j < removed.length && removed[j]! < doc) j++;
    if (removed[j] !== doc) out[n++] = doc;
  }
  return TYPED_ARRAY_POOL.copyOf(out, 0, n);
}

export function isStrictlyAscending(docs: Uint32Array): boolean {
  for (let i = 1; i < docs.length; i++) if (docs[i]! <= docs[i - 1]!) return false;
  return true;
}

/** Those of `list` whose bit is as wanted; valid until the scratch list is used again. */
export function listWithBit(list: Uint32Array, bits: Uint32Array, wanted: 0 | 1): Uint32Array {
  const out = SCRATCH.list.atLeast(list.length);
  let n = 0;
  for (let i = 0; i < list.length; i++) {
    const doc = list[i]!;
    out[n] = doc;
    n += ((bits[doc >>> 5]! >>> (doc & 31)) & 1) ^ wanted ^ 1;
  }
  return out.subarray(0, n);
}
