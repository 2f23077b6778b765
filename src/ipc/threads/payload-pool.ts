/**
 * The thread of a front that checks large document payloads and long filters of tasks, so that a check
 * never blocks the event loop that answers searches.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import type { StoredPayload } from '../../core/stored-payload.ts';
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type { CheckedPayload, UploadOptions } from '../../model/upload.ts';
import { type ThreadOutcome, valueOfOutcome } from './thread-outcome.ts';
import { ThreadPool } from './thread-pool.ts';

export interface PayloadCheckTask extends UploadOptions {
  /** Name of a file in the spool folder. */
  readonly name: string;
}

export interface CheckedFile extends CheckedPayload {
  /** The file that replaces a CSV; null = the checked file stays. */
  readonly converted: StoredPayload | null;
}

/** A filter of a task. */
export interface FilterCheckTask {
  readonly filter: UnparsedFilter;
  /** Of errors in the filter. */
  readonly code: ErrorCode;
}

interface PayloadPoolOptions {
  readonly entry: string;
  readonly dataDir: string;
}

/** A thread ends after this idle time and frees its memory. */
const IDLE_MS = 60_000;

export class PayloadPool {
  readonly #piscina: ThreadPool;

  constructor({ entry, dataDir }: PayloadPoolOptions) {
    this.#piscina = new ThreadPool({
      filename: entry,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      workerData: { dataDir },
    });
  }

  /** Rejects with `ApiError` when the payload is refused; its file has been removed then. */
  async check(task: PayloadCheckTask): Promise<CheckedFile> {
    return valueOfOutcome((await this.#piscina.run(task)) as ThreadOutcome<CheckedFile>);
  }

  /** False for a filter without effect. Rejects with `ApiError` for one that no task can have. */
  async selects(task: FilterCheckTask): Promise<boolean> {
    const outcome = await this.#piscina.run(task, { name: 'selects' });
    return valueOfOutcome(outcome as ThreadOutcome<boolean>);
  }

  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
