/** Pure: when a batch that waits for embeddings is set aside, so that others are processed. */
import type { ProgressReading } from '../../model/batch-progress.ts';

export interface RoomLimits {
  /** So long a batch keeps others waiting. */
  readonly asideAfterMs: number;
  /** Batches that are aside at the same time; each holds where its documents lie. */
  readonly asideBatchesMax: number;
  /**
   * Of all of them together: what the store of vectors that were paid for keeps for sure, so that
   * they are there when the batches are repeated.
   */
  readonly asideVectorBytesMax: number;
}

/** The batch under way. */
export interface WaitingBatch {
  readonly reading: Pick<ProgressReading, 'step' | 'durations'>;
  /** Of the vectors that it waits for; null = waiting aside would be of no use to it. */
  readonly vectorBytes: number | null;
}

/**
 * @param aside bytes of the vectors of each batch that is aside already
 * @param isInTheWay whether a task could be processed that waits for nothing else
 */
export function makesRoom(
  { reading, vectorBytes }: WaitingBatch,
  aside: readonly number[],
  isInTheWay: boolean,
  { asideAfterMs, asideBatchesMax, asideVectorBytesMax }: RoomLimits,
): boolean {
  if (!isInTheWay || vectorBytes === null || aside.length >= asideBatchesMax) return false;
  if (reading.step !== 'embedding documents') return false;
  if ((reading.durations.get('embedding documents') ?? 0) < asideAfterMs) return false;
  return aside.reduce((sum, bytes) => sum + bytes, vectorBytes) <= asideVectorBytesMax;
}
