/**
 * Values of a field in the documents of a set, over all segments: the least ones, or the most
 * frequent ones.
 */
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import { indexOfSorted } from '../../engine/sets/sorted.ts';
import type { FacetOrder } from '../../model/search.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { MergedValues, ValueTree } from '../snapshot/cached-values.ts';
import type { FieldPart, FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { batchesOf } from './arrived-values.ts';
import { firstByCount } from './count-ties.ts';
import { mostFrequent } from './greatest-counts.ts';
import { forEachGroup, valuesByGroup, WALKED_SHARE } from './group-counts.ts';
import {
  type Compare,
  type CountedField,
  type FoundValue,
  type Kind,
  leastHeads,
  mergedIfSeveral,
  mergedValues,
  NUMBERS,
  ordinalsAt,
  placeReader,
  RunHead,
  STRINGS,
} from './merged-values.ts';
import {
  type CountedDocuments,
  DenseCounts,
  LazyCounts,
  type SegmentCounts,
  SparseCounts,
} from './segment-counts.ts';
import { growTree } from './value-tree.ts';

/** Requested ordinals for each part of the field, ascending. */
export type WantedOrdinals = readonly Uint32Array[];

/** Sets up to this size are walked document by document. */
const WALKED_MAX = 500;
/** From this number of values on, counting only the first ones by their postings is cheaper. */
const LAZY_MIN = 1024;

/**
 * Up to this number of documents, and of values of the field, values with equal counts have the
 * order of the tree.
 */
const TREE_ORDER_MAX = { documents: 5000, values: 65_536 } as const;

/**
 * At most `limit` values, first in `order`. Alphabetic order is ascending; equal counts are in
 * descending order of value.
 */
export const findNumbers = (
  counted: CountedField,
  order: FacetOrder,
  limit: number,
): FoundValue[] => findByTree(counted, NUMBERS, order, limit);

export const findStrings = (
  counted: CountedField,
  order: FacetOrder,
  limit: number,
): FoundValue[] => findByTree(counted, STRINGS, order, limit);

/** As `findStrings`, but equal counts are in descending order of value however few they are. */
export const findStringsByValue = (
  counted: CountedField,
  order: FacetOrder,
  limit: number,
  wanted: WantedOrdinals | null = null,
): FoundValue[] => find(counted, STRINGS, order, limit, wanted);

const findByTree = <Values extends ValueSet>(
  counted: CountedField,
  kind: Kind<Values>,
  order: FacetOrder,
  limit: number,
): FoundValue[] =>
  isTreeOrdered(counted, kind, order)
    ? mostFrequentByTree(counted, kind, limit)
    : find(counted, kind, order, limit, null);

function find<Values extends ValueSet>(
  counted: CountedField,
  kind: Kind<Values>,
  order: FacetOrder,
  limit: number,
  wanted: WantedOrdinals | null,
): FoundValue[] {
  return counted.documents.groups === null
    ? new ValueCounter(counted, kind, wanted, order).find(order, limit)
    : valuesByGroup(counted, kind, counted.documents.groups, order, limit);
}

export function numberOf({ parts }: FieldValues, { ordinals }: FoundValue): number {
  const part = ordinals.findIndex((ordinal) => ordinal >= 0);
  return parts[part]!.column.numbers.valueAt(ordinals[part]!);
}

/** Spelling of the value in the lowest-numbered of `documents` that has it. */
export function spellingOf(
  { parts }: FieldValues,
  { ordinals }: FoundValue,
  documents: CountedDocuments,
): string {
  documents.check();
  let spelling = '';
  let lowest = Number.POSITIVE_INFINITY;
  parts.forEach(({ column: { strings }, dead }, p) => {
    const ordinal = ordinals[p]!;
    if (ordinal < 0 || strings.documentAt(strings.firstEntry(ordinal)) >= lowest) return;
    const doc = strings.firstOf(ordinal, documents.bitsWithout(dead));
    if (doc < 0 || doc >= lowest) return;
    lowest = doc;
    spelling = strings.spellingOf(doc, ordinal);
  });
  return spelling;
}

/** Least and greatest number of the documents, or null. */
export function numberRange(
  { parts }: FieldValues,
  documents: CountedDocuments,
): { min: number; max: number } | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const { column, dead } of parts) {
    const { numbers } = column;
    const docs = documents.bitsWithout(dead);
    let low = 0;
    while (low < numbers.count && numbers.firstOf(low, docs) < 0) low++;
    if (low === numbers.count) continue;
    let high = numbers.count - 1;
    while (numbers.firstOf(high, docs) < 0) high--;
    min = Math.min(min, numbers.valueAt(low));
    max = Math.max(max, numbers.valueAt(high));
  }
  return min > max ? null : { min, max };
}

