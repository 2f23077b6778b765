/**
 * The threads of a query pool. A posted task goes to the loaded thread with the fewest tasks. A thread
 * that dies is replaced, unless it died while it loaded.
 *
 * Piscina has one task for each thread, which never ends: it serves the query tasks that come through its
 * port. A task of Piscina for each query would take a third of the processor time of the shortest search.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { ThreadPool, YOUNG_GENERATION_MB } from '../threads/thread-pool.ts';
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
  readonly port: MessagePort;
  /** Stop slots of its tasks. */
  readonly slots: Set<number>;
  isLoaded: boolean;
}

const POLL_MS = 5;

export class QueryThreads {
  readonly #options: QueryThreadsOptions;
  readonly #threads = new Set<QueryThread>();
  /** null until the threads start. */
  #piscina: ThreadPool | null = null;
  #loadedCount = 0;
  #isEnding = false;

  constructor(options: QueryThreadsOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#piscina !== null;
  }

  get loadedCount(): number {
    return this.#loadedCount;
  }

  get ids(): ReadonlySet<number> {
    return new Set(this.#piscina?.threads.map(({ threadId }) => threadId));
  }

  /** Does nothing if the threads have started. */
  start(): void {
    if (this.#piscina !== null) return;
    const { entry, threads, data, onBug } = this.#options;
    this.#piscina = new ThreadPool({
      filename: entry,
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      workerData: data,
      atomics: 'disabled',
    });
    this.#piscina.on('error', onBug);
    for (let i = 0; i < threads; i++) this.#add(this.#piscina);
  }

  /** Requires a loaded thread. */
  post(posted: PostedTask): void {
    let best: QueryThread | null = null;
    for (const thread of this.#threads)
      if (thread.isLoaded && (best === null || thread.slots.size < best.slots.size)) best = thread;
    if (best === null) throw new Error('no query thread has loaded');
    best.slots.add(posted.stopSlot);
    best.port.postMessage(posted);
  }

  /** Resolves when all threads have loaded or have died. */
  async whenLoaded(): Promise<void> {
    while (this.#loadedCount < this.#threads.size) await sleep(POLL_MS);
  }

  /** Ends the threads; their tasks fail. */
  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#piscina?.destroy();
  }

  #add(piscina: ThreadPool): void {
    const { port1: port, port2: transferred } = new MessageChannel();
    const thread: QueryThread = { port, slots: new Set(), isLoaded: false };
    this.#threads.add(thread);
    port.on('message', (outcome: PostedOutcome | null) => {
      if (outcome === null) this.#loaded(thread);
      else this.#ended(thread, outcome);
    });
    port.unref();
    piscina
      .run(transferred, { transferList: [transferred] })
      .catch((error: unknown) => this.#exited(piscina, thread, error));
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

  #exited(piscina: ThreadPool, thread: QueryThread, error: unknown): void {
    thread.port.close();
    this.#threads.delete(thread);
    if (thread.isLoaded) this.#loadedCount -= 1;
    if (thread.isLoaded && !this.#isEnding) this.#add(piscina);
    if (thread.slots.size === 0 && !this.#isEnding) this.#options.onBug(error);
    for (const stopSlot of thread.slots) this.#options.onFailed(stopSlot, error);
  }
}
