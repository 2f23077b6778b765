/**
 * Which segments to merge next: a pure function of their sizes, which are those of their documents'
 * files.
 *
 * Segments are ranked by the bytes of their live documents into tiers, each `factor` times the size
 * of the one below. A tier that holds `factor` segments is merged into one of the next tier,
 * together with all smaller ones, so a document is rewritten about once a tier. The lowest tier is
 * not merged into larger ones: it holds recent writes, and a search that patches a cached result
 * reads every segment with documents newer than the result (ADR 11). Beyond that, too many segments
 * or too many dead documents force a merge.
 *
 * In an idle index, all segments that fit into one become one without dead documents, which is the
 * fastest to search: with five segments of a million articles a search takes 1.4 to 1.5 times as
 * long as with one. Such a merge may make a larger segment than those between batches, which would
 * rewrite an import once more. This happens only when the bytes outside the living part of the largest of them
 * are a large enough share: it bounds the write amplification of an update.
 */
import { sumOf } from '../../core/sum.ts';
import { fileBytesOf, type SegmentEntry } from '../../model/index-manifest.ts';
import { documentsFile } from '../../segments/components.ts';

export interface MergePolicy {
  /** Size ratio of the tiers, and the number of segments of one tier that are merged. */
  readonly factor: number;
  /** All smaller segments are one tier. */
  readonly floorBytes: number;
  /**
   * A merge between batches never makes a segment larger than this; segments of more than half of
   * it are not merged and not counted.
   */
  readonly mergedBytesMax: number;
  /** The same limit for merges of an idle index and for a compaction. */
  readonly settledBytesMax: number;
  /** The same limit for all files of a segment together: Node 20 cannot map more than 4 GiB. */
  readonly filesBytesMax: number;
  /** Limit of segments to search, large ones excluded. */
  readonly segmentsMax: number;
  /** Share of dead documents above which a segment is rewritten. */
  readonly deadRatioMax: number;
  /**
   * Segments of an idle index become one when the small ones and the dead documents have at least
   * one byte per this many bytes of the largest segment: with at most `gatheredBytesMax` live bytes
   * together, and with more.
   */
  readonly gatherRatio: number;
  readonly gatheredBytesMax: number;
  readonly largeGatherRatio: number;
}

export const DEFAULT_MERGE_POLICY: MergePolicy = {
  factor: 4,
  floorBytes: 1024 ** 2,
  mergedBytesMax: 512 * 1024 ** 2,
  settledBytesMax: 2 * 1024 ** 3,
  filesBytesMax: 3.75 * 1024 ** 3,
  segmentsMax: 10,
  deadRatioMax: 0.3,
  gatherRatio: 16,
  gatheredBytesMax: 64 * 1024 ** 2,
  largeGatherRatio: 2,
};

/**
 * `settled`: no changes for a while and no waiting tasks, so there is time for merges that only
 * make searches faster.
 */
export type WriteActivity = 'writing' | 'settled';

/**
 * Ids of the segments to merge into one, in their order; null = no merge is needed. A single id:
 * rewrite the segment without its dead documents.
 */
export function planMerge(
  segments: readonly SegmentEntry[],
  policy = DEFAULT_MERGE_POLICY,
  activity: WriteActivity = 'writing',
): string[] | null {
  const small = smallOf(segments, policy.mergedBytesMax, policy);
  const chosen =
    (activity === 'settled' ? gathered(segments, policy) : null) ??
    fullTier(small, policy) ??
    surplus(small, policy) ??
    deadHeavy(segments, policy);
  if (chosen === null) return null;
  const ids = new Set(chosen.map(({ id }) => id));
  return segments.filter(({ id }) => ids.has(id)).map(({ id }) => id);
}

/** Bytes of a segment's living documents, if all documents had the same size. */
export const liveBytes = (segment: SegmentEntry): number => bytesOf(segment) * livingShare(segment);

/** The same for all its files. */
const liveFileBytes = (segment: SegmentEntry): number =>
  fileBytesOf(segment) * livingShare(segment);

const livingShare = ({ documentCount, deadCount }: SegmentEntry): number =>
  (documentCount - deadCount) / Math.max(1, documentCount);

