/**
 * Divides `--max-indexing-memory` among concurrent indexing work: the threads' base memory,
 * segments being built, and one merge.
 */
import { DEFAULT_MERGE_POLICY } from './files/merge-policy.ts';

export interface MemoryShares {
  /** Memory of one builder of a segment. */
  readonly builderBytes: number;
  /** JSON of the documents of one segment that is built in two halves. */
  readonly partBytesMax: number;
  /** Files of documents that a merge makes, between batches and in an idle index. */
  readonly mergedBytesMax: number;
  readonly settledBytesMax: number;
  /** Segments that are adapted to other settings at the same time. */
  readonly refitsMax: number;
}

/**
 * A batch with fewer bytes of documents has a slot and a thread that large batches cannot take, so
 * that it never waits for them.
 */
export const SMALL_BATCH_BYTES = 1024 ** 2;

/** A segment ends when its documents hold this many bytes of JSON. */
export const SEGMENT_RAW_BYTES_MAX = 128 * 1024 ** 2;

/** Base memory of a thread: code, caches between tasks, and garbage of new objects. */
const THREAD_BYTES = 28 * 1024 ** 2;
/** Threads in addition to the configured ones. */
const HELPING_THREADS = 1;
/** Of batches with few bytes (`SMALL_BATCH_BYTES`); their documents need no share. */
const SMALL_THREADS = 1;
const MERGING_THREADS = 1;
/** A thread with a smaller share would only take memory from the rest. */
const BYTES_FOR_EACH_THREAD_MIN = 192 * 1024 ** 2;
/** Minimum share of the budget for builders and a merge, however many threads there are. */
const FREE_SHARE_MIN = 1 / 4;
/** Share of the memory left by threads, for a merge; the rest is for segments being built. */
const MERGE_SHARE = 2 / 5;
/** A merge holds its output, and a part of it twice. */
const MERGED_RATIO = 3 / 2;
/** Smaller segments would leave too many to search. */
const MERGED_BYTES_MIN = 32 * 1024 ** 2;
/** A builder needs up to twice its bytes again when it finishes. */
const BUILDER_SHARE = 1 / 3;
/**
 * Upper bound of a term builder's bytes per byte of JSON, in the worst case of words of one letter.
 */
const WORD_BYTES_RATIO = 4;

/**
 * With less, threads run a collection after each large step, which takes some percent of their
 * time; V8's default lets the garbage of each thread grow by 64 MB.
 */
const BYTES_FOR_GARBAGE_MIN = 1024 ** 3;

/** Whether the budget is too small to leave collections to V8. */
export const collectsAfterSteps = (budgetBytes: number): boolean =>
  budgetBytes < BYTES_FOR_GARBAGE_MIN;

/** The configured threads, at most as many as the budget allows. */
export const threadsWithin = (budgetBytes: number, threads: number): number =>
  Math.max(1, Math.min(threads, Math.floor(budgetBytes / BYTES_FOR_EACH_THREAD_MIN)));

/** @param segmentBytesMax upper bound of a segment's JSON, independent of memory */
export function memoryShares(
  budgetBytes: number,
  threads: number,
  segmentBytesMax = SEGMENT_RAW_BYTES_MAX,
): MemoryShares {
  const freeBytes = Math.max(
    budgetBytes - THREAD_BYTES * (threads + HELPING_THREADS + SMALL_THREADS + MERGING_THREADS),
    budgetBytes * FREE_SHARE_MIN,
  );
  const mergeBytes = freeBytes * MERGE_SHARE;
  const outputBytes = Math.max(MERGED_BYTES_MIN, mergeBytes / MERGED_RATIO);
  const builderBytes = ((freeBytes - mergeBytes) / threads) * BUILDER_SHARE;
  return {
    builderBytes,
    partBytesMax: Math.min(segmentBytesMax, builderBytes / WORD_BYTES_RATIO),
    mergedBytesMax: Math.min(DEFAULT_MERGE_POLICY.mergedBytesMax, outputBytes),
    settledBytesMax: Math.min(DEFAULT_MERGE_POLICY.settledBytesMax, outputBytes),
    // Each of them is a builder; the helping thread has no share.
    refitsMax: collectsAfterSteps(budgetBytes) ? threads : threads + HELPING_THREADS,
  };
}
