/** Deletion of the oldest finished tasks when too many are stored, by a task like any other. */
import type { ServerLog } from '../ipc/indexer-server.ts';
import type { Clock } from './clock.ts';
import { toNewTask } from './task-content.ts';
import type { TaskStore } from './task-store.ts';

const FINISHED = ['succeeded', 'failed', 'canceled'] as const;
/** Until it has made room, another one follows when the tasks have grown by this part of what one deletes. */
const RETRY_SHARE = 10;

export interface OldTaskLimits {
  /** From so many stored tasks on, the oldest finished ones are deleted. */
  readonly storedTasksMax: number;
  /** How many at a time. */
  readonly autoDeletionCount: number;
}

export interface OldTaskOptions {
  readonly tasks: TaskStore;
  readonly limits: OldTaskLimits;
  readonly clock: Clock;
  /** A deletion was enqueued. */
  readonly wake: () => void;
  readonly log: ServerLog;
}

export class OldTasks {
  readonly #options: OldTaskOptions;
  /** Of the deletion enqueued last, or −1. */
  #deletionUid = -1;
  /** From so many stored tasks on. */
  #nextDeletion: number;

  constructor(options: OldTaskOptions) {
    this.#options = options;
    this.#nextDeletion = options.limits.storedTasksMax;
  }

  /** Enqueues a deletion when it is time; at most one waits. */
  deleteIfMany(): void {
    const { tasks, limits, clock, wake, log } = this.#options;
    const { autoDeletionCount, storedTasksMax } = limits;
    if (tasks.length < storedTasksMax) this.#nextDeletion = storedTasksMax;
    if (tasks.length < this.#nextDeletion || tasks.pending.has(this.#deletionUid)) return;
    this.#nextDeletion = tasks.length + Math.ceil(autoDeletionCount / RETRY_SHARE);
    const oldest = tasks.select({ statuses: FINISHED }).slice(0, autoDeletionCount);
    if (oldest.length === 0) return;
    const originalFilter = `?statuses=${FINISHED.join(',')}&limit=${autoDeletionCount}&reverse=true`;
    const draft = { type: 'taskDeletion', query: { statuses: FINISHED }, originalFilter } as const;
    tasks.enqueue(toNewTask(draft, oldest), clock()).then(
      ({ uid }) => {
        this.#deletionUid = uid;
        wake();
      },
      (error: unknown) => log.error({ err: error }, 'old tasks could not be deleted'),
    );
  }
}
