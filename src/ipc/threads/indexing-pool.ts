/**
 * The indexing threads: CPU work of the indexer that must not block its event loop. This module
 * only transports the tasks, which their own module defines.
 */
import type { TransferListItem } from 'node:worker_threads';
import { type ThreadOutcome, valueOfOutcome } from './thread-outcome.ts';
import { ThreadPool, YOUNG_GENERATION_MB } from './thread-pool.ts';

export interface IndexingPoolOptions {
  /** File URL of the thread entry, which exports one function for each task name. */
  readonly entry: string;
  readonly threads: number;
  /** Heap limit of all threads together, in bytes. */
  readonly memoryBytes: number;
  /** Background tasks that no client waits for. They run one at a time in a low-priority thread. */
  readonly backgroundTasks: ReadonlySet<string>;
}

/** `workerData` of the threads. */
export interface IndexingThreadData {
  readonly isBackground: boolean;
}

const HEAP_MB_MIN = 256;
const HEAP_MB_MAX = 4096;
/** A thread ends after this idle time and frees its memory. */
const IDLE_MS = 10_000;

/** Number of threads for one kind of work. */
interface Lane extends IndexingThreadData {
  readonly minThreads: number;
  readonly maxThreads: number;
}

export class IndexingPool {
  readonly threads: number;
  readonly #foreground: ThreadPool;
  readonly #background: ThreadPool;
  readonly #backgroundTasks: ReadonlySet<string>;

  constructor({ entry, threads, memoryBytes, backgroundTasks }: IndexingPoolOptions) {
    const heapMb = Math.floor(memoryBytes / threads / 1024 ** 2);
    const open = ({ minThreads, maxThreads, isBackground }: Lane): ThreadPool =>
      new ThreadPool({
        filename: entry,
        minThreads,
        maxThreads,
        idleTimeout: IDLE_MS,
        concurrentTasksPerWorker: 1,
        maxQueue: Number.POSITIVE_INFINITY,
        atomics: 'async',
        recordTiming: false,
        workerData: { isBackground } satisfies IndexingThreadData,
        resourceLimits: {
          maxOldGenerationSizeMb: Math.min(HEAP_MB_MAX, Math.max(HEAP_MB_MIN, heapMb)),
          maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
        },
      });
    this.threads = threads;
    this.#backgroundTasks = backgroundTasks;
    // One thread stays, so that a small write finds a warm thread; one more helps where a segment
    // is built in two halves.
    this.#foreground = open({ minThreads: 1, maxThreads: threads + 1, isBackground: false });
    this.#background = open({ minThreads: 0, maxThreads: 1, isBackground: true });
  }

  /**
   * Runs the export `name` of the entry with `task`. Rejects with an `ApiError` of the task, and
   * when the thread throws or dies.
   */
  async run<Task, Result>(
    name: string,
    task: Task,
    transferList: readonly TransferListItem[] = [],
  ): Promise<Result> {
    const piscina = this.#backgroundTasks.has(name) ? this.#background : this.#foreground;
    const outcome = await piscina.run(task, { name, transferList: [...transferList] });
    return valueOfOutcome(outcome as ThreadOutcome<Result>);
  }

  /** Ends the threads; running tasks reject. */
  async close(): Promise<void> {
    await Promise.all([this.#foreground.destroy(), this.#background.destroy()]);
  }
}
