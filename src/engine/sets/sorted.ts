/** Binary search in ascending numbers. */

type Sorted = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** First index whose number is ≥ `value`; the length when there is none. */
export const lowerBound = (sorted: Sorted, value: number): number =>
  lowerBoundIn(sorted, value, 0, sorted.length);

/** The same among the indexes `[start, end)`; `end` when there is none. */
export function lowerBoundIn(sorted: Sorted, value: number, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of `value`, or −1. */
export function indexOfSorted(sorted: Sorted, value: number): number {
  const place = lowerBound(sorted, value);
  return place < sorted.length && sorted[place] === value ? place : -1;
}
