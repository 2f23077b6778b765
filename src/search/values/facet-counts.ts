/**
 * Values of a field in the documents of a set, over all segments: the least ones, or the most
 * frequent ones.
 */
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import type { FacetOrder } from '../../model/search.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { MergedValues, ValueTree } from '../snapshot/cached-values.ts';
import type { FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { firstByCount } from './count-ties.ts';
import { forEachGroup, mostFrequent, valuesByGroup, WALKED_SHARE } from './group-counts.ts';
import {
  type Compare,
  type CountedField,
  type FoundValue,
  foundAt,
  type Kind,
  mergedIfSeveral,
  mergeRuns,
  NUMBERS,
  ordinalsAt,
  placeReader,
  STRINGS,
} from './merged-values.ts';
import {
  type CountedDocuments,
  countAllValues,
  countAtAccess,
  countByDocument,
  type SegmentCounts,
} from './segment-counts.ts';
import { batchesOf, growTree } from './value-tree.ts';

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
 * At most `limit` values, first in `order`. Alphabetic order is ascending; equal counts are in the
 * order of the tree, in large sets in descending order of value.
 */
export const findValues = <Values extends ValueSet>(
  counted: CountedField,
  kind: Kind<Values>,
  order: FacetOrder,
  limit: number,
): FoundValue[] =>
  isTreeOrdered(counted, kind, order)
    ? mostFrequentByTree(counted, kind, limit)
    : findByValue(counted, kind, order, limit);

/**
 * As `findValues`, but equal counts are in descending order of value however few they are.
 * @param wanted ordinals for each part of the field, ascending; null = all
 */
export function findByValue<Values extends ValueSet>(
  counted: CountedField,
  kind: Kind<Values>,
  order: FacetOrder,
  limit: number,
  wanted: readonly Uint32Array[] | null = null,
): FoundValue[] {
  const { groups, check } = counted.documents;
  if (groups !== null) return valuesByGroup(counted, kind, groups, order, limit);
  const runs = countRuns(counted, kind, order, wanted);
  if (order === 'alpha') return leastValues(runs, kind.compare, limit, check);
  if (runs.length > 0 && runs.every(({ counts, ordinals }) => counts && ordinals === null))
    return mostFrequentOfAll(
      counted,
      kind,
      runs.map(({ counts }) => counts!),
      limit,
    );
  const all = leastValues(runs, kind.compare, Number.POSITIVE_INFINITY, check);
  const counts = Uint32Array.from(all, ({ count }) => count);
  return mostFrequent(counts, limit).map((i) => all[i]!);
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
  { queryCache, manifest }: IndexSnapshot,
  { parts, path }: FieldValues,
  kind: Kind<Values>,
  merged: MergedValues | null,
): ValueTree =>
  queryCache.getOrMake(CACHE_KINDS.valueTree, { kind: kind.name, path }, () => {
    const arrived = parts.map((part, p) => ({
      values: kind.of(part),
      places: merged?.places[p] ?? null,
    }));
    const count = merged?.count ?? arrived[0]?.values.count ?? 0;
    return growTree(batchesOf(arrived, count, manifest.batchEndDocIds));
  });

/** Calls `visit` with each number, ascending, and the number of documents that have it. */
export function forEachNumber(
  counted: CountedField,
  visit: (value: number, count: number) => void,
): void {
  const runs = countRuns(counted, NUMBERS, 'count', null);
  mergeRuns(runs, NUMBERS.compare, counted.documents.check, (heads, least) => {
    const { run, ordinal } = heads[least[0]!]!;
    let count = 0;
    for (const h of least) count += heads[h]!.count;
    visit(run.values.valueAt(ordinal), count);
    return true;
  });
}

/** Number of distinct values. */
export const countValues = (counted: CountedField): number =>
  countDistinct(counted, NUMBERS) + countDistinct(counted, STRINGS);

function countDistinct<Values extends ValueSet>(counted: CountedField, kind: Kind<Values>): number {
  const runs = countRuns(counted, kind, 'count', null);
  const { check } = counted.documents;
  const merged = mergedIfSeveral(counted, kind);
  const seen = new Uint8Array(merged?.count ?? runs[0]?.values.count ?? 0);
  let count = 0;
  runs.forEach((run, r) => {
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

/** Counts the values of each part of the field. */
function countRuns<Values extends ValueSet>(
  { snapshot, field: { parts }, documents }: CountedField,
  kind: Kind<Values>,
  order: FacetOrder,
  wanted: readonly Uint32Array[] | null,
): SegmentCounts<Values>[] {
  const { count } = documents.docs;
  const valueCount = parts.reduce((n, part) => n + kind.of(part).count, 0);
  return parts.map((part, p) => {
    const values = kind.of(part);
    const { dead } = part;
    if (wanted !== null) return countAtAccess(values, dead, documents, wanted[p]!);
    if (count <= WALKED_MAX || count < valueCount * WALKED_SHARE)
      return countByDocument(values, dead, documents);
    if (order === 'alpha' && valueCount >= LAZY_MIN)
      return countAtAccess(values, dead, documents, null);
    return countAllValues(values, dead, documents, count > snapshot.live.count / 2);
  });
}

/** @param countsOfAll for each part the counts by ordinal */
function mostFrequentOfAll<Values extends ValueSet>(
  counted: CountedField,
  kind: Kind<Values>,
  countsOfAll: readonly Uint32Array[],
  limit: number,
): FoundValue[] {
  const merged = mergedIfSeveral(counted, kind);
  if (merged === null) return foundAt(mostFrequent(countsOfAll[0]!, limit), countsOfAll[0]!, null);
  const counts = counted.documents.takeCounts(merged.count);
  countsOfAll.forEach((own, p) => {
    const places = merged.places[p]!;
    for (let i = 0; i < own.length; i++) counts[places[i]!]! += own[i]!;
  });
  const has = (p: number, ordinal: number): boolean => (countsOfAll[p]![ordinal] ?? 0) > 0;
  return mostFrequent(counts, limit).map((place) => ({
    count: counts[place]!,
    ordinals: ordinalsAt(place, merged).map((ordinal, p) => (has(p, ordinal) ? ordinal : -1)),
  }));
}

/** Merges the runs, from the least value on. */
function leastValues<Values extends ValueSet>(
  runs: readonly SegmentCounts<Values>[],
  compare: Compare<Values>,
  limit: number,
  check: () => void,
): FoundValue[] {
  const found: FoundValue[] = [];
  if (limit === 0) return found;
  mergeRuns(runs, compare, check, (heads, least) => {
    const ordinals: number[] = heads.map(() => -1);
    let count = 0;
    for (const h of least) {
      ordinals[h] = heads[h]!.ordinal;
      count += heads[h]!.count;
    }
    found.push({ count, ordinals });
    return found.length < limit;
  });
  return found;
}