const isTreeOrdered = <Values extends ValueSet>(
  { documents, field }: CountedField,
  kind: Kind<Values>,
  order: FacetOrder,
): boolean =>
  order === 'count' &&
  documents.docs.count <= TREE_ORDER_MAX.documents &&
  field.parts.reduce((n, part) => n + kind.of(part).count, 0) <= TREE_ORDER_MAX.values;

function mostFrequentByTree<Values extends ValueSet>(
  counted: CountedField,
  kind: Kind<Values>,
  limit: number,
): FoundValue[] {
  const { snapshot, field, documents } = counted;
  if (field.parts.length === 0) return [];
  const merged = mergedIfSeveral(counted, kind);
  const places: number[] = [];
  const ends: number[] = [];
  if (documents.groups === null) {
    const read = placeReader(field, kind, merged, (place) => places.push(place));
    for (const doc of documents.list) {
      read(doc);
      ends.push(places.length);
    }
  } else {
    const own = new Set<number>();
    const read = placeReader(field, kind, merged, (place) => own.add(place));
    forEachGroup(documents, documents.groups, read, () => {
      for (const place of Uint32Array.from(own).sort()) places.push(place);
      ends.push(places.length);
      own.clear();
    });
  }
  const tree = valueTree(snapshot, field, kind, merged);
  return firstByCount({ places, ends }, tree, limit).map(({ place, count }) => ({
    count,
    ordinals: ordinalsAt(place, merged),
  }));
}

const valueTree = <Values extends ValueSet>(
  { kept, manifest }: IndexSnapshot,
  { parts, path }: FieldValues,
  kind: Kind<Values>,
  merged: MergedValues | null,
): ValueTree =>
  kept.getOrMake(CACHE_KINDS.valueTree, { kind: kind.name, path }, () => {
    const arrived = parts.map((part, p) => ({
      values: kind.of(part),
      places: merged?.places[p] ?? null,
    }));
    const count = merged?.count ?? arrived[0]?.values.count ?? 0;
    return growTree(batchesOf(arrived, count, manifest.arrivals));
  });

/** Calls `visit` with each number, ascending, and the number of documents that have it. */
export function forEachNumber(
  counted: CountedField,
  visit: (value: number, count: number) => void,
): void {
  const { runs } = new ValueCounter(counted, NUMBERS, null, 'count');
  const heads = runs.map((run) => new RunHead(run));
  for (
    let least = leastHeads(heads, NUMBERS.compare);
    least.length > 0;
    least = leastHeads(heads, NUMBERS.compare)
  ) {
    counted.documents.check();
    const { run, ordinal } = heads[least[0]!]!;
    let count = 0;
    for (const h of least) {
      count += heads[h]!.count;
      heads[h]!.advance();
    }
    visit(run.values.valueAt(ordinal), count);
  }
}

/** Number of distinct values. */
export const countValues = (counted: CountedField): number =>
  new ValueCounter(counted, NUMBERS, null, 'count').countDistinct() +
  new ValueCounter(counted, STRINGS, null, 'count').countDistinct();

class ValueCounter<Values extends ValueSet> {
  readonly #counted: CountedField;
  readonly #kind: Kind<Values>;
  readonly runs: readonly SegmentCounts<Values>[];

