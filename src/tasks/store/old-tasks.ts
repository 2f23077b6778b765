/**
 * Deletion of finished tasks by a task like any other: of the oldest when too many are stored, and of
 * those that have ended long ago.
 */
import { formatDate } from '../../core/clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TaskStore } from './task-store.ts';

const FINISHED = ['succeeded', 'failed', 'canceled'] as const;
/**
 * Until it has made room, another one follows when the tasks have grown by this part of what one
 * deletes.
 */
const RETRY_SHARE = 10;
/** Between two looks for tasks that ended long ago. */
const LOOK_MICROS = 3_600_000_000;

export interface OldTaskLimits {
  /** From so many stored tasks on, the oldest finished ones are deleted. */
  readonly storedTasksMax: number;
  /** How many at a time. */
  readonly autoDeletionCount: number;
  /** Tasks that ended longer ago are deleted; null = however long ago that was. */
  readonly taskAgeMaxMs: number | null;
}

export interface OldTaskOptions {
  readonly tasks: TaskStore;
  readonly limits: OldTaskLimits;
  /** Resolves with the uid of the deletion. */
  readonly enqueueDeletion: (uids: readonly number[], originalFilter: string) => Promise<number>;
  readonly log: Pick<Logger, 'error'>;
}

export class OldTasks {
  readonly #options: OldTaskOptions;
  /** Of the deletion enqueued last, or −1. */
  #deletionUid = -1;
  /** From so many stored tasks on. */
  #nextDeletion: number;
  #nextLook = Number.NEGATIVE_INFINITY;

  constructor(options: OldTaskOptions) {
    this.#options = options;
    this.#nextDeletion = options.limits.storedTasksMax;
  }

  /** Enqueues a deletion when it is time; at most one waits. */
  deleteIfMany(): void {
    const { tasks, limits } = this.#options;
    const { autoDeletionCount, storedTasksMax } = limits;
    if (tasks.length < storedTasksMax) this.#nextDeletion = storedTasksMax;
    if (tasks.length < this.#nextDeletion || tasks.pending.has(this.#deletionUid)) return;
    this.#nextDeletion = tasks.length + Math.ceil(autoDeletionCount / RETRY_SHARE);
    const oldest = tasks.select({ statuses: FINISHED }).slice(0, autoDeletionCount);
    this.#delete(oldest, `?statuses=${FINISHED.join(',')}&limit=${autoDeletionCount}&reverse=true`);
  }

  /** Enqueues a deletion of what has ended long ago, at most once an hour. */
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
