/**
 * Deletes finished tasks by enqueuing deletion tasks: the oldest when too many are stored, and
 * tasks older than a maximum age.
 */
import { formatDate } from '../../core/clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { FINISHED } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

/**
 * While the store stays full, a deletion follows each time the tasks grow by this fraction of one
 * deletion.
 */
const RETRY_SHARE = 10;
/** Microseconds between two checks for tasks over the maximum age. */
const LOOK_MICROS = 3_600_000_000;

export interface OldTaskLimits {
  /** Number of stored tasks from which the oldest finished ones are deleted. */
  readonly storedTasksMax: number;
  readonly autoDeletionCount: number;
  /** Tasks that ended longer ago are deleted; null = no maximum age. */
  readonly taskAgeMaxMs: number | null;
}

interface OldTaskOptions {
  readonly tasks: TaskStore;
  readonly limits: OldTaskLimits;
  readonly enqueueDeletion: (uids: readonly number[], originalFilter: string) => Promise<number>;
  readonly log: Pick<Logger, 'error'>;
}

export class OldTasks {
  readonly #options: OldTaskOptions;
  /** Uid of the last deletion, or −1. */
  #deletionUid = -1;
  /** Number of stored tasks at which the next deletion is enqueued. */
  #nextDeletion: number;
  #nextLook = Number.NEGATIVE_INFINITY;

  constructor(options: OldTaskOptions) {
    this.#options = options;
    this.#nextDeletion = options.limits.storedTasksMax;
  }

  /** Enqueues a deletion if too many tasks are stored; at most one is unfinished. */
  deleteIfMany(): void {
    const { tasks, limits } = this.#options;
    const { autoDeletionCount, storedTasksMax } = limits;
    if (tasks.length < storedTasksMax) this.#nextDeletion = storedTasksMax;
    if (tasks.length < this.#nextDeletion || tasks.pending.has(this.#deletionUid)) return;
    this.#nextDeletion = tasks.length + Math.ceil(autoDeletionCount / RETRY_SHARE);
    const oldest = tasks.select({ statuses: FINISHED }).slice(0, autoDeletionCount);
    this.#delete(oldest, `?statuses=${FINISHED.join(',')}&limit=${autoDeletionCount}&reverse=true`);
  }

  /** Enqueues a deletion of tasks over the maximum age, at most once an hour. */
  deleteIfOld(nowMicros: number): void {
    const { tasks, limits } = this.#options;
    const { taskAgeMaxMs, autoDeletionCount } = limits;
    if (taskAgeMaxMs === null || nowMicros < this.#nextLook) return;
    if (tasks.pending.has(this.#deletionUid)) return;
    this.#nextLook = nowMicros + LOOK_MICROS;
    const beforeFinishedAt = Math.round(nowMicros - taskAgeMaxMs * 1000);
    const old = tasks.select({ statuses: FINISHED, beforeFinishedAt }).slice(0, autoDeletionCount);
    this.#delete(old, `?beforeFinishedAt=${formatDate(beforeFinishedAt)}`);
  }

  #delete(uids: readonly number[], originalFilter: string): void {
    const { enqueueDeletion, log } = this.#options;
    if (uids.length === 0) return;
    enqueueDeletion(uids, originalFilter).then(
      (uid) => {
        this.#deletionUid = uid;
      },
      (error: unknown) => log.error({ err: error }, 'old tasks could not be deleted'),
    );
  }
}
