/**
 * A set of documents in the cheaper of two forms: a bitset over DocIds when large, an ascending
 * list when small. Immutable; every operation costs the smaller of the set's size and the bitset's
 * words. Cached sets have a third form: lists and nearly empty bitsets, packed into half of the
 * memory or less. Sets made by a search use pooled arrays (typed-array-pool.ts).
 */

import {
  andInto,
  andNotInto,
  clearBit,
  countAnd,
  countBits,
  membersInto,
  orInto,
  popCount,
} from '../../engine/sets/bitset.ts';
import { areForKernels, isForKernels, threadSetKernels } from '../../engine/sets/set-kernels.ts';
import { indexOfSorted } from '../../engine/sets/sorted.ts';
import { PackedDocs } from './packed-docs.ts';
import { SCRATCH, type ScratchBits, type ScratchList } from './search-scratch.ts';
import {
  isStrictlyAscending,
  LOOK_UP_RATIO,
  listDifference,
  listIntersection,
  listWithBit,
} from './sorted-lists.ts';
import { TYPED_ARRAY_POOL } from './typed-array-pool.ts';

/** A list is kept while it holds fewer documents than this share of the bitset's words. */
const LIST_SHARE = 0.5;

/** Shares of the bitset's words between which a kept set is packed. */
const PACKED_SHARE_MIN = 0.125;
const PACKED_SHARE_MAX = 1.5;

/** Bytes of a set and its typed array in addition to the numbers; measured on Node 20. */
const OBJECT_BYTES = 300;

/** How the words of a set are to be read. */
const FORMS = { bits: 0, list: 1, packed: 2 } as const;

/** A view of a short array would move its numbers out of the heap of V8, so a whole list has none. */
const pageOfList = (list: Uint32Array, offset: number, limit: number): Uint32Array =>
  offset === 0 && limit >= list.length ? list : list.subarray(offset, offset + limit);

/** Maximum number of documents in a list, for a bitset of this many words. */
const listedMax = (bitsetLength: number): number => Math.ceil(bitsetLength * LIST_SHARE) - 1;