  constructor(
    counted: CountedField,
    kind: Kind<Values>,
    wanted: WantedOrdinals | null,
    order: FacetOrder,
  ) {
    this.#counted = counted;
    this.#kind = kind;
    const { parts } = counted.field;
    const valueCount = parts.reduce((n, part) => n + kind.of(part).count, 0);
    this.runs = parts.map((part, p) =>
      countRun(counted, part, kind.of(part), wanted?.[p] ?? null, { order, valueCount }),
    );
  }

  find(order: FacetOrder, limit: number): FoundValue[] {
    const { check } = this.#counted.documents;
    if (order === 'alpha') return leastValues(this.runs, this.#kind.compare, limit, check);
    if (this.runs.length > 0 && this.runs.every((run) => run instanceof DenseCounts)) {
      return this.#mostFrequent(this.runs as readonly DenseCounts<Values>[], limit);
    }
    const all = leastValues(this.runs, this.#kind.compare, Number.POSITIVE_INFINITY, check);
    return mostFrequent(
      Uint32Array.from(all, ({ count }) => count),
      limit,
    ).map((i) => all[i]!);
  }

  countDistinct(): number {
    const { check } = this.#counted.documents;
    const merged = mergedIfSeveral(this.#counted, this.#kind);
    const seen = new Uint8Array(merged?.count ?? this.runs[0]?.values.count ?? 0);
    let count = 0;
    this.runs.forEach((run, r) => {
      const places = merged?.places[r];
      for (let slot = 0; slot < run.slotCount; slot++) {
        check();
        if (run.countAt(slot) === 0) continue;
        const ordinal = run.ordinalAt(slot);
        const place = places?.[ordinal] ?? ordinal;
        count += 1 - (seen[place] ?? 0);
        seen[place] = 1;
      }
    });
    return count;
  }

  #mostFrequent(runs: readonly DenseCounts<Values>[], limit: number): FoundValue[] {
    if (runs.length === 1) {
      const { counts } = runs[0]!;
      return mostFrequent(counts, limit).map((ordinal) => ({
        count: counts[ordinal]!,
        ordinals: [ordinal],
      }));
    }
    const { count, places } = mergedValues(this.#counted, this.#kind);
    const counts = this.#counted.documents.takeCounts(count);
    runs.forEach((run, r) => {
      const own = places[r]!;
      for (let i = 0; i < own.length; i++) counts[own[i]!]! += run.counts[i]!;
    });
    return mostFrequent(counts, limit).map((value) => ({
      count: counts[value]!,
      ordinals: places.map((own, r) => {
        const ordinal = indexOfSorted(own, value);
        return ordinal >= 0 && runs[r]!.counts[ordinal]! > 0 ? ordinal : -1;
      }),
    }));
  }
}

function countRun<Values extends ValueSet>(
  { documents, snapshot }: CountedField,
  { dead }: FieldPart,
  values: Values,
  wanted: Uint32Array | null,
  { order, valueCount }: { readonly order: FacetOrder; readonly valueCount: number },
): SegmentCounts<Values> {
  if (wanted !== null) return new LazyCounts(values, dead, documents, wanted);
  const { count } = documents.docs;
  if (count <= WALKED_MAX || count < valueCount * WALKED_SHARE)
    return new SparseCounts(values, dead, documents);
  if (order === 'alpha' && valueCount >= LAZY_MIN)
    return new LazyCounts(values, dead, documents, null);
  return new DenseCounts(values, dead, documents, count > snapshot.live.count / 2);
}

/** Merges the runs, from the least value on. */
function leastValues<Values extends ValueSet>(
  runs: readonly SegmentCounts<Values>[],
  compare: Compare<Values>,
  limit: number,
  check: () => void,
): FoundValue[] {
  const heads = runs.map((run) => new RunHead(run));
  const found: FoundValue[] = [];
  while (found.length < limit) {
    check();
    const least = leastHeads(heads, compare);
    if (least.length === 0) break;
    const ordinals: number[] = heads.map(() => -1);
    let count = 0;
    for (const h of least) {
      const head = heads[h]!;
      ordinals[h] = head.ordinal;
      count += head.count;
      head.advance();
    }
    found.push({ count, ordinals });
  }
  return found;
}
