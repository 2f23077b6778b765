/**
 * The order in which values of equal counts come in a small set of documents (relevance.md 5.7):
 * all values of the field are leaves of a tree of groups of four, and the greatest count is taken
 * first, be it of a value or of a group, whose members then take its place.
 */
import { MinHeap } from '../../engine/columns/min-heap.ts';

const GROUP_SHIFT = 2;
/** A level with fewer groups is not made. */
const LEVEL_SIZE_MIN = 5;
/** Fewer values than this have one level of groups. */
const DEEP_MIN = 1000;

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
  valueCount: number,
  limit: number,
): { place: number; count: number }[] {
  const levels = Array.from({ length: topLevel(valueCount) + 1 }, (_, level) =>
    countGroups(documents, valueCount, level),
  );
  const heap = new MinHeap();
  const push = (level: number, group: number): void => {
    const count = levels[level]![group] ?? 0;
    if (count === 0) return;
    const before = (documents.ends.length - count) * levels.length + level;
    heap.push(
      before * (valueCount + 1) + valueCount - (group << (GROUP_SHIFT * level)),
      level,
      group,
    );
  };
  const top = levels.length - 1;
  for (let group = 0; group < levels[top]!.length; group++) push(top, group);
  const ordered: { place: number; count: number }[] = [];
  while (heap.size > 0 && ordered.length < limit) {
    const { tag: level, value: group } = heap;
    heap.drop();
    if (level === 0) ordered.push({ place: group, count: levels[0]![group]! });
    else
      for (let member = 0; member < 1 << GROUP_SHIFT; member++)
        push(level - 1, (group << GROUP_SHIFT) + member);
  }
  return ordered;
}

const levelSize = (valueCount: number, level: number): number => Math.ceil(valueCount / 4 ** level);

function topLevel(valueCount: number): number {
  if (valueCount < DEEP_MIN) return valueCount >= LEVEL_SIZE_MIN << GROUP_SHIFT ? 1 : 0;
  let level = 0;
  while (levelSize(valueCount, level + 1) >= LEVEL_SIZE_MIN) level++;
  return level;
}

/** Documents that have a value of each group of a level. */
function countGroups(
  { places, ends }: DocumentPlaces,
  valueCount: number,
  level: number,
): Uint32Array {
  const counts = new Uint32Array(levelSize(valueCount, level));
  const shift = GROUP_SHIFT * level;
  let at = 0;
  for (const end of ends) {
    for (let before = -1; at < end; at++) {
      const group = places[at]! >>> shift;
      if (group === before) continue;
      counts[group]!++;
      before = group;
    }
  }
  return counts;
}
