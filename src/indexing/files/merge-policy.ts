/**
 * Which segments to merge next: a pure function of their sizes, which are those of their documents'
 * files.
 *
 * Segments are ranked by the bytes of their live documents into tiers, each `factor` times the size
 * of the one below. A tier that holds `factor` segments is merged into one of the next tier,
 * together with everything smaller, so a document is rewritten about once a tier. The lowest tier
 * stays apart from larger ones: it has what was written lately, and to bring a kept result up to
 * date a search looks into every segment that holds documents which have come since (ADR 11).
 * Beyond that, too many segments or too many dead documents force a merge.
 *
 * An index that has settled and is not large becomes one segment without dead documents, which is
 * the fastest to search, once what lies outside the living part of its largest segment is worth it:
 * an update rewrites at most so many times its own bytes.
 */
import { fileBytesOf, type SegmentEntry } from '../../model/index-manifest.ts';
import { documentsFile } from '../../segments/components.ts';

export interface MergePolicy {
  /** Size ratio of the tiers, and how many segments of one tier are merged. */
  readonly factor: number;
  /** Everything smaller is one tier. */
  readonly floorBytes: number;
  /**
   * A merge never makes a segment larger than this; segments of more than half of it are left alone
   * and not counted.
   */
  readonly mergedBytesMax: number;
  /** The same for all files of a segment together: Node 20 maps none of more than 4 GiB. */
  readonly filesBytesMax: number;
  /** Segments that may be searched, large ones apart. */
  readonly segmentsMax: number;
  /** Share of dead documents above which a segment is rewritten. */
  readonly deadRatioMax: number;
  /** A settled index of at most this many live bytes may become one segment. */
  readonly gatheredBytesMax: number;
  /**
   * That happens when small segments and the dead have at least one byte for so many of the largest
   * segment.
   */
  readonly gatherRatio: number;
}

export const DEFAULT_MERGE_POLICY: MergePolicy = {
  factor: 4,
  floorBytes: 1024 ** 2,
  mergedBytesMax: 512 * 1024 ** 2,
  filesBytesMax: 3.75 * 1024 ** 3,
  segmentsMax: 10,
  deadRatioMax: 0.3,
  gatheredBytesMax: 64 * 1024 ** 2,
  gatherRatio: 16,
};

/**
 * `settled`: nothing has changed for a while and nothing waits, so there is time for what only
 * makes searches faster.
 */
export type WriteActivity = 'writing' | 'settled';

/**
 * Ids of the segments to merge into one, in their order; null = all is well. One id alone: rewrite
 * it without its dead.
 */
export function planMerge(
  segments: readonly SegmentEntry[],
  policy = DEFAULT_MERGE_POLICY,
  activity: WriteActivity = 'writing',
): string[] | null {
  if (activity === 'settled' && isWorthGathering(segments, policy))
    return segments.map(({ id }) => id);
  const isLarge = (segment: SegmentEntry): boolean =>
    liveBytes(segment) > policy.mergedBytesMax / 2 ||
    liveFileBytes(segment) > policy.filesBytesMax / 2;
  const bySize = segments
    .filter((segment) => !isLarge(segment))
    .sort((a, b) => liveBytes(a) - liveBytes(b));
  const chosen = fullTier(bySize, policy) ?? surplus(bySize, policy) ?? deadHeavy(segments, policy);
  if (chosen === null) return null;
  const ids = new Set(chosen.map(({ id }) => id));
  return segments.filter(({ id }) => ids.has(id)).map(({ id }) => id);
}

/** Bytes of a segment that its living documents account for, were all of the same size. */
export const liveBytes = (segment: SegmentEntry): number => bytesOf(segment) * livingShare(segment);

/** The same of all its files. */
const liveFileBytes = (segment: SegmentEntry): number =>
  fileBytesOf(segment) * livingShare(segment);

const livingShare = ({ documentCount, deadCount }: SegmentEntry): number =>
  (documentCount - deadCount) / Math.max(1, documentCount);

const bytesOf = (segment: SegmentEntry): number => documentsFile(segment).bytes;

function isWorthGathering(segments: readonly SegmentEntry[], policy: MergePolicy): boolean {
  const live = segments.map(liveBytes);
  const liveSum = live.reduce((sum, bytes) => sum + bytes, 0);
  if (liveSum > policy.gatheredBytesMax) return false;
  const inFiles = segments.reduce((sum, segment) => sum + liveFileBytes(segment), 0);
  if (inFiles > policy.filesBytesMax) return false;
  const largest = Math.max(0, ...live);
  const rest = segments.reduce((sum, segment) => sum + bytesOf(segment), 0) - largest;
  return rest > 0 && rest * policy.gatherRatio >= largest;
}

/** The largest tier that is full, and those below it but the lowest, as far as they fit into one segment. */
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
    policy,
  );
}

/** The smallest segments, as many as brings the number down to what may be searched. */
function surplus(bySize: readonly SegmentEntry[], policy: MergePolicy): SegmentEntry[] | null {
  const excess = bySize.length - policy.segmentsMax;
  return excess <= 0 ? null : fitting(bySize.slice(0, excess + policy.factor - 1), policy);
}

/** At least two, smallest first, whose live bytes together stay within the limit. */
function fitting(bySize: readonly SegmentEntry[], policy: MergePolicy): SegmentEntry[] | null {
  let bytes = 0;
  let inFiles = 0;
  const chosen = bySize.filter((segment) => {
    bytes += liveBytes(segment);
    inFiles += liveFileBytes(segment);
    return bytes <= policy.mergedBytesMax && inFiles <= policy.filesBytesMax;
  });
  return chosen.length < 2 ? null : chosen;
}

function deadHeavy(segments: readonly SegmentEntry[], policy: MergePolicy): SegmentEntry[] | null {
  const heavy = segments.find(
    ({ deadCount, documentCount }) => deadCount > documentCount * policy.deadRatioMax,
  );
  return heavy === undefined ? null : [heavy];
}