export class DocSet {
  readonly count: number;
  /** Length of the bitsets of this snapshot, in 32-bit words. */
  readonly bitsetLength: number;
  readonly #bits: Uint32Array | null;
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
    this.#bits = bits;
    this.#list = list;
    this.#packed = packed;
  }

  /** Takes ownership of `bits`. */
  static fromBits(bits: Uint32Array): DocSet {
    const { length: bitsetLength } = bits;
    const count = countBits(bits);
    if (count > listedMax(bitsetLength)) return new DocSet(bitsetLength, count, bits, null);
    const list = membersInto(bits, TYPED_ARRAY_POOL.numbers(count));
    TYPED_ARRAY_POOL.release(bits);
    return new DocSet(bitsetLength, count, null, list);
  }

  /** Takes ownership of `list`, which must be ascending and without duplicates. */
  static fromList(list: Uint32Array, bitsetLength: number): DocSet {
    if (list.length <= listedMax(bitsetLength))
      return new DocSet(bitsetLength, list.length, null, list);
    const bits = TYPED_ARRAY_POOL.zeros(bitsetLength);
    for (let i = 0; i < list.length; i++) bits[list[i]! >>> 5]! |= 1 << (list[i]! & 31);
    const { length } = list;
    TYPED_ARRAY_POOL.release(list);
    return new DocSet(bitsetLength, length, bits, null);
  }

  /**
   * The documents of `docs`, in any order and with duplicates; does not retain `docs`.
   */
  static fromUnordered(docs: Uint32Array, bitsetLength: number): DocSet {
    if (isStrictlyAscending(docs))
      return DocSet.fromList(TYPED_ARRAY_POOL.copyOf(docs), bitsetLength);
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
      const bits = TYPED_ARRAY_POOL.zeros(bitsetLength);
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

  /** Copies the result of the kernels. */
  static #fromKernels(bitsetLength: number, count: number): DocSet {
    const kernels = threadSetKernels();
    if (count > listedMax(bitsetLength)) {
      const bits = kernels.bitsTo(TYPED_ARRAY_POOL.numbers(bitsetLength));
      return new DocSet(bitsetLength, count, bits, null);
    }
    return new DocSet(bitsetLength, count, null, kernels.listTo(TYPED_ARRAY_POOL.numbers(count)));
  }

  /** Copies `bits`; the caller keeps ownership. */
  static #copyOf(bits: Uint32Array): DocSet {
    return isForKernels(bits)
      ? DocSet.#fromKernels(bits.length, threadSetKernels().count(bits))
      : DocSet.fromBits(TYPED_ARRAY_POOL.copyOf(bits));
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return OBJECT_BYTES + (this.#packed?.bytes ?? (this.#bits ?? this.#list!).byteLength);
  }

  /** The same set in memory that is not pooled, for use after the search returns. */
  get owned(): DocSet {
    const numbers = this.#bits ?? this.#list;
    if (numbers === null || !TYPED_ARRAY_POOL.isLent(numbers)) return this;
    const { bitsetLength, count } = this;
    return this.#bits
      ? new DocSet(bitsetLength, count, numbers.slice(), null)
      : new DocSet(bitsetLength, count, null, numbers.slice());
  }

  /** The same set in its smallest form, in memory that is not pooled. */
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

  /** The set as words, which `fromWords` takes: form, number of documents, and the numbers. */
  get words(): readonly Uint32Array[] {
    const { count } = this;
    if (this.#bits) return [Uint32Array.of(FORMS.bits, count), this.#bits];
    if (this.#packed) return [Uint32Array.of(FORMS.packed, count), ...this.#packed.words];
    return [Uint32Array.of(FORMS.list, count), this.#list!];
  }

  /** The set with these words, which it takes over. @param bitsetLength as it was */
  static fromWords(words: Uint32Array, bitsetLength: number): DocSet {
    const [form, count] = words as unknown as readonly [number, number];
    const numbers = words.subarray(2);
    if (form === FORMS.bits) return new DocSet(bitsetLength, count, numbers, null);
    if (form === FORMS.list) return new DocSet(bitsetLength, count, null, numbers);
    const packed = PackedDocs.fromWords(numbers, count, bitsetLength * 32);
    return new DocSet(bitsetLength, count, null, null, packed);
  }

  /** The bits if the set has that form, else null; the caller must not write to them. */
  get bits(): Uint32Array | null {
    return this.#bits;
  }

  /**
   * The documents as bits, converted if the set has another form; the caller must not write to
   * them.
   */
  toBits(): Uint32Array {
    if (this.#bits) return this.#bits;
    const bits = TYPED_ARRAY_POOL.zeros(this.bitsetLength);
    this.addTo(bits);
    return bits;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  has(doc: number): boolean {
    if (this.#bits) return ((this.#bits[doc >>> 5]! >>> (doc & 31)) & 1) === 1;
    return this.#packed ? this.#packed.has(doc) : indexOfSorted(this.#list!, doc) >= 0;
  }

  /** True if the set contains at least one of `docs`. */
  hasAny(docs: Uint32Array): boolean {
    return docs.some((doc) => this.has(doc));
  }

  /**
   * The documents of a set without bits as a list. A packed set is unpacked into `scratch`, valid
   * until the next use of `scratch`.
   */
  #listIn(scratch: ScratchList): Uint32Array {
    if (!this.#packed) return this.#list!;
    const docs = scratch.atLeast(this.count).subarray(0, this.count);
    this.#packed.unpackTo(docs);
    return docs;
  }

  /** Intersection with `other`. */
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

  /** Intersection of a short set with a packed one, which stays packed. */
  #lookedUpIn(packed: PackedDocs): DocSet {
    const list = this.#listIn(SCRATCH.otherUnpacked);
    const out = SCRATCH.list.atLeast(list.length);
    let n = 0;
    for (let i = 0; i < list.length; i++) if (packed.has(list[i]!)) out[n++] = list[i]!;
    return DocSet.fromList(TYPED_ARRAY_POOL.copyOf(out, 0, n), this.bitsetLength);
  }

  intersect(other: Uint32Array): DocSet {
    return this.#bits ? this.#intersection(other) : this.#filter(other, 1);
  }

  #intersection(other: Uint32Array): DocSet {
    const bits = this.#bits!;
    return isForKernels(bits)
      ? DocSet.#fromKernels(bits.length, threadSetKernels().and(bits, other))
      : DocSet.fromBits(andInto(TYPED_ARRAY_POOL.copyOf(bits), other));
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

  /** Difference: removes the documents of `other`. */
  without(other: DocSet): DocSet {
    if (other.count === 0 || this.count === 0) return this;
    if (other.#bits) return this.subtract(other.#bits);
    const removed = other.#listIn(SCRATCH.otherUnpacked);
    if (this.#bits) return this.#withoutList(removed);
    const left = listDifference(this.#listIn(SCRATCH.unpacked), removed, this.bitsetLength);
    return DocSet.fromList(left, this.bitsetLength);
  }

  #withoutList(removed: Uint32Array): DocSet {
    if (isForKernels(this.#bits!)) {
      const count = threadSetKernels().remove(this.#bits!, this.count, removed);
      return DocSet.#fromKernels(this.bitsetLength, count);
    }
    const bits = TYPED_ARRAY_POOL.copyOf(this.#bits!);
    for (let i = 0; i < removed.length; i++) clearBit(bits, removed[i]!);
    return DocSet.fromBits(bits);
  }

  /**
   * Removes the documents `touched` (ascending) and adds `found`; the bitsets may have a different
   * length.
   */
  patched(touched: Uint32Array, found: DocSet, bitsetLength: number): DocSet {
    if (this.bitsetLength === bitsetLength && found.isEmpty && !this.hasAny(touched)) return this;
    if (this.isEmpty) return found;
    if (this.#bits || found.#bits) return this.#patchedBits(touched, found, bitsetLength);
    if (this.#packed) {
      const packed = this.#packed.patched(touched, found.toList(), bitsetLength * 32);
      return new DocSet(bitsetLength, packed.count, null, null, packed);
    }
    const lengthMax = Math.max(this.bitsetLength, bitsetLength);
    const left = listDifference(this.#list!, touched, lengthMax);
    return DocSet.unionOf([DocSet.fromList(left, bitsetLength), found], bitsetLength);
  }

  #patchedBits(touched: Uint32Array, found: DocSet, bitsetLength: number): DocSet {
    const bits = TYPED_ARRAY_POOL.zeros(bitsetLength);
    if (this.#bits) bits.set(this.#bits.subarray(0, bitsetLength));
    else this.addTo(bits);
    for (let i = 0; i < touched.length; i++) clearBit(bits, touched[i]!);
    found.addTo(bits);
    return DocSet.fromBits(bits);
  }

  subtract(other: Uint32Array): DocSet {
    if (!this.#bits) return this.#filter(other, 0);
    const bits = this.#bits;
    return isForKernels(bits)
      ? DocSet.#fromKernels(bits.length, threadSetKernels().andNot(bits, other))
      : DocSet.fromBits(andNotInto(TYPED_ARRAY_POOL.copyOf(bits), other));
  }

  /** Ascending DocIds; the caller must not write to it. */
  toList(): Uint32Array {
    if (this.#list) return this.#list;
    if (this.#bits) return membersInto(this.#bits, TYPED_ARRAY_POOL.numbers(this.count));
    const docs = TYPED_ARRAY_POOL.numbers(this.count);
    this.#packed!.unpackTo(docs);
    return docs;
  }

  /** The first `limit` DocIds after skipping `offset`, ascending. */
  page(offset: number, limit: number): Uint32Array {
    if (!this.#bits) return pageOfList(this.toList(), offset, limit);
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
   * Runs `use` with the documents as bits, which it must not write to. Sets in other forms are
   * converted in `scratch`.
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
      : DocSet.fromList(TYPED_ARRAY_POOL.copyOf(kept), this.bitsetLength);
  }
}
