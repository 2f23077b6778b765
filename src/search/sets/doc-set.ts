/**
 * A set of documents in the cheaper of two forms: a bitset over DocIds when large, an ascending
 * list when small. Immutable; every operation costs the smaller of its size and the bitset's words.
 * A third form is for sets that are kept: lists, and bitsets that are nearly empty, in half of the
 * memory and less. What a search makes is in memory that it is lent (search-space.ts); a large set that
 * it takes single documents out of has bits of its own once somebody looks at them.
 */

import {
  andInto,
  andNotInto,
  clearBit,
  countAnd,
  countBits,
  hasBit,
  orInto,
  popCount,
  setBit,
} from '../../engine/sets/bitset.ts';
import { areForKernels, isForKernels, threadSetKernels } from '../../engine/sets/set-kernels.ts';
import { indexOfSorted } from '../../engine/sets/sorted.ts';
import { listOf } from './listed-bits.ts';
import { PackedDocs } from './packed-docs.ts';
import { SCRATCH, type ScratchBits, type ScratchList } from './search-scratch.ts';
import { SEARCH_SPACE } from './search-space.ts';
import {
  isStrictlyAscending,
  LOOK_UP_RATIO,
  listDifference,
  listIntersection,
  listWithBit,
  withoutRepeats,
} from './sorted-lists.ts';
import { ThinnedBits } from './thinned-bits.ts';

/** A list is kept while it holds fewer documents than this share of the bitset's words. */
const LIST_SHARE = 0.5;

/** Shares of the bitset's words between which a kept set is packed. */
const PACKED_SHARE_MIN = 0.125;
const PACKED_SHARE_MAX = 1.5;

/**
 * How many bitset words there must be for each number of a list for sorting it to cost less than a
 * walk through the words.
 */
const SORT_RATIO = 64;

/** What a set takes beside its numbers, roughly. */
const OBJECT_BYTES = 192;

/** Most documents that a set of that many bitset words lists. */
export const listedMax = (bitsetLength: number): number => Math.ceil(bitsetLength * LIST_SHARE) - 1;

export class DocSet {
  readonly count: number;
  /** Length of the bitsets of this snapshot, in 32-bit words. */
  readonly bitsetLength: number;
  #settledBits: Uint32Array | null;
  /** Set until somebody looks at the bits. */
  #thinned: ThinnedBits | null = null;
  readonly #list: Uint32Array | null;
  readonly #packed: PackedDocs | null;

  private constructor(
    bitsetLength: number,
    count: number,
    bits: Uint32Array | null,
    list: Uint32Array | null,
    packed: PackedDocs | null = null,
  ) {
    this.bitsetLength = bitsetLength;
    this.count = count;
    this.#settledBits = bits;
    this.#list = list;
    this.#packed = packed;
  }

  /** Takes ownership of `bits`. */
  static fromBits(bits: Uint32Array): DocSet {
    return DocSet.#compact(bits, countBits(bits));
  }

  /** Takes ownership of `list`, which must be ascending and without repeats. */
  static fromList(list: Uint32Array, bitsetLength: number): DocSet {
    if (list.length <= listedMax(bitsetLength))
      return new DocSet(bitsetLength, list.length, null, list);
    const bits = SEARCH_SPACE.zeros(bitsetLength);
    for (let i = 0; i < list.length; i++) bits[list[i]! >>> 5]! |= 1 << (list[i]! & 31);
    const { length } = list;
    SEARCH_SPACE.takeBack(list);
    return new DocSet(bitsetLength, length, bits, null);
  }

  /**
   * The documents of `docs`, which may repeat and come in any order; reorders them, and does not
   * keep them.
   */
  static fromUnordered(docs: Uint32Array, bitsetLength: number): DocSet {
    if (isStrictlyAscending(docs)) return DocSet.fromList(SEARCH_SPACE.copyOf(docs), bitsetLength);
    if (docs.length * SORT_RATIO < bitsetLength)
      return DocSet.fromList(withoutRepeats(docs.sort()), bitsetLength);
    const bits = SCRATCH.set.take(bitsetLength);
    for (let i = 0; i < docs.length; i++) bits[docs[i]! >>> 5]! |= 1 << (docs[i]! & 31);
    const set = DocSet.#copyOf(bits);
    bits.fill(0);
    return set;
  }

