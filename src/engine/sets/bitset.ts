/**
 * Sets of DocIds as bits of a Uint32Array: bit `d & 31` of word `d >>> 5`. Binary operations write
 * into their first argument; compiled kernels (set-kernels.ts) process long sets.
 */
import { isForKernels, threadSetKernels } from './set-kernels.ts';

/** Words that hold the numbers 0 … `count` − 1. */
export const wordsFor = (count: number): number => (count + 31) >>> 5;

export const makeBitset = (count: number): Uint32Array => new Uint32Array(wordsFor(count));

export const setBit = (bits: Uint32Array, bit: number): void => {
  bits[bit >>> 5]! |= 1 << (bit & 31);
};

export const clearBit = (bits: Uint32Array, bit: number): void => {
  bits[bit >>> 5]! &= ~(1 << (bit & 31));
};

/** False for bits beyond the array. */
export const hasBit = (bits: Uint32Array, bit: number): boolean =>
  ((bits[bit >>> 5]! >>> (bit & 31)) & 1) === 1;

/** `into` ∩= `other`; words missing in `other` count as empty. */
export function andInto(into: Uint32Array, other: Uint32Array): Uint32Array {
  if (isForKernels(into)) {
    threadSetKernels().and(into, other);
    return threadSetKernels().bitsTo(into);
  }
  const shared = Math.min(into.length, other.length);
  for (let i = 0; i < shared; i++) into[i]! &= other[i]!;
  into.fill(0, shared);
  return into;
}

/** `into` ∪= `other`; members beyond `into` are dropped. */
export function orInto(into: Uint32Array, other: Uint32Array): Uint32Array {
  if (isForKernels(into)) {
    threadSetKernels().or(into, other);
    return threadSetKernels().bitsTo(into);
  }
  const shared = Math.min(into.length, other.length);
  for (let i = 0; i < shared; i++) into[i]! |= other[i]!;
  return into;
}

/** `into` −= `other`. */
export function andNotInto(into: Uint32Array, other: Uint32Array): Uint32Array {
  if (isForKernels(into)) {
    threadSetKernels().andNot(into, other);
    return threadSetKernels().bitsTo(into);
  }
  const shared = Math.min(into.length, other.length);
  for (let i = 0; i < shared; i++) into[i]! &= ~other[i]!;
  return into;
}

/** `into` ∪= `from` … `end` − 1 without `except`. */
export function addRange(
  into: Uint32Array,
  from: number,
  end: number,
  except: Uint32Array | null = null,
): void {
  if (from >= end) return;
  const last = (end - 1) >>> 5;
  for (let i = from >>> 5; i <= last; i++) {
    let word = except === null ? -1 : ~(except[i] ?? 0);
    if (i === from >>> 5) word &= -1 << (from & 31);
    if (i === last) word &= -1 >>> (31 - ((end - 1) & 31));
    into[i]! |= word;
  }
}

export function popCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countBits(bits: Uint32Array): number {
  if (isForKernels(bits)) return threadSetKernels().count(bits);
  let count = 0;
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i]!;
    if (word !== 0) count += popCount(word);
  }
  return count;
}

/** Size of the intersection, without building it. */
export function countAnd(a: Uint32Array, b: Uint32Array): number {
  if (isForKernels(a)) return threadSetKernels().and(a, b);
  const shared = Math.min(a.length, b.length);
  let count = 0;
  for (let i = 0; i < shared; i++) {
    const word = a[i]! & b[i]!;
    if (word !== 0) count += popCount(word);
  }
  return count;
}

/** The least member ≥ `from`, or −1. */
export function nextSetBit(bits: Uint32Array, from: number): number {
  let index = from >>> 5;
  if (index >= bits.length) return -1;
  let word = bits[index]! & (0xffffffff << (from & 31));
  while (word === 0) {
    if (++index >= bits.length) return -1;
    word = bits[index]!;
  }
  return index * 32 + 31 - Math.clz32(word & -word);
}

/** Calls `visit` for each member, ascending. */
export function forEachBit(bits: Uint32Array, visit: (bit: number) => void): void {
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1)
      visit(i * 32 + 31 - Math.clz32(word & -word));
  }
}

/**
 * Above this many members per word, they are listed in JavaScript, which bounds the kernels' memory.
 */
const KERNEL_SHARE_MAX = 2;

/** The members, ascending. */
export const toArray = (bits: Uint32Array): Uint32Array =>
  membersInto(bits, new Uint32Array(countBits(bits)));

/** Lists the members in `out`, ascending. @param out as long as their number */
export function membersInto(bits: Uint32Array, out: Uint32Array): Uint32Array {
  if (isForKernels(bits) && out.length <= KERNEL_SHARE_MAX * bits.length) {
    threadSetKernels().load(bits);
    return threadSetKernels().listTo(out);
  }
  let n = 0;
  for (let i = 0; n < out.length; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1)
      out[n++] = (i << 5) | (31 - Math.clz32(word & -word));
  }
  return out;
}
