/**
 * The thread of a front that checks large document payloads, so that a check never blocks the event
 * loop that answers searches.
 */
import type { StoredPayload } from '../../core/stored-payload.ts';
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

  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
