/**
 * Whether there is room for one more task: bounds what waits to be stored, and what the database of
 * tasks takes.
 */
import { ApiError } from '../../core/errors.ts';

export interface AdmissionLimits {
  /** Tasks that wait to be stored, and their payloads kept in memory meanwhile. */
  readonly waitingEnqueuesMax: number;
  readonly waitingBytesMax: number;
  /** From this size of the database on, only cancelations and deletions of tasks are taken. */
  readonly taskStoreBytesMax: number;
}

export class TaskAdmission {
  readonly limits: AdmissionLimits;
  #waitingEnqueues = 0;
  #waitingBytes = 0;
  /** As last measured. */
  taskStoreBytes = 0;

  constructor(limits: AdmissionLimits) {
    this.limits = limits;
  }

  /** @param makesRoom the task cancels or deletes others. @throws ApiError */
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

  /** Counts a task and its bytes as waiting until `store` has ended. */
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
