/** Where pinned results stand among the others. Pure. */

/** First result and number of results of a page. */
interface Page {
  readonly offset: number;
  readonly limit: number;
}

export interface Placed<T> {
  readonly result: T;
  /** The place that it asks for, in the whole list. */
  readonly position: number;
}

/** A part of the results that are not pinned, in their order. */
export interface Others<T> {
  readonly results: readonly T[];
  /** How many come before the part. */
  readonly from: number;
  /** Nothing comes behind it. */
  readonly isEnd: boolean;
}

/** Pinned results with places of their own, by place. @param pinned those that win first */
function slotsOf<T>(pinned: readonly Placed<T>[]): { slot: number; result: T }[] {
  /** Of a place that is taken one behind it, which may be taken in turn. */
  const behind = new Map<number, number>();
  const slots = pinned.map(({ result, position }) => {
    const slot = freeFrom(position, behind);
    behind.set(slot, slot + 1);
    return { slot, result };
  });
  return slots.sort((a, b) => a.slot - b.slot);
}

/** The first free place from one on; what it passes is passed at once the next time. */
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
 * A page of the list in which each pinned result has the place it asks for, or the next one that no
 * other has; what would stand behind the end of the list ends it.
 * @param pinned those that win first
 * @param others from at most `pinned.length` results before the page to its end, or all there are
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
