/**
 * The order in which values of equal counts come in a small set of documents (relevance.md 5.7): in
 * the tree of the field's values the greatest count is taken first, be it of a value or of a group,
 * whose members then take its place.
 */
import { MinHeap } from '../../engine/columns/min-heap.ts';
import type { ValueTree } from '../snapshot/kept-values.ts';

/**
 * Places of the documents' values among all values of the field, document after document, ascending
 * in each.
 */
export interface DocumentPlaces {
  readonly places: readonly number[];
  /** Where the places of each document end. */
  readonly ends: readonly number[];
}

/** The first `limit` of the values that the documents have, by their places among all. */
export function firstByCount(
  documents: DocumentPlaces,
  { valueCount, levels }: ValueTree,
  limit: number,
): { place: number; count: number }[] {
  // Level 0 is that of the values themselves.
  const groupsOf = [null, ...levels];
  const counts = groupsOf.map((level) => countGroups(documents, valueCount, level?.groupOf));
  const firstPlace = (level: number, group: number): number =>
    groupsOf[level]?.starts[group] ?? (level === 0 ? group : valueCount);
  const groupAt = (level: number, place: number): number => {
    if (place >= valueCount) return counts[level]!.length;
    return groupsOf[level]?.groupOf[place] ?? place;
  };
  const heap = new MinHeap();
  const push = (level: number, group: number): void => {
    const count = counts[level]![group]!;
    if (count === 0) return;
    const before = (documents.ends.length - count) * groupsOf.length + level;
    heap.push(before * (valueCount + 1) + valueCount - firstPlace(level, group), level, group);
  };
  const top = levels.length;
  for (let group = 0; group < counts[top]!.length; group++) push(top, group);
  const ordered: { place: number; count: number }[] = [];
  while (heap.size > 0 && ordered.length < limit) {
    const { tag: level, value: group } = heap;
    heap.drop();
    if (level === 0) ordered.push({ place: group, count: counts[0]![group]! });
    else {
      const end = groupAt(level - 1, firstPlace(level, group + 1));
      for (let member = groupAt(level - 1, firstPlace(level, group)); member < end; member++)
        push(level - 1, member);
    }
  }
  return ordered;
}

/** Documents that have a value of each group of a level. */
function countGroups(
  { places, ends }: DocumentPlaces,
  valueCount: number,
  groupOf: Uint32Array | undefined,
): Uint32Array {
  const counts = new Uint32Array(groupOf === undefined ? valueCount : groupOf.at(-1)! + 1);
  let at = 0;
  for (const end of ends) {
    for (let before = -1; at < end; at++) {
      const group = groupOf === undefined ? places[at]! : groupOf[places[at]!]!;
      if (group === before) continue;
      counts[group]!++;
      before = group;
    }
  }
  return counts;
}
