/** Counts the documents of a set per value in one segment's column, with three methods. */

import { Deadline } from '../../core/deadline.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import { andNotInto, hasBit } from '../../engine/sets/bitset.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';

const COUNTS_BETWEEN_CHECKS = 1024;

/** Groups of documents; each counts once for a value, however many of its documents have it. */
export interface FacetGroups {
  /** By document: the number of its group, from 1. */
  readonly groupOf: Uint32Array;
  readonly count: number;
}

/**
 * One set of documents in the forms that counting needs, and scratch arrays for counts, reused for
 * all fields.
 */
export class CountedDocuments {
  readonly docs: DocSet;
  /** null = each document is counted. */
  readonly groups: FacetGroups | null;
  readonly #bits: Uint32Array;
  readonly #living = new Map<Uint32Array, Uint32Array>();
  readonly #outside = new Map<Uint32Array, Uint32Array>();
  #list: Uint32Array | null = null;
  #listByGroup: Uint32Array | null = null;
  readonly #taken: Uint32Array[] = [];
  /** All zero between uses. */
  #tally = new Uint32Array(1024);
  /** Called for each counted value or document. Throws `WorkStopped` at the end of the request. */
  readonly check: () => void;

  constructor(docs: DocSet, deadline = Deadline.never(), groups: FacetGroups | null = null) {
    this.docs = docs;
    this.groups = groups;
    this.#bits = docs.toBits();
    this.check = deadline.checkOnceIn(COUNTS_BETWEEN_CHECKS);
  }

  get list(): Uint32Array {
    this.#list ??= this.docs.toList();
    return this.#list;
  }

  /** The documents group by group, for small sets; as `list` without groups. */
  get listByGroup(): Uint32Array {
    if (this.groups === null) return this.list;
    const { groupOf } = this.groups;
    // The conversion of the sorted keys takes the lower 32 bits.
    this.#listByGroup ??= Uint32Array.from(
      Float64Array.from(this.list, (doc) => groupOf[doc]! * 2 ** 32 + doc).sort(),
    );
    return this.#listByGroup;
  }

  /** The documents without `dead`. */
  bitsWithout(dead: Uint32Array | null): Uint32Array {
    if (dead === null) return this.#bits;
    return getOrCompute(this.#living, dead, () =>
      andNotInto(TYPED_ARRAY_POOL.copyOf(this.#bits), dead),
    );
  }

  /** The complement of `bitsWithout(dead)`. */
  bitsOutside(dead: Uint32Array | null): Uint32Array {
    const inside = this.bitsWithout(dead);
    return getOrCompute(this.#outside, inside, () => {
      const outside = TYPED_ARRAY_POOL.numbers(inside.length);
      for (let i = 0; i < inside.length; i++) outside[i] = ~inside[i]!;
      return outside;
    });
  }

  /** Zeros, valid until `freeCounts`. */
  takeCounts(length: number): Uint32Array {
    const counts = TYPED_ARRAY_POOL.zeros(length);
    this.#taken.push(counts);
    return counts;
  }

  freeCounts(): void {
    for (const counts of this.#taken.splice(0)) TYPED_ARRAY_POOL.release(counts);
  }

  /** Zeros; the caller restores the zeros. */
  tally(length: number): Uint32Array {
    if (this.#tally.length < length) this.#tally = new Uint32Array(length * 2);
    return this.#tally;
  }
}

/** Slots by ascending ordinal; the count of a slot may be 0. */
export class SegmentCounts<Values extends ValueSet> {
  readonly values: Values;
  /** By slot; null = each value is counted at its access. */
  readonly counts: Uint32Array | null;
  /** By slot; null = all ordinals. */
  readonly ordinals: Uint32Array | null;
  readonly slotCount: number;
  readonly #countOf: (ordinal: number) => number;

  constructor(
    values: Values,
    ordinals: Uint32Array | null,
    counts: Uint32Array | ((ordinal: number) => number),
  ) {
    this.values = values;
    this.ordinals = ordinals;
    this.counts = typeof counts === 'function' ? null : counts;
    this.slotCount = ordinals === null ? values.count : ordinals.length;
    this.#countOf = typeof counts === 'function' ? counts : () => 0;
  }

  ordinalAt(slot: number): number {
    return this.ordinals === null ? slot : this.ordinals[slot]!;
  }

  countAt(slot: number): number {
    return this.counts === null ? this.#countOf(this.ordinalAt(slot)) : this.counts[slot]!;
  }
}

/** For the first few of many values, and for selected values. @param ordinals ascending; null = all */
export function countAtAccess<Values extends ValueSet>(
  values: Values,
  dead: Uint32Array | null,
  documents: CountedDocuments,
  ordinals: Uint32Array | null,
): SegmentCounts<Values> {
  const docs = documents.bitsWithout(dead);
  return new SegmentCounts(values, ordinals, (ordinal) => {
    documents.check();
    return values.countOf(ordinal, docs);
  });
}

/**
 * Counts all values in one pass.
 * @param isMost true if the set holds most of all documents: counting the complement is cheaper
 */
export function countAllValues<Values extends ValueSet>(
  values: Values,
  dead: Uint32Array | null,
  documents: CountedDocuments,
  isMost: boolean,
): SegmentCounts<Values> {
  const counts = documents.takeCounts(values.count);
  values.countInto(isMost ? documents.bitsOutside(dead) : documents.bitsWithout(dead), counts);
  if (isMost)
    for (let i = 0; i < counts.length; i++) counts[i] = values.documentFrequency(i) - counts[i]!;
  return new SegmentCounts(values, null, counts);
}

/** Walks the documents of a small set. */
export function countByDocument<Values extends ValueSet>(
  values: Values,
  dead: Uint32Array | null,
  documents: CountedDocuments,
): SegmentCounts<Values> {
  const tally = documents.tally(values.count);
  const met: number[] = [];
  const add = (ordinal: number): void => {
    if (tally[ordinal]!++ === 0) met.push(ordinal);
  };
  const { list } = documents;
  for (let i = 0; i < list.length; i++) {
    documents.check();
    if (dead === null || !hasBit(dead, list[i]!)) values.forEachOf(list[i]!, add);
  }
  const ordinals = Uint32Array.from(met).sort();
  const counts = ordinals.map((ordinal) => tally[ordinal]!);
  for (const ordinal of met) tally[ordinal] = 0;
  return new SegmentCounts(values, ordinals, counts);
}
