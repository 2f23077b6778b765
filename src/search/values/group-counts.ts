/** Counts of a field's values by group, which counts once for each, and the greatest of many counts. */
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { FacetOrder } from '../../model/search.ts';
import type { MergedValues } from '../snapshot/cached-values.ts';
import {
  type CountedField,
  type FoundValue,
  foundAt,
  type Kind,
  mergedIfSeveral,
  placeReader,
} from './merged-values.ts';
import type { CountedDocuments, FacetGroups } from './segment-counts.ts';

/** Sets with fewer documents than this share of the column's values are walked. */
export const WALKED_SHARE = 1 / 16;

/** One value of a group may be in several segments. */
export function valuesByGroup<Values extends ValueSet>(
  counted: CountedField,
  kind: Kind<Values>,
  groups: FacetGroups,
  order: FacetOrder,
  limit: number,
): FoundValue[] {
  const { field, documents } = counted;
  const [first] = field.parts;
  if (first === undefined) return [];
  const merged = mergedIfSeveral(counted, kind);
  const valueCount = merged?.count ?? kind.of(first).count;
  const counts = documents.takeCounts(valueCount);
  const entryCount = field.parts.reduce((n, part) => n + kind.of(part).entryCount, 0);
  const countGroups =
    documents.docs.count < entryCount * WALKED_SHARE ? countGroupsOfDocuments : countGroupsOfValues;
  countGroups(counted, kind, groups, merged, counts);
  const places = order === 'alpha' ? firstCounted(counts, limit) : mostFrequent(counts, limit);
  return foundAt(places, counts, merged);
}

/** Walks the documents group by group. */
function countGroupsOfDocuments<Values extends ValueSet>(
  { field, documents }: CountedField,
  kind: Kind<Values>,
  groups: FacetGroups,
  merged: MergedValues | null,
  counts: Uint32Array,
): void {
  /** By value, the last group that was counted for it. */
  const lastGroups = documents.takeCounts(counts.length);
  let group = 1;
  const read = placeReader(field, kind, merged, (place) => {
    if (lastGroups[place] === group) return;
    lastGroups[place] = group;
    counts[place]!++;
  });
  const readChecked = (doc: number): void => {
    documents.check();
    read(doc);
  };
  forEachGroup(documents, groups, readChecked, () => group++);
}

/** Walks the documents of each value: cheaper for large sets, since it reads in sequence. */
function countGroupsOfValues<Values extends ValueSet>(
  { field, documents }: CountedField,
  kind: Kind<Values>,
  groups: FacetGroups,
  merged: MergedValues | null,
  counts: Uint32Array,
): void {
  /** By group, the last value that it was counted for, from 1. */
  const lastValues = documents.takeCounts(groups.count + 1);
  const walks = field.parts.map((part, p) => ({
    values: kind.of(part),
    docs: documents.bitsWithout(part.dead),
    places: merged?.places[p],
    next: 0,
  }));
  const countOf = (values: Values, ordinal: number, docs: Uint32Array, value: number): number => {
    let count = 0;
    const end = values.firstEntry(ordinal + 1);
    for (let entry = values.firstEntry(ordinal); entry < end; entry++) {
      documents.check();
      const doc = values.documentAt(entry);
      if (!hasBit(docs, doc)) continue;
      const group = groups.groupOf[doc]!;
      if (lastValues[group] === value) continue;
      lastValues[group] = value;
      count++;
    }
    return count;
  };
  for (let place = 0; place < counts.length; place++) {
    for (const walk of walks) {
      const { values, docs, places, next } = walk;
      if (next === values.count || (places !== undefined && places[next] !== place)) continue;
      counts[place]! += countOf(values, next, docs, place + 1);
      walk.next = next + 1;
    }
  }
}

/** The first `limit` places with a count. */
function firstCounted(counts: Uint32Array, limit: number): number[] {
  const places: number[] = [];
  for (let place = 0; place < counts.length && places.length < limit; place++)
    if (counts[place]! > 0) places.push(place);
  return places;
}

export function forEachGroup(
  documents: CountedDocuments,
  groups: FacetGroups,
  visit: (doc: number) => void,
  onEnd: () => void,
): void {
  const list = documents.listByGroup;
  for (let i = 0; i < list.length; i++) {
    visit(list[i]!);
    if (groups.groupOf[list[i]!] !== groups.groupOf[list[i + 1]!]) onEnd();
  }
}

/**
 * Places of the `limit` greatest counts above zero, by decreasing count; equal counts by decreasing
 * place.
 */
export function mostFrequent(counts: Uint32Array, limit: number): number[] {
  const { least, ties } = leastWanted(counts, limit);
  const places: number[] = [];
  let tiesLeft = ties;
  for (let i = counts.length - 1; i >= 0; i--) {
    const count = counts[i]!;
    if (count > least || (count === least && count > 0 && tiesLeft-- > 0)) places.push(i);
  }
  return places.sort((a, b) => counts[b]! - counts[a]! || b - a);
}

/** The least of the `limit` greatest counts, and how many of these counts are equal to it. */
function leastWanted(counts: Uint32Array, limit: number): { least: number; ties: number } {
  if (limit >= counts.length) return { least: 0, ties: 0 };
  let max = 0;
  for (let i = 0; i < counts.length; i++) if (counts[i]! > max) max = counts[i]!;
  const having = new Uint32Array(max + 1);
  for (let i = 0; i < counts.length; i++) having[counts[i]!]!++;
  let ties = limit;
  let least = max;
  for (; least > 0 && having[least]! < ties; least--) ties -= having[least]!;
  return { least, ties };
}