  static empty(bitsetLength: number): DocSet {
    return new DocSet(bitsetLength, 0, null, new Uint32Array(0));
  }

  static unionOf(parts: readonly DocSet[], bitsetLength: number): DocSet {
    const filled = parts.filter((part) => !part.isEmpty);
    if (filled.length <= 1) return filled[0] ?? DocSet.empty(bitsetLength);
    const countMax = filled.reduce((sum, { count }) => sum + count, 0);
    if (filled.some((part) => part.#bits !== null) || countMax > bitsetLength) {
      const bits = SEARCH_SPACE.zeros(bitsetLength);
      for (const part of filled) part.addTo(bits);
      return DocSet.fromBits(bits);
    }
    const docs = SCRATCH.list.atLeast(countMax);
    let length = 0;
    for (const part of filled) {
      if (part.#packed) part.#packed.unpackTo(docs, length);
      else docs.set(part.#list!, length);
      length += part.count;
    }
    return DocSet.fromUnordered(docs.subarray(0, length), bitsetLength);
  }

  static #compact(bits: Uint32Array, count: number): DocSet {
    if (count > listedMax(bits.length)) return new DocSet(bits.length, count, bits, null);
    const list = listOf(bits, count);
    const bitsetLength = bits.length;
    SEARCH_SPACE.takeBack(bits);
    return new DocSet(bitsetLength, count, null, list);
  }

  /** What the kernels have as their result. */
  static #fromKernels(bitsetLength: number, count: number): DocSet {
    const kernels = threadSetKernels();
    if (count > listedMax(bitsetLength)) {
      const bits = kernels.bitsTo(SEARCH_SPACE.numbers(bitsetLength));
      return new DocSet(bitsetLength, count, bits, null);
    }
    return new DocSet(bitsetLength, count, null, kernels.listTo(SEARCH_SPACE.numbers(count)));
  }

  /** Leaves `bits` to the caller. */
  static #copyOf(bits: Uint32Array): DocSet {
    return isForKernels(bits)
      ? DocSet.#fromKernels(bits.length, threadSetKernels().count(bits))
      : DocSet.fromBits(SEARCH_SPACE.copyOf(bits));
  }

