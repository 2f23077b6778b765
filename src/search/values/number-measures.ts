/** Sum, mean and percentiles of the numbers of a field, each number as often as documents have it. */
import { lowerBound } from '../../engine/sets/sorted.ts';
import { forEachNumber } from './facet-counts.ts';
import type { CountedField } from './merged-values.ts';

/** Sum with compensated rounding errors (Neumaier), and number of summands. */
export function numberSum(counted: CountedField): { readonly sum: number; readonly count: number } {
  let sum = 0;
  let lost = 0;
  let total = 0;
  forEachNumber(counted, (value, count) => {
    const summand = value * count;
    const next = sum + summand;
    lost += Math.abs(sum) >= Math.abs(summand) ? sum - next + summand : summand - next + sum;
    sum = next;
    total += count;
  });
  return { sum: sum + lost, count: total };
}

/**
 * By linear interpolation between the two nearest numbers; null without numbers.
 * @param percents 0 to 100, in any order
 */
export function percentilesOf(
  counted: CountedField,
  percents: readonly number[],
): (number | null)[] {
  const values: number[] = [];
  /** Number of documents up to each value. */
  const ends: number[] = [];
  forEachNumber(counted, (value, count) => {
    values.push(value);
    ends.push((ends.at(-1) ?? 0) + count);
  });
  const total = ends.at(-1) ?? 0;
  if (total === 0) return percents.map(() => null);
  const sortedEnds = Float64Array.from(ends);
  /** The value of the document at a place in ascending order. */
  const valueAt = (place: number): number =>
    values[lowerBound(sortedEnds, place + 1)] ?? Number.NaN;
  return percents.map((percent) => {
    const place = (percent / 100) * (total - 1);
    const low = valueAt(Math.floor(place));
    const high = valueAt(Math.ceil(place));
    return low + (high - low) * (place - Math.floor(place));
  });
}
