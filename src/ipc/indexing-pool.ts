/** The indexing threads: CPU work of the indexer that must not block its loop. The tasks belong to their module; this only carries them. */
import type { TransferListItem } from 'node:worker_threads';
import { Piscina } from 'piscina';

export interface IndexingPoolOptions {
  /** File URL of the thread entry, which exports one function for each task name. */
  readonly entry: string;
  /** `workerData` of the threads. */
  readonly dataDir: string;
  readonly threads: number;
  /** Bytes that all threads together may hold on their heaps. */
  readonly memoryBytes: number;
}

const HEAP_MB_MIN = 256;
const HEAP_MB_MAX = 4096;
/** A thread that had nothing to do for this long ends and gives its memory back. */
const IDLE_MS = 10_000;

export class IndexingPool {
  readonly #piscina: Piscina;
  readonly threads: number;

  constructor({ entry, dataDir, threads, memoryBytes }: IndexingPoolOptions) {
    const heapMb = Math.floor(memoryBytes / threads / 1024 ** 2);
    this.threads = threads;
    this.#piscina = new Piscina({
      filename: entry,
      // One stays, so that a small write finds a warm thread; one more may come, so that a merge never holds up a batch.
      minThreads: 1,
      maxThreads: threads + 1,
      idleTimeout: IDLE_MS,
      concurrentTasksPerWorker: 1,
      maxQueue: Number.POSITIVE_INFINITY,
      atomics: 'async',
      recordTiming: false,
      workerData: { dataDir },
      resourceLimits: { maxOldGenerationSizeMb: Math.min(HEAP_MB_MAX, Math.max(HEAP_MB_MIN, heapMb)) },
    });
  }

  /** Runs the export `name` of the entry with `task`. Rejects when the thread throws or dies; an error loses its class on the way. */
  async run<Task, Result>(name: string, task: Task, transferList: readonly TransferListItem[] = []): Promise<Result> {
    return (await this.#piscina.run(task, { name, transferList: [...transferList] })) as Result;
  }

  /** Ends the threads; what runs is lost and rejects. */
  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
