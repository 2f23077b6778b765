/**
 * A set of documents in the cheaper of two forms: a bitset over DocIds when large, an ascending list when small.
 * Immutable; every operation costs the smaller of its size and the bitset's words.
 */

import { countBits, fromArray } from '../engine/sets/bitset.ts';
import { indexOfSorted } from '../engine/sets/sorted.ts';

/** A list is kept while it holds fewer documents than this share of the bitset's words. */
const LIST_SHARE = 0.5;

/** How much longer a list must be for single look-ups in it to cost less than a walk through it. */
const LOOK_UP_RATIO = 16;

export class DocSet {
  readonly count: number;
  /** Length of the bitsets of this snapshot, in 32-bit words. */
  readonly words: number;
  readonly #bits: Uint32Array | null;
  readonly #list: Uint32Array | null;

  private constructor(words: number, count: number, bits: Uint32Array | null, list: Uint32Array | null) {
    this.words = words;
    this.count = count;
    this.#bits = bits;
    this.#list = list;
  }

  /** Takes ownership of `bits`. */
  static fromBits(bits: Uint32Array): DocSet {
    return DocSet.#compact(bits, countBits(bits));
  }

  /** Takes ownership of `list`, which must be ascending and without repeats. */
  static fromList(list: Uint32Array, words: number): DocSet {
    if (list.length < words * LIST_SHARE) return new DocSet(words, list.length, null, list);
    return new DocSet(words, list.length, fromArray(list, words * 32), null);
  }

  static empty(words: number): DocSet {
    return new DocSet(words, 0, null, new Uint32Array(0));
  }