const bytesOf = (segment: SegmentEntry): number => documentsFile(segment).bytes;

/** The segments that a merge to this size may take, smallest first. */
const smallOf = (
  segments: readonly SegmentEntry[],
  bytesMax: number,
  { filesBytesMax }: MergePolicy,
): SegmentEntry[] =>
  segments
    .filter(
      (segment) =>
        liveBytes(segment) <= bytesMax / 2 && liveFileBytes(segment) <= filesBytesMax / 2,
    )
    .sort((a, b) => liveBytes(a) - liveBytes(b));

function gathered(segments: readonly SegmentEntry[], policy: MergePolicy): SegmentEntry[] | null {
  const small = smallOf(segments, policy.settledBytesMax, policy);
  const chosen = fitting(small, policy.settledBytesMax, policy) ?? small.slice(0, 1);
  const live = chosen.map(liveBytes);
  const liveSum = sumOf(live);
  const largest = Math.max(0, ...live);
  const rest = sumOf(chosen.map(bytesOf)) - largest;
  const ratio = liveSum > policy.gatheredBytesMax ? policy.largeGatherRatio : policy.gatherRatio;
  return rest > 0 && rest * ratio >= largest ? chosen : null;
}

/**
 * The largest full tier and those below it except the lowest, as far as they fit into one segment.
 */
function fullTier(bySize: readonly SegmentEntry[], policy: MergePolicy): SegmentEntry[] | null {
  const tierOf = (segment: SegmentEntry): number =>
    Math.floor(
      Math.log(Math.max(1, liveBytes(segment) / policy.floorBytes)) / Math.log(policy.factor),
    );
  const counts = new Map<number, number>();
  for (const segment of bySize) counts.set(tierOf(segment), (counts.get(tierOf(segment)) ?? 0) + 1);
  const full = [...counts].filter(([, count]) => count >= policy.factor).map(([tier]) => tier);
  if (full.length === 0) return null;
  const largest = Math.max(...full);
  const lowest = Math.min(largest, 1);
  return fitting(
    bySize.filter((segment) => tierOf(segment) >= lowest && tierOf(segment) <= largest),
    policy.mergedBytesMax,
    policy,
  );
}

/** The smallest segments, enough to bring the number down to the limit. */
function surplus(bySize: readonly SegmentEntry[], policy: MergePolicy): SegmentEntry[] | null {
  const excess = bySize.length - policy.segmentsMax;
  return excess <= 0
    ? null
    : fitting(bySize.slice(0, excess + policy.factor - 1), policy.mergedBytesMax, policy);
}

/** At least two, smallest first, whose live bytes together stay within the limit. */
function fitting(
  bySize: readonly SegmentEntry[],
  bytesMax: number,
  { filesBytesMax }: MergePolicy,
): SegmentEntry[] | null {
  let bytes = 0;
  let inFiles = 0;
  const chosen = bySize.filter((segment) => {
    bytes += liveBytes(segment);
    inFiles += liveFileBytes(segment);
    return bytes <= bytesMax && inFiles <= filesBytesMax;
  });
  return chosen.length < 2 ? null : chosen;
}

function deadHeavy(segments: readonly SegmentEntry[], policy: MergePolicy): SegmentEntry[] | null {
  const heavy = segments.find(
    ({ deadCount, documentCount }) => deadCount > documentCount * policy.deadRatioMax,
  );
  return heavy === undefined ? null : [heavy];
}

/**
 * Groups of ids, each to become one segment within the limits of a merge; smaller segments are
 * combined first. A single segment without dead documents is not rewritten.
 */
export function planCompaction(
  segments: readonly SegmentEntry[],
  policy = DEFAULT_MERGE_POLICY,
): string[][] {
  const groups: SegmentEntry[][] = [];
  let left = [...segments].sort((a, b) => liveBytes(a) - liveBytes(b));
  while (left.length > 0) {
    const group = fitting(left, policy.settledBytesMax, policy) ?? left.slice(0, 1);
    groups.push(group);
    left = left.filter((segment) => !group.includes(segment));
  }
  return groups
    .filter((group) => group.length > 1 || group.some(({ deadCount }) => deadCount > 0))
    .map((group) => group.map(({ id }) => id));
}
