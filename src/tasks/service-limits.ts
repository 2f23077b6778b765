/** Limits of the indexer: batch sizes, retention and delays. */
import type { LaneSlots } from './batching/next-batch.ts';
import type { MergeLimits } from './merging/background-merges.ts';
import type { OldTaskLimits } from './store/old-tasks.ts';
import type { AdmissionLimits } from './store/task-admission.ts';

export interface ServiceLimits extends AdmissionLimits, MergeLimits, OldTaskLimits {
  /** Large batches that may run at the same time. */
  readonly indexingThreads: number;
  readonly batchTasksMax: number;
  /** Payload bytes per batch; a larger task runs alone. */
  readonly batchBytesMax: number;
  readonly openWritersMax: number;
  /** Longer than any request to a front takes. */
  readonly obsoleteGraceMs: number;
  /** From the moment when an index leaves the disk to the deletion of its files: requests open them. */
  readonly indexLeaveMs: number;
  /** Longer than a request body takes to arrive. */
  readonly orphanPayloadMs: number;
}

export const DEFAULT_SERVICE_LIMITS: ServiceLimits = {
  indexingThreads: 1,
  batchTasksMax: Number.MAX_SAFE_INTEGER,
  batchBytesMax: 1024 ** 3,
  storedTasksMax: 1_000_000,
  autoDeletionCount: 100_000,
  taskAgeMaxMs: null,
  waitingEnqueuesMax: 10_000,
  waitingBytesMax: 256 * 1024 ** 2,
  taskStoreBytesMax: 0.4 * 20 * 1024 ** 3,
  openWritersMax: 256,
  obsoleteGraceMs: 120_000,
  indexLeaveMs: 10_000,
  orphanPayloadMs: 3_600_000,
  mergeTiming: { quietMs: 250, settledMs: 10_000, urgentSegmentCount: 10 },
  mergeRetry: { firstMs: 2000, maxMs: 300_000 },
};

/** Each waiting batch holds the locations of its documents and the vectors of the current part. */
const WAITING_BATCHES_MAX = 4;

/** One batch more than there are threads; only small batches can use the last slot. */
export const slotsFor = (indexingThreads: number): LaneSlots => ({
  batches: indexingThreads + 1,
  largeBatches: indexingThreads,
  waitingBatches: WAITING_BATCHES_MAX,
});
