/**
 * The threads of a query pool. A posted task goes to the loaded thread with the fewest tasks. A thread
 * that dies is replaced, unless it died while it loaded. Plain workers: the bookkeeping of Piscina
 * takes a third of the processor time of the shortest search.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { YOUNG_GENERATION_MB } from '../threads/thread-pool.ts';
import type { PostedOutcome, PostedTask, QueryReply, QueryThreadData } from './query-protocol.ts';

export interface QueryThreadsOptions {
  /** File URL of the thread entry. */
  readonly entry: string;
  readonly threads: number;
  readonly data: QueryThreadData;
  readonly onLoaded: () => void;
  /** @param reply null = the task was withdrawn */
  readonly onReply: (stopSlot: number, reply: QueryReply | null) => void;
  /** The task threw, or its thread ended. */
  readonly onFailed: (stopSlot: number, error: unknown) => void;
  /** A thread without a task ended. */
  readonly onBug: (error: unknown) => void;
}

interface QueryThread {
  readonly worker: Worker;
  /** Stop slots of its tasks. */
  readonly slots: Set<number>;
  isLoaded: boolean;
  /** Why it ends. */
  error: unknown;
}

/**
 * Milliseconds until a thread that has not loaded is ended nevertheless: ending a thread while it
 * registers a native library aborts the whole process.
 */
const LOADING_MS_MAX = 10_000;
const POLL_MS = 5;

export class QueryThreads {
  readonly #options: QueryThreadsOptions;
  readonly #threads = new Set<QueryThread>();
  #hasStarted = false;
  #loadedCount = 0;
  #isEnding = false;

  constructor(options: QueryThreadsOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get loadedCount(): number {
    return this.#loadedCount;
  }

  get ids(): ReadonlySet<number> {
    return new Set(Array.from(this.#threads, ({ worker }) => worker.threadId));
  }

  /** Does nothing if the threads have started. */
  start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    for (let i = 0; i < this.#options.threads; i++) this.#add();
  }

  /** Requires a loaded thread. */
  post(posted: PostedTask): void {
    let best: QueryThread | null = null;
    for (const thread of this.#threads)
      if (thread.isLoaded && (best === null || thread.slots.size < best.slots.size)) best = thread;
    if (best === null) throw new Error('no query thread has loaded');
    best.slots.add(posted.stopSlot);
    best.worker.postMessage(posted);
  }

  /** Resolves when all threads have loaded or have died, or after a time. */
  async whenLoaded(msMax = Number.POSITIVE_INFINITY): Promise<void> {
    const endMs = performance.now() + msMax;
    while (this.#loadedCount < this.#threads.size && performance.now() < endMs)
      await sleep(POLL_MS);
  }

  /** Ends the threads; their tasks fail. */
  async close(): Promise<void> {
    await this.whenLoaded(LOADING_MS_MAX);
    this.#isEnding = true;
    await Promise.all(Array.from(this.#threads, ({ worker }) => worker.terminate()));
  }

  #add(): void {
    const { entry, data } = this.#options;
    const worker = new Worker(new URL(entry), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.unref();
    const thread: QueryThread = { worker, slots: new Set(), isLoaded: false, error: null };
    this.#threads.add(thread);
    worker.on('message', (outcome: PostedOutcome | null) => {
      if (outcome === null) this.#loaded(thread);
      else this.#ended(thread, outcome);
    });
    worker.on('error', (error) => {
      thread.error = error;
    });
    worker.on('exit', (code) => this.#exited(thread, code));
  }

  #loaded(thread: QueryThread): void {
    thread.isLoaded = true;
    this.#loadedCount += 1;
    this.#options.onLoaded();
  }

  #ended({ slots }: QueryThread, outcome: PostedOutcome): void {
    const { stopSlot } = outcome;
    slots.delete(stopSlot);
    if ('error' in outcome) this.#options.onFailed(stopSlot, outcome.error);
    else this.#options.onReply(stopSlot, outcome.reply);
  }

  #exited(thread: QueryThread, code: number): void {
    this.#threads.delete(thread);
    if (thread.isLoaded) this.#loadedCount -= 1;
    const error = thread.error ?? new Error(`a query thread exited with code ${code}`);
    if (thread.isLoaded && !this.#isEnding) this.#add();
    if (thread.slots.size === 0 && !this.#isEnding) this.#options.onBug(error);
    for (const stopSlot of thread.slots) this.#options.onFailed(stopSlot, error);
  }
}