  static #compact(bits: Uint32Array, count: number): DocSet {
    if (count >= bits.length * LIST_SHARE) return new DocSet(bits.length, count, bits, null);
    return new DocSet(bits.length, count, null, listOf(bits, count));
  }

  /** Memory held. */
  get bytes(): number {
    return (this.#bits ?? this.#list!).byteLength;
  }

  /** The documents as bits when that is the form they are in; the caller must not write to it. */
  get bits(): Uint32Array | null {
    return this.#bits;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  has(doc: number): boolean {
    if (this.#bits) return ((this.#bits[doc >>> 5]! >>> (doc & 31)) & 1) === 1;
    return indexOfSorted(this.#list!, doc) >= 0;
  }

  intersect(other: Uint32Array): DocSet {
    if (this.#list) return this.#filter(other, 1);
    const bits = this.#bits!;
    const out = new Uint32Array(bits.length);
    let count = 0;
    for (let i = 0; i < bits.length; i++) {
      const word = bits[i]! & other[i]!;
      if (word !== 0) {
        out[i] = word;
        count += popCountWord(word);
      }
    }
    return DocSet.#compact(out, count);
  }

  subtract(other: Uint32Array): DocSet {
    if (this.#list) return this.#filter(other, 0);
    const bits = this.#bits!;
    const out = new Uint32Array(bits.length);
    let count = 0;
    for (let i = 0; i < bits.length; i++) {
      const word = bits[i]! & ~other[i]!;
      if (word !== 0) {
        out[i] = word;
        count += popCountWord(word);
      }
    }
    return DocSet.#compact(out, count);
  }

  /** The documents that are also in `other`. */
  retain(other: DocSet): DocSet {
    if (other.#bits) return this.intersect(other.#bits);
    if (this.#bits) return other.#filter(this.#bits, 1);
    return DocSet.fromList(listIntersection(this.#list!, other.#list!), this.words);
  }

  /** Without the documents of `other`. */
  without(other: DocSet): DocSet {
    if (other.count === 0) return this;
    if (other.#bits) return this.subtract(other.#bits);
    const removed = other.#list!;
    if (this.#bits) {
      const bits = this.#bits.slice();
      let count = this.count;
      for (let i = 0; i < removed.length; i++) {
        const doc = removed[i]!;
        const mask = 1 << (doc & 31);
        if ((bits[doc >>> 5]! & mask) !== 0) count--;
        bits[doc >>> 5]! &= ~mask;
      }
      return DocSet.#compact(bits, count);
    }
    return DocSet.fromList(listDifference(this.#list!, removed), this.words);
  }

  /** Ascending DocIds; the caller must not write to it. */
  toList(): Uint32Array {
    return this.#list ?? listOf(this.#bits!, this.count);
  }

  /** The first `limit` DocIds after skipping `offset`, ascending. */
  page(offset: number, limit: number): Uint32Array {
    if (this.#list) return this.#list.subarray(offset, offset + limit);
    const out = new Uint32Array(Math.max(0, Math.min(limit, this.count - offset)));
    const bits = this.#bits!;
    let skip = offset;
    let filled = 0;
    for (let i = 0; i < bits.length && filled < out.length; i++) {
      let word = bits[i]!;
      if (skip > 0) {
        const inWord = popCountWord(word);
        if (inWord <= skip) {
          skip -= inWord;
          continue;
        }
      }
      for (; word !== 0 && filled < out.length; word &= word - 1) {
        if (skip > 0) skip--;
        else out[filled++] = (i << 5) | (31 - Math.clz32(word & -word));
      }
    }
    return out;
  }

  /** Ors the set into `bits`. */
  addTo(bits: Uint32Array): void {
    if (this.#bits) {
      const own = this.#bits;
      for (let i = 0; i < own.length; i++) bits[i]! |= own[i]!;
      return;
    }
    const list = this.#list!;
    for (let i = 0; i < list.length; i++) bits[list[i]! >>> 5]! |= 1 << (list[i]! & 31);
  }

  /** Clears the bits that `addTo` set, given that nothing else was in those words. Cost of the smaller form. */
  clearFrom(bits: Uint32Array): void {
    if (this.#bits) {
      bits.fill(0);
      return;
    }
    const list = this.#list!;
    for (let i = 0; i < list.length; i++) bits[list[i]! >>> 5] = 0;
  }

  #filter(other: Uint32Array, wanted: 0 | 1): DocSet {
    const list = this.#list!;
    const out = new Uint32Array(list.length);
    let n = 0;
    for (let i = 0; i < list.length; i++) {
      const doc = list[i]!;
      if (((other[doc >>> 5]! >>> (doc & 31)) & 1) === wanted) out[n++] = doc;
    }
    return DocSet.fromList(n === out.length ? out : out.slice(0, n), this.words);
  }
}

function popCountWord(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function listOf(bits: Uint32Array, count: number): Uint32Array {
  const out = new Uint32Array(count);
  let n = 0;
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1) out[n++] = (i << 5) | (31 - Math.clz32(word & -word));
  }
  return out;
}

/** Walks the shorter list and looks up in the longer one when that is much longer, else merges. */
function listIntersection(a: Uint32Array, b: Uint32Array): Uint32Array {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const out = new Uint32Array(short.length);
  let n = 0;
  if (short.length * LOOK_UP_RATIO < long.length) {
    for (let i = 0; i < short.length; i++) if (indexOfSorted(long, short[i]!) >= 0) out[n++] = short[i]!;
  } else {
    for (let i = 0, j = 0; i < short.length && j < long.length; ) {
      const x = short[i]!;
      const y = long[j]!;
      if (x === y) out[n++] = x;
      if (x <= y) i++;
      if (y <= x) j++;
    }
  }
  return n === out.length ? out : out.slice(0, n);
}

function listDifference(list: Uint32Array, removed: Uint32Array): Uint32Array {
  const out = new Uint32Array(list.length);
  let n = 0;
  let j = 0;
  for (let i = 0; i < list.length; i++) {
    const doc = list[i]!;
    while (j < removed.length && removed[j]! < doc) j++;
    if (removed[j] !== doc) out[n++] = doc;
  }
  return out.slice(0, n);
}
