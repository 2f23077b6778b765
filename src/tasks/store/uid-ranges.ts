/** Compact lists of uids: the first and last uid of each run. */
import { partitionPoint } from '../../core/partition-point.ts';

/** Ascending numbers as [first, last, first, last, …] of their runs. */
export function toRanges(uids: readonly number[]): number[] {
  const ranges: number[] = [];
  for (const uid of uids) {
    if (ranges.length > 0 && ranges[ranges.length - 1] === uid - 1) ranges[ranges.length - 1] = uid;
    else ranges.push(uid, uid);
  }
  return ranges;
}

/** True if `ranges` contains the number; O(log ranges). */
export function rangesInclude(ranges: readonly number[], uid: number): boolean {
  const at = partitionPoint(0, ranges.length / 2, (range) => (ranges[range * 2 + 1] ?? 0) < uid);
  return at * 2 < ranges.length && (ranges[at * 2] ?? 0) <= uid;
}

/** The numbers that `toRanges` was given. */
export function uidsOf(ranges: readonly number[]): number[] {
  const uids: number[] = [];
  for (let i = 0; i < ranges.length; i += 2)
    for (let uid = ranges[i] ?? 0; uid <= (ranges[i + 1] ?? -1); uid++) uids.push(uid);
  return uids;
}
