/**
 * Piscina whose threads get tasks before others once they have loaded their entry. Shutdown waits
 * until all have loaded: ending a thread while it registers a native library aborts the whole process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';

type Options = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

/**
 * Semi-space size of each thread: half of V8's default. Collections are twice as frequent and take
 * about half as long.
 */
export const YOUNG_GENERATION_MB = 24;

/** A thread that has not loaded after this time is ended nevertheless. */
const LOADING_MS_MAX = 10_000;
const POLL_MS = 5;

type Balancer = NonNullable<Options['loadBalancer']>;
type Thread = Parameters<Balancer>[1][number];

/** The thread with the fewest tasks, if it has room; threads that still load come last. */
function leastBusy(
  threads: readonly Thread[],
  tasksMax: number,
  loaded: ReadonlySet<number>,
): Thread | null {
  const rank = ({ id, currentUsage }: Thread) => currentUsage + (loaded.has(id) ? 0 : tasksMax);
  let best: Thread | null = null;
  for (const thread of threads)
    if (thread.currentUsage < tasksMax && (best === null || rank(thread) < rank(best)))
      best = thread;
  return best;
}

export class ThreadPool extends Piscina {
  /** Ids of threads, also of those that ended since the last one loaded. */
  readonly #loaded: ReadonlySet<number>;
  readonly #loadingMsMax: number;

  constructor(options: Options, loadingMsMax = LOADING_MS_MAX) {
    const loaded = new Set<number>();
    const tasksMax = options.concurrentTasksPerWorker ?? 1;
    super({
      atomics: 'async',
      recordTiming: false,
      maxQueue: Number.POSITIVE_INFINITY,
      ...options,
      loadBalancer: (_, threads) => leastBusy(threads, tasksMax, loaded),
    });
    this.#loaded = loaded;
    this.#loadingMsMax = loadingMsMax;
    const note = (id: number) => {
      const ids = new Set(this.threads.map(({ threadId }) => threadId));
      for (const ended of loaded) if (!ids.has(ended)) loaded.delete(ended);
      loaded.add(id);
    };
    const first = new Map(this.threads.map((thread) => [thread.threadId, thread]));
    // A thread's first message says that it is ready. Piscina announces the first threads before
    // that message, all later threads after it.
    for (const [id, thread] of first) thread.once('message', () => note(id));
    this.on('workerCreate', ({ id }) => {
      if (!first.has(id)) note(id);
    });
  }

  get loadedCount(): number {
    return this.threads.reduce(
      (count, { threadId }) => count + Number(this.#loaded.has(threadId)),
      0,
    );
  }

  /** Resolves when all threads have loaded or have died, or after a time. */
  async whenLoaded(msMax = Number.POSITIVE_INFINITY): Promise<void> {
    const endMs = performance.now() + msMax;
    while (this.loadedCount < this.threads.length && performance.now() < endMs)
      await sleep(POLL_MS);
  }

  /** Ends the threads; running tasks reject. */
  override async destroy(): Promise<void> {
    await this.whenLoaded(this.#loadingMsMax);
    await super.destroy();
  }
}
