/**
 * Order of values with equal counts in a small set of documents (relevance.md 5.7): a walk of the
 * tree of the field's values takes the value or group with the greatest count first, and replaces a
 * group by its members.
 */
import { MinHeap } from '../../engine/columns/min-heap.ts';
import type { ValueTree } from '../snapshot/cached-values.ts';

/**
 * Places of the documents' values among all values of the field, document by document, ascending
 * within a document.
 */
export interface DocumentPlaces {
  readonly places: readonly number[];
  /** End of the places of each document. */
  readonly ends: readonly number[];
}

/** The first `limit` values of the documents, by their places among all values. */
export function firstByCount(
  documents: DocumentPlaces,
  { valueCount, levels }: ValueTree,
  limit: number,
): { place: number; count: number }[] {
  // Level 0 is the level of the values.
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

/** Number of documents that have a value of each group of a level. */
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
