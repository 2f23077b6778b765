/** Binary search in a range of whole numbers. */

/**
 * The first number of `[start, end)` that is not before; `end` if all are.
 * @param isBefore true up to some number, false from there on
 */
export function partitionPoint(
  start: number,
  end: number,
  isBefore: (number: number) => boolean,
): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
