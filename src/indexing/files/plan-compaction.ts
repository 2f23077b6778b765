/**
 * Pure: which segments to merge so that an index has no dead documents and no more segments than
 * its size requires.
 */
import type { SegmentEntry } from '../../model/index-manifest.ts';
import { DEFAULT_MERGE_POLICY, liveBytes } from './merge-policy.ts';

/**
 * Groups of ids, each to become one segment of at most `mergedBytesMax`; smaller segments are
 * combined first. A single segment without dead documents is not rewritten.
 */
export function planCompaction(
  segments: readonly SegmentEntry[],
  mergedBytesMax = DEFAULT_MERGE_POLICY.mergedBytesMax,
): string[][] {
  const groups: SegmentEntry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const segment of [...segments].sort((a, b) => liveBytes(a) - liveBytes(b))) {
    bytes += liveBytes(segment);
    if (bytes > mergedBytesMax) {
      groups.push([]);
      bytes = liveBytes(segment);
    }
    groups.at(-1)?.push(segment);
  }
  return groups
    .filter((group) => group.length > 1 || group.some(({ deadCount }) => deadCount > 0))
    .map((group) => group.map(({ id }) => id));
}
