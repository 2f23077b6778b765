/** Pure: positions of pinned results among other results. */

interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface Placed<T> {
  readonly result: T;
  /** The requested position in the entire list. */
  readonly position: number;
}

/** A part of the unpinned results, in order. */
interface Others<T> {
  readonly results: readonly T[];
  /** Number of unpinned results before the part. */
  readonly from: number;
  readonly isEnd: boolean;
}

/**
 * Pinned results with their final positions, in ascending order. @param pinned in order of
 * precedence
 */
function slotsOf<T>(pinned: readonly Placed<T>[]): { slot: number; result: T }[] {
  /** Taken position → a later position that may be free. */
  const behind = new Map<number, number>();
  const slots = pinned.map(({ result, position }) => {
    const slot = freeFrom(position, behind);
    behind.set(slot, slot + 1);
    return { slot, result };
  });
  return slots.sort((a, b) => a.slot - b.slot);
}

/** The first free position from `position` on; shortens the paths that it follows. */
function freeFrom(position: number, behind: Map<number, number>): number {
  const passed: number[] = [];
  let slot = position;
  for (let next = behind.get(slot); next !== undefined; next = behind.get(slot)) {
    passed.push(slot);
    slot = next;
  }
  for (const place of passed) behind.set(place, slot);
  return slot;
}

/**
 * A page of the list in which each pinned result has its requested position, or the next free one;
 * positions beyond the end are appended.
 * @param pinned in order of precedence
 * @param others starting at most `pinned.length` results before the page and ending with it, or all
 */
export function pageWithPins<T>(
  pinned: readonly Placed<T>[],
  { results, from, isEnd }: Others<T>,
  { offset, limit }: Page,
): T[] {
  const otherCount = isEnd ? from + results.length : Number.POSITIVE_INFINITY;
  const places = new Map(
    slotsOf(pinned).map(({ slot, result }, i) => [Math.min(slot, otherCount + i), result]),
  );
  const page: T[] = [];
  let next = offset - [...places.keys()].filter((place) => place < offset).length - from;
  const end = Math.min(offset + limit, otherCount + pinned.length);
  for (let place = offset; place < end; place++) {
    const pin = places.get(place);
    page.push(pin ?? (results[next++] as T));
  }
  return page;
}
