/**
 * Decides whether another task is accepted: bounds the tasks that wait to be stored and the size of
 * the task database.
 */
import { ApiError } from '../../core/errors.ts';

export interface AdmissionLimits {
  /** Tasks, with payloads in memory, that may wait to be stored. */
  readonly waitingEnqueuesMax: number;
  readonly waitingBytesMax: number;
  /** Database size from which only cancelations and deletions of tasks are accepted. */
  readonly taskStoreBytesMax: number;
}

export class TaskAdmission {
  readonly limits: AdmissionLimits;
  #waitingEnqueues = 0;
  #waitingBytes = 0;
  /** Bytes at the last measurement. */
  taskStoreBytes = 0;

  constructor(limits: AdmissionLimits) {
    this.limits = limits;
  }

  /** @param makesRoom the task cancels or deletes other tasks. @throws ApiError */
  check(makesRoom: boolean): void {
    const { waitingEnqueuesMax, waitingBytesMax, taskStoreBytesMax } = this.limits;
    if (this.#waitingEnqueues >= waitingEnqueuesMax || this.#waitingBytes >= waitingBytesMax) {
      throw new ApiError(
        'too_many_search_requests',
        'Too many writes are waiting to be stored. Try again later.',
      );
    }
    if (!makesRoom && this.taskStoreBytes > taskStoreBytesMax) {
      throw new ApiError(
        'no_space_left_on_device',
        'The task database is full. Delete finished tasks to make room.',
      );
    }
  }

  /** Counts a task and its bytes as waiting until `store` settles. */
  async during<Result>(bytes: number, store: () => Promise<Result>): Promise<Result> {
    this.#waitingEnqueues++;
    this.#waitingBytes += bytes;
    try {
      return await store();
    } finally {
      this.#waitingEnqueues--;
      this.#waitingBytes -= bytes;
    }
  }
}
