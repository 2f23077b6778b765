/**
 * A thread that embeds. The indexer has one that sends all provider requests and parses the
 * responses; it is a single thread because rate limits are tracked per provider. Another one, of
 * the indexer or of a front, runs local models. The thread ends when idle for a while. This module
 * transports the tasks, which their own module defines, and bounds how many wait.
 */
import type { TransferListItem } from 'node:worker_threads';
import { ThreadPool, YOUNG_GENERATION_MB } from './thread-pool.ts';

interface EmbeddingPoolOptions {
  readonly entry: string;
  readonly data: unknown;
  readonly idleMs?: number;
  /** Limit of waiting tasks, running ones excluded. */
  readonly waitingMax?: number;
  /** Receives the thread's messages that do not belong to a task. */
  readonly onMessage?: (message: unknown) => void;
}

const IDLE_MS = 60_000;
/**
 * Concurrent tasks: one waits for providers; a batch uses all embedders of its index at the same
 * time.
 */
const TASKS_MAX = 256;
/** More than all batches of an indexer and the searches of a front need. */
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
      // The thread must serve its sockets and ports while tasks run in it.
      atomics: 'disabled',
      workerData: data,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MB_MAX,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
    });
    if (onMessage !== undefined) this.#piscina.on('message', onMessage);
  }

  /**
   * Runs the export `name` of the entry. Rejects when the thread throws or dies, or when too many
   * tasks wait.
   */
  async run(
    name: string,
    task: unknown,
    transfer: readonly TransferListItem[] = [],
  ): Promise<unknown> {
    if (this.#piscina.queueSize >= this.#waitingMax)
      throw new Error(`${this.#waitingMax} others wait for the thread that embeds`);
    return this.#piscina.run(task, { name, transferList: [...transfer] });
  }

  /** Ends the thread; running tasks reject. */
  close(): Promise<void> {
    return this.#piscina.destroy();
  }
}
