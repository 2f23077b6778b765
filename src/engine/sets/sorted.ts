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

/**
 * The same from `start` on. Its cost grows with the logarithm of the distance from `guess`, so for
 * ascending values each search starts at the result of the one before.
 */
export function lowerBoundFrom(
  sorted: Sorted,
  value: number,
  start: number,
  guess = start,
): number {
  let step = 1;
  if (guess < sorted.length && sorted[guess]! < value) {
    let low = guess + 1;
    while (low + step <= sorted.length && sorted[low + step - 1]! < value) {
      low += step;
      step *= 2;
    }
    return lowerBoundIn(sorted, value, low, Math.min(low + step - 1, sorted.length));
  }
  let high = Math.min(guess, sorted.length);
  while (high - step >= start && sorted[high - step]! >= value) {
    high -= step;
    step *= 2;
  }
  return lowerBoundIn(sorted, value, Math.max(start, high - step + 1), high);
}

/** Index of `value`, or −1. */
export function indexOfSorted(sorted: Sorted, value: number): number {
  const place = lowerBound(sorted, value);
  return place < sorted.length && sorted[place] === value ? place : -1;
}
