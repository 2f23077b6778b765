/**
 * A thread that embeds: one of the indexer waits for providers and reads their answers, for all,
 * since what is known of a provider's limits belongs together; another one, of the indexer or of a
 * front, calculates local models. It ends when it has had nothing to do for a while. The tasks belong
 * to their module; this carries them, and lets a bounded number wait.
 */
import type { TransferListItem } from 'node:worker_threads';
import { ThreadPool, YOUNG_GENERATION_MB } from './thread-pool.ts';

export interface EmbeddingPoolOptions {
  /** File URL of the thread entry. */
  readonly entry: string;
  /** `workerData` of the thread. */
  readonly data: unknown;
  /** The thread ends when it has had nothing to do for so long. */
  readonly idleMs?: number;
  /** Tasks beside those that run. */
  readonly waitingMax?: number;
  /** Hears what the thread says beside its tasks. */
  readonly onMessage?: (message: unknown) => void;
}

const IDLE_MS = 60_000;
/** One waits for providers; a batch asks all embedders of its index at the same time. */
const TASKS_MAX = 256;
/** More than all batches of an indexer and the searches of a front ask for. */
const WAITING_MAX = 4096;
const HEAP_MB_MAX = 1024;

export class EmbeddingPool {
  readonly #piscina: ThreadPool;
  readonly #waitingMax: number;

  constructor(options: EmbeddingPoolOptions) {
    const { entry, data, idleMs = IDLE_MS, waitingMax = WAITING_MAX, onMessage } = options;
    this.#waitingMax = waitingMax;
    this.#piscina = new ThreadPool({
      filename: entry,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      concurrentTasksPerWorker: TASKS_MAX,
      maxQueue: Number.POSITIVE_INFINITY,
      // The thread has to hear its sockets and ports while tasks run in it.
      atomics: 'disabled',
      recordTiming: false,
      workerData: data,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MB_MAX,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
    });
    if (onMessage !== undefined) this.#piscina.on('message', onMessage);
  }

  /** Runs the export `name` of the entry. Rejects when the thread throws or dies, or too many wait. */
  async run(
    name: string,
    task: unknown,
    transfer: readonly TransferListItem[] = [],
  ): Promise<unknown> {
    if (this.#piscina.queueSize >= this.#waitingMax)
      throw new Error(`${this.#waitingMax} others wait for the thread that embeds`);
    return this.#piscina.run(task, { name, transferList: [...transfer] });
  }

  /** Ends the thread; what runs is lost and rejects. */
  close(): Promise<void> {
    return this.#piscina.destroy();
  }
}
