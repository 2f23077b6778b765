/**
 * Piscina whose shutdown waits until every thread has loaded its entry. Ending a thread while it
 * registers a native library aborts the whole process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
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

export class ThreadPool extends Piscina {
  readonly #loaded = new WeakSet<Worker>();
  readonly #loadingMsMax: number;

  constructor(options: Options, loadingMsMax = LOADING_MS_MAX) {
    super(options);
    this.#loadingMsMax = loadingMsMax;
    const first = new Set(this.threads);
    // A thread's first message says that it is ready. Piscina announces the first threads before
    // that message, all later threads after it.
    for (const thread of first) thread.once('message', () => this.#loaded.add(thread));
    this.on('workerCreate', ({ id }) => {
      const thread = this.threads.find(({ threadId }) => threadId === id);
      if (thread !== undefined && !first.has(thread)) this.#loaded.add(thread);
    });
  }

  /** Ends the threads; running tasks reject. */
  override async destroy(): Promise<void> {
    const endMs = performance.now() + this.#loadingMsMax;
    while (this.#isLoading() && performance.now() < endMs) await sleep(POLL_MS);
    await super.destroy();
  }

  #isLoading(): boolean {
    return this.threads.some((thread) => !this.#loaded.has(thread));
  }
}
