/**
 * How `--max-indexing-memory` is divided among what indexing does at the same time: threads as such,
 * segments being built, and one merge beside them.
 */
import { DEFAULT_MERGE_POLICY } from './files/merge-policy.ts';

export interface MemoryShares {
  /** What one builder of a segment may hold. */
  readonly builderBytes: number;
  /** JSON of the documents of one segment that is built in two halves. */
  readonly partBytesMax: number;
  /** Files of documents that a merge makes. */
  readonly mergedBytesMax: number;
  /** Segments that are brought to other settings at the same time. */
  readonly refitsMax: number;
}

/**
 * A batch with fewer bytes of documents has a slot and a thread that large batches cannot take, so
 * that it never waits for them.
 */
export const SMALL_BATCH_BYTES = 1024 ** 2;

/** A segment ends when its documents hold this many bytes of JSON. */
export const SEGMENT_RAW_BYTES_MAX = 32 * 1024 ** 2;

/** A thread with its code, what it keeps between tasks, and garbage of new objects. */
const THREAD_BYTES = 28 * 1024 ** 2;
/** Beside the threads that are asked for. */
const HELPING_THREADS = 1;
const MERGING_THREADS = 1;
/** A thread that could not hold this much would only take from the others. */
const BYTES_FOR_EACH_THREAD_MIN = 192 * 1024 ** 2;
/** However little there is, work goes on with so much of the budget. */
const FREE_SHARE_MIN = 1 / 4;
/** Of what threads leave free, for a merge; the rest is for segments being built. */
const MERGE_SHARE = 2 / 5;
/** A merge holds its output, and a part of it twice. */
const MERGED_RATIO = 3 / 2;
/** Smaller ones would leave too many segments to search. */
const MERGED_BYTES_MIN = 32 * 1024 ** 2;
/** A builder needs up to twice its bytes again when it finishes. */
const BUILDER_SHARE = 1 / 3;
/**
 * A builder of words holds at most so many bytes for one of JSON, in the worst case of words of one
 * letter.
 */
const WORD_BYTES_RATIO = 4;

/**
 * With less, threads collect their garbage after each large step, which takes some percent of their
 * time; V8 by itself lets that of each thread grow by 64 MB.
 */
const BYTES_FOR_GARBAGE_MIN = 1024 ** 3;

/** Whether there is too little to leave garbage to V8. */
export const collectsAfterSteps = (budgetBytes: number): boolean =>
  budgetBytes < BYTES_FOR_GARBAGE_MIN;

/** Of the threads that are asked for, as many as the budget is enough for. */
export const threadsWithin = (budgetBytes: number, threads: number): number =>
  Math.max(1, Math.min(threads, Math.floor(budgetBytes / BYTES_FOR_EACH_THREAD_MIN)));

/** @param segmentBytesMax JSON of a segment, however much memory there is */
export function memoryShares(
  budgetBytes: number,
  threads: number,
  segmentBytesMax = SEGMENT_RAW_BYTES_MAX,
): MemoryShares {
  const freeBytes = Math.max(
    budgetBytes - THREAD_BYTES * (threads + HELPING_THREADS + MERGING_THREADS),
    budgetBytes * FREE_SHARE_MIN,
  );
  const mergeBytes = freeBytes * MERGE_SHARE;
  const builderBytes = ((freeBytes - mergeBytes) / threads) * BUILDER_SHARE;
  return {
    builderBytes,
    partBytesMax: Math.min(segmentBytesMax, builderBytes / WORD_BYTES_RATIO),
    mergedBytesMax: Math.min(
      DEFAULT_MERGE_POLICY.mergedBytesMax,
      Math.max(MERGED_BYTES_MIN, mergeBytes / MERGED_RATIO),
    ),
    // Each of them is a builder, which the helping thread has no share for.
    refitsMax: collectsAfterSteps(budgetBytes) ? threads : threads + HELPING_THREADS,
  };
}