  get #bits(): Uint32Array | null {
    if (this.#thinned !== null) {
      this.#settledBits = this.#thinned.settled();
      this.#thinned = null;
    }
    return this.#settledBits;
  }

  /** Memory held, roughly. */
  get bytes(): number {
    return OBJECT_BYTES + (this.#packed?.bytes ?? (this.#bits ?? this.#list!).byteLength);
  }

  /** The same set, in memory of its own: for whoever keeps it beyond the search. */
  get owned(): DocSet {
    const numbers = this.#bits ?? this.#list;
    if (numbers === null || !SEARCH_SPACE.isLent(numbers)) return this;
    const { bitsetLength, count } = this;
    return this.#bits
      ? new DocSet(bitsetLength, count, numbers.slice(), null)
      : new DocSet(bitsetLength, count, null, numbers.slice());
  }

  /** The same set in the least memory, of its own. */
  get packed(): DocSet {
    const { bitsetLength, count } = this;
    const isPacked =
      this.#packed !== null ||
      count < bitsetLength * PACKED_SHARE_MIN ||
      count > bitsetLength * PACKED_SHARE_MAX;
    if (isPacked) return this.owned;
    const packed = PackedDocs.of(this.toList(), bitsetLength * 32);
    return new DocSet(bitsetLength, count, null, null, packed);
  }

  /** The documents as bits when that is the form they are in; the caller must not write to it. */
  get bits(): Uint32Array | null {
    return this.#bits;
  }

  /**
   * The documents as bits, made for the occasion unless they are in that form; the caller must not
   * write to it.
   */
  toBits(): Uint32Array {
    if (this.#bits) return this.#bits;
    const bits = SEARCH_SPACE.zeros(this.bitsetLength);
    this.addTo(bits);
    return bits;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  has(doc: number): boolean {
    if (this.#thinned) return this.#thinned.has(doc);
    if (this.#bits) return ((this.#bits[doc >>> 5]! >>> (doc & 31)) & 1) === 1;
    return this.#packed ? this.#packed.has(doc) : indexOfSorted(this.#list!, doc) >= 0;
  }

  /** Whether it has at least one of them. */
  hasAny(docs: Uint32Array): boolean {
    return docs.some((doc) => this.has(doc));
  }

  /**
   * The documents as a list, of a set that has no bits: that of `scratch` when they are packed,
   * valid until it is used again.
   */
  #listIn(scratch: ScratchList): Uint32Array {
    if (!this.#packed) return this.#list!;
    const docs = scratch.atLeast(this.count).subarray(0, this.count);
    this.#packed.unpackTo(docs);
    return docs;
  }

  /** The documents that are also in `other`. */
  retain(other: DocSet): DocSet {
    if (this === other) return this;
    if (this.#bits && other.#bits) return this.#intersection(other.#bits);
    if (other.#bits) return this.#filter(other.#bits, 1);
    if (this.#bits) return other.#filter(this.#bits, 1);
    if (other.#packed && this.count * LOOK_UP_RATIO < other.count)
      return this.#lookedUpIn(other.#packed);
    if (this.#packed && other.count * LOOK_UP_RATIO < this.count)
      return other.#lookedUpIn(this.#packed);
    const [list, otherList] = [
      this.#listIn(SCRATCH.unpacked),
      other.#listIn(SCRATCH.otherUnpacked),
    ];
    return DocSet.fromList(listIntersection(list, otherList, this.bitsetLength), this.bitsetLength);
  }

  /** The documents of a short set that are also in a packed one, which stays packed. */
  #lookedUpIn(packed: PackedDocs): DocSet {
    const list = this.#listIn(SCRATCH.otherUnpacked);
    const out = SCRATCH.list.atLeast(list.length);
    let n = 0;
    for (let i = 0; i < list.length; i++) if (packed.has(list[i]!)) out[n++] = list[i]!;
    return DocSet.fromList(SEARCH_SPACE.copyOf(out, 0, n), this.bitsetLength);
  }

  intersect(other: Uint32Array): DocSet {
    return this.#bits ? this.#intersection(other) : this.#filter(other, 1);
  }

  #intersection(other: Uint32Array): DocSet {
    const bits = this.#bits!;
    return isForKernels(bits)
      ? DocSet.#fromKernels(bits.length, threadSetKernels().and(bits, other))
      : DocSet.fromBits(andInto(SEARCH_SPACE.copyOf(bits), other));
  }

  /** Size of the intersection, without building it. */
  countShared(other: DocSet): number {
    if (this.#bits && other.#bits) return countAnd(this.#bits, other.#bits);
    if (this.#bits) return other.countShared(this);
    const list = this.#listIn(SCRATCH.unpacked);
    if (!other.#bits)
      return listIntersection(list, other.#listIn(SCRATCH.otherUnpacked), this.bitsetLength).length;
    const bits = other.#bits;
    let count = 0;
    for (let i = 0; i < list.length; i++) count += (bits[list[i]! >>> 5]! >>> (list[i]! & 31)) & 1;
    return count;
  }

  /** Without the documents of `other`. */
  without(other: DocSet): DocSet {
    if (other.count === 0 || this.count === 0) return this;
    if (other.#bits) return this.subtract(other.#bits);
    const removed = other.#listIn(SCRATCH.otherUnpacked);
    const thinned = this.#thinnedBy(removed);
    if (thinned !== null) return thinned;
    if (this.#bits) return this.#withoutList(removed);
    const left = listDifference(this.#listIn(SCRATCH.unpacked), removed, this.bitsetLength);
    return DocSet.fromList(left, this.bitsetLength);
  }

  /** null where it pays to make bits or a list at once, which alone may outlast a search. */
  #thinnedBy(removed: Uint32Array): DocSet | null {
    if (!SEARCH_SPACE.lends(this.bitsetLength)) return null;
    const before = this.#thinned ?? (this.#settledBits && ThinnedBits.of(this.#settledBits));
    const after = before?.without(removed) ?? null;
    if (before === null || after === null) return null;
    const count = this.count - (after.takenCount - before.takenCount);
    if (count <= listedMax(this.bitsetLength)) return null;
    const set = new DocSet(this.bitsetLength, count, null, null);
    set.#thinned = after;
    return set;
  }

  #withoutList(removed: Uint32Array): DocSet {
    if (isForKernels(this.#bits!)) {
      const count = threadSetKernels().remove(this.#bits!, this.count, removed);
      return DocSet.#fromKernels(this.bitsetLength, count);
    }
    const bits = SEARCH_SPACE.copyOf(this.#bits!);
    for (let i = 0; i < removed.length; i++) clearBit(bits, removed[i]!);
    return DocSet.fromBits(bits);
  }

  /**
   * The set without the documents `touched`, which ascend, and with those of `found`, in bitsets of
   * another length.
   */
  renewed(touched: Uint32Array, found: DocSet, bitsetLength: number): DocSet {
    if (this.bitsetLength === bitsetLength && found.isEmpty && !this.hasAny(touched)) return this;
    if (this.#bits || found.#bits) return this.#renewedBits(touched, found, bitsetLength);
    const added = found.toList();
    if (this.#packed) {
      const packed = this.#packed.renewed(touched, added, bitsetLength * 32);
      return new DocSet(bitsetLength, packed.count, null, null, packed);
    }
    const list = this.#list!;
    const left =
      list.length === 0
        ? list
        : listDifference(list, touched, Math.max(this.bitsetLength, bitsetLength));
    return DocSet.unionOf([DocSet.fromList(left, bitsetLength), found], bitsetLength);
  }

  #renewedBits(touched: Uint32Array, found: DocSet, bitsetLength: number): DocSet {
    const bits = SEARCH_SPACE.zeros(bitsetLength);
    if (this.#bits) bits.set(this.#bits.subarray(0, bitsetLength));
    else this.addTo(bits);
    let { count } = this;
    for (let i = 0; i < touched.length; i++) {
      if (this.has(touched[i]!)) count--;
      clearBit(bits, touched[i]!);
    }
    const added = found.toList();
    for (let i = 0; i < added.length; i++) {
      if (!hasBit(bits, added[i]!)) count++;
      setBit(bits, added[i]!);
    }
    return DocSet.#compact(bits, count);
  }

  subtract(other: Uint32Array): DocSet {
    if (!this.#bits) return this.#filter(other, 0);
    const bits = this.#bits;
    return isForKernels(bits)
      ? DocSet.#fromKernels(bits.length, threadSetKernels().andNot(bits, other))
      : DocSet.fromBits(andNotInto(SEARCH_SPACE.copyOf(bits), other));
  }

  /** Ascending DocIds; the caller must not write to it. */
  toList(): Uint32Array {
    if (this.#list) return this.#list;
    if (this.#bits) return listOf(this.#bits, this.count);
    const docs = SEARCH_SPACE.numbers(this.count);
    this.#packed!.unpackTo(docs);
    return docs;
  }

  /** The first `limit` DocIds after skipping `offset`, ascending. */
  page(offset: number, limit: number): Uint32Array {
    if (!this.#bits) return this.toList().subarray(offset, offset + limit);
    const out = new Uint32Array(Math.max(0, Math.min(limit, this.count - offset)));
    const bits = this.#bits;
    let skip = offset;
    let filled = 0;
    for (let i = 0; i < bits.length && filled < out.length; i++) {
      let word = bits[i]!;
      if (skip > 0) {
        const inWord = popCount(word);
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
      orInto(bits, this.#bits);
      return;
    }
    if (this.#packed) {
      this.#packed.addTo(bits);
      return;
    }
    const list = this.#list!;
    for (let i = 0; i < list.length; i++) bits[list[i]! >>> 5]! |= 1 << (list[i]! & 31);
  }

  /**
   * Runs `use` with the documents as bits, which it must not write to: those of `scratch`, unless
   * they are in that form.
   */
  withBits<Result>(scratch: ScratchBits, use: (bits: Uint32Array) => Result): Result {
    if (this.#bits) return use(this.#bits);
    const list = this.#list;
    const bits = scratch.take(this.bitsetLength);
    this.addTo(bits);
    try {
      return use(bits);
    } finally {
      if (list === null) bits.fill(0);
      else for (let i = 0; i < list.length; i++) bits[list[i]! >>> 5] = 0;
    }
  }

  #filter(other: Uint32Array, wanted: 0 | 1): DocSet {
    const list = this.#listIn(SCRATCH.unpacked);
    const kept = areForKernels(list, other.length)
      ? threadSetKernels().keep(list, other, this.bitsetLength, wanted)
      : listWithBit(list, other, wanted);
    return kept.length === list.length
      ? this
      : DocSet.fromList(SEARCH_SPACE.copyOf(kept), this.bitsetLength);
  }
}
