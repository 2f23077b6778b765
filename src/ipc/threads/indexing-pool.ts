/**
 * The indexing threads: CPU work of the indexer that must not block its event loop. This module
 * only transports the tasks, which their own module defines.
 */
import type { TransferListItem } from 'node:worker_threads';
import { type ThreadOutcome, valueOfOutcome } from './thread-outcome.ts';
import { ThreadPool, YOUNG_GENERATION_MB } from './thread-pool.ts';

export interface IndexingPoolOptions {
  /** File URL of the thread entry, whose function takes a `NamedTask`. */
  readonly entry: string;
  readonly threads: number;
  /** Heap limit of all threads together, in bytes. */
  readonly memoryBytes: number;
  /** Background tasks that no client waits for. They run one at a time in a low-priority thread. */
  readonly backgroundTasks: ReadonlySet<string>;
  /** True: no thread starts before the first task. Default: false. */
  readonly startsLate?: boolean;
}

export interface TaskOptions {
  readonly transferList?: readonly TransferListItem[];
  /** It has little to do, so it gets a thread that no large task can take. */
  readonly isSmall?: boolean;
}

export interface NamedTask<Name, Task> {
  readonly name: Name;
  readonly task: Task;
}

export interface IndexingThreadData {
  readonly isBackground: boolean;
}

const HEAP_MB_MIN = 256;
const HEAP_MB_MAX = 4096;
/** A thread ends after this idle time and frees its memory. */
const IDLE_MS = 10_000;

/** How many threads do one rank of work. */
interface Rank extends IndexingThreadData {
  readonly minThreads: number;
  readonly maxThreads: number;
  /** In milliseconds. */
  readonly idleTimeout?: number;
}

export class IndexingPool {
  readonly threads: number;
  readonly #foreground: ThreadPool;
  readonly #small: ThreadPool;
  readonly #background: ThreadPool;
  readonly #backgroundTasks: ReadonlySet<string>;
  readonly #counts = new Map<ThreadPool, number>();

  constructor(options: IndexingPoolOptions) {
    const { entry, threads, memoryBytes, backgroundTasks, startsLate = false } = options;
    const heapMb = Math.floor(memoryBytes / threads / 1024 ** 2);
    const open = ({
      minThreads,
      maxThreads,
      isBackground,
      idleTimeout = IDLE_MS,
    }: Rank): ThreadPool =>
      new ThreadPool({
        filename: entry,
        minThreads,
        maxThreads,
        idleTimeout,
        workerData: { isBackground } satisfies IndexingThreadData,
        resourceLimits: {
          maxOldGenerationSizeMb: Math.min(HEAP_MB_MAX, Math.max(HEAP_MB_MIN, heapMb)),
          maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
        },
      });
    this.threads = threads;
    this.#backgroundTasks = backgroundTasks;
    // One more helps where a segment is built in two halves.
    this.#foreground = open({ minThreads: 0, maxThreads: threads + 1, isBackground: false });
    // It stays, so that a small write finds a warm thread.
    this.#small = open({
      minThreads: startsLate ? 0 : 1,
      maxThreads: 1,
      isBackground: false,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
    this.#background = open({ minThreads: 0, maxThreads: 1, isBackground: true });
  }

  /**
   * Rejects with an `ApiError` of the task, and when the thread throws or dies.
   */
  async run<Task, Result>(
    name: string,
    task: Task,
    { transferList = [], isSmall = false }: TaskOptions = {},
  ): Promise<Result> {
    const pool = this.#poolFor(name, isSmall);
    this.#count(pool, 1);
    try {
      const named: NamedTask<string, Task> = { name, task };
      const outcome = await pool.run(named, { transferList: [...transferList] });
      return valueOfOutcome(outcome as ThreadOutcome<Result>);
    } finally {
      this.#count(pool, -1);
    }
  }

  /** Ends the threads; running tasks reject. */
  async close(): Promise<void> {
    const pools = [this.#foreground, this.#small, this.#background];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** Several small tasks use the other threads as well, while large tasks leave one free. */
  #poolFor(name: string, isSmall: boolean): ThreadPool {
    if (this.#backgroundTasks.has(name)) return this.#background;
    if (!isSmall) return this.#foreground;
    const isQueued = this.#countOf(this.#small) > 0;
    return isQueued && this.#countOf(this.#foreground) < this.threads
      ? this.#foreground
      : this.#small;
  }

  /** Of tasks that run or wait. */
  #countOf(pool: ThreadPool): number {
    return this.#counts.get(pool) ?? 0;
  }

  #count(pool: ThreadPool, change: number): void {
    this.#counts.set(pool, this.#countOf(pool) + change);
  }
}
