/** Binary search in ascending numbers. */

type Sorted = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** First place whose number is ≥ `value`; the length when there is none. */
export function lowerBound(sorted: Sorted, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Place of `value`, or −1. */
export function indexOfSorted(sorted: Sorted, value: number): number {
  const place = lowerBound(sorted, value);
  return place < sorted.length && sorted[place] === value ? place : -1;
}
