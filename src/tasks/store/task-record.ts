/** Pure: builds the public record of a task from its row and stored record. */
import { formatDate, formatDuration } from '../../core/clock.ts';
import type { TaskRecord, TaskStatus } from '../../model/task.ts';
import type { StoredTask, TaskWork } from './stored-task.ts';
import type { TaskRow } from './task-table.ts';

export const FINISHED = ['succeeded', 'failed', 'canceled'] as const satisfies TaskStatus[];

export const isFinished = (status: TaskStatus): boolean =>
  status !== 'enqueued' && status !== 'processing';

/** A task that a batch ends. */
export interface FinishedTask {
  readonly row: TaskRow;
  /** Record from now on. */
  readonly ended: StoredTask;
  /** Of the record until now. */
  readonly work: TaskWork | null;
}

/**
 * An unfinished row shows no error, even if the stored record is already the one of the finished
 * task.
 */
export function toTaskRecord(row: TaskRow, stored: StoredTask): TaskRecord {
  const { startedAt, finishedAt } = row;
  const duration =
    startedAt === null || finishedAt === null ? null : formatDuration(finishedAt - startedAt);
  return {
    uid: row.uid,
    batchUid: row.batchUid,
    indexUid: row.indexUid,
    status: row.status,
    type: row.type,
    canceledBy: row.canceledBy,
    ...(row.type !== 'snapshotCreation' && { details: stored.details }),
    error: isFinished(row.status) ? stored.error : null,
    duration,
    enqueuedAt: formatDate(row.enqueuedAt),
    startedAt: startedAt === null ? null : formatDate(startedAt),
    finishedAt: finishedAt === null ? null : formatDate(finishedAt),
    ...(stored.customMetadata !== undefined && { customMetadata: stored.customMetadata }),
  };
}
