/** Bounds of the indexer: sizes of batches, what is kept, and how long things wait. */
import type { LaneSlots } from './batching/next-batch.ts';
import type { MergeTiming } from './merging/background-merges.ts';
import type { RetryTiming } from './merging/merge-delays.ts';
import type { OldTaskLimits } from './store/old-tasks.ts';
import type { AdmissionLimits } from './store/task-admission.ts';

export interface ServiceLimits extends AdmissionLimits, OldTaskLimits {
  /** Batches with much work that may run at the same time. */
  readonly indexingThreads: number;
  /** Tasks in one batch. */
  readonly batchTasksMax: number;
  /** Payload bytes in one batch; a single larger task still runs alone. */
  readonly batchBytesMax: number;
  readonly openWritersMax: number;
  /** Longer than any request to a front may take. */
  readonly retiredGraceMs: number;
  /** Longer than a request body may take to arrive. */
  readonly orphanPayloadMs: number;
  readonly mergeTiming: MergeTiming;
  readonly mergeRetry: RetryTiming;
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
  retiredGraceMs: 120_000,
  orphanPayloadMs: 3_600_000,
  mergeTiming: { quietMs: 250, settledMs: 10_000, urgentSegmentCount: 10 },
  mergeRetry: { firstMs: 2000, maxMs: 300_000 },
};

/** Each waiting batch holds where its documents lie, and the vectors of the part under way. */
const WAITING_BATCHES_MAX = 4;

/** One more batch than there are threads, which small batches alone can get. */
export const slotsFor = (indexingThreads: number): LaneSlots => ({
  batches: indexingThreads + 1,
  largeBatches: indexingThreads,
  waitingBatches: WAITING_BATCHES_MAX,
});
