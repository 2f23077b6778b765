/**
 * The query threads of a front. Each task runs in one thread and returns finished bytes. Tasks wait
 * here until a thread is free, so they can be refused or dropped without thread time. API keys are
 * scheduled by the thread time that their searches use.
 */
import type { Caller, Requester } from '../../core/caller.ts';
import { clientLeft } from '../../core/deadline.ts';
import { ApiError } from '../../core/errors.ts';
import { gauge, type Metric } from '../../observability/metric.ts';
import type { QueryFigures } from '../../observability/query-figures.ts';
import { GenerationsInUse } from '../replica/generations-in-use.ts';
import type { PublishedIndex } from '../replica/published-indexes.ts';
import { ThreadPool, YOUNG_GENERATION_MB } from '../threads/thread-pool.ts';
import { BoundedQueue, type Waiting } from './bounded-queue.ts';
import { DrainRate } from './drain-rate.ts';
import type { PostedTask, QueryReply, QueryTask, QueryThreadData } from './query-protocol.ts';
import { StopFlags } from './stop-flags.ts';

export interface QueryPoolOptions {
  /** File URL of the thread entry. */
  readonly entry: string;
  readonly threads: number;
  /** Counters that the threads write. */
  readonly figures: QueryFigures;
  /** Size of the query cache of each thread. */
  readonly cacheBytes: number;
  /** Searches that take at least this long are logged as slow; 0 = off. */
  readonly slowSearchMs: number;
  /** Limit of waiting tasks; 0 refuses every task that cannot start at once. */
  readonly queueSize: number;
  /** Tasks per thread that count as running. */
  readonly perThread: number;
  readonly dropAfterMs: number;
  readonly answerBytesMax: number;
  readonly onBug: (error: unknown) => void;
}

interface Entry extends Waiting {
  readonly task: QueryTask;
  readonly lane: string;
  readonly resolve: (reply: QueryReply) => void;
}

const SWEEP_MS = 250;

export class QueryPool {
  readonly #options: QueryPoolOptions;
  readonly #piscina: ThreadPool;
  readonly #waiting: BoundedQueue<Entry>;
  /** Limit of waiting and running tasks together. */
  readonly #capacity: number;
  readonly #inUse = new GenerationsInUse();
  readonly #drainRate = new DrainRate();
  readonly #stopFlags: StopFlags;
  /** Free slots of `#stopFlags`. */
  readonly #freeSlots: number[];
  /** Running tasks by their slot of `#stopFlags`. */
  readonly #running = new Map<number, Entry>();
  #sweep: NodeJS.Timeout | null = null;
  #whenIdle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: QueryPoolOptions) {
    this.#options = options;
    const { threads, perThread, queueSize, dropAfterMs } = options;
    this.#capacity = threads * perThread + queueSize;
    this.#waiting = new BoundedQueue({
      waitingMax: this.#capacity - threads,
      dropAfterMs,
      retryAfterMs: () => this.#drainRate.retryAfterMs(this.waitingCount),
    });
    const stopFlags = new SharedArrayBuffer(StopFlags.bytesFor(threads));
    this.#stopFlags = new StopFlags(stopFlags);
    this.#freeSlots = Array.from({ length: threads }, (_, slot) => slot);
    this.#piscina = new ThreadPool({
      filename: options.entry,
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: 1,
      maxQueue: Number.POSITIVE_INFINITY,
      atomics: 'async',
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      workerData: {
        cacheBytes: options.cacheBytes,
        slowSearchMs: options.slowSearchMs,
        figures: options.figures.shared,
        stopFlags,
        answerBytesMax: options.answerBytesMax,
      } satisfies QueryThreadData,
    });
    this.#piscina.on('error', options.onBug);
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get threadIds(): ReadonlySet<number> {
    return new Set(this.#piscina.threads.map(({ threadId }) => threadId));
  }

  /** Waiting and running tasks; the counters of the threads are in `QueryFigures`. */
  metrics(): Metric[] {
    return [
      gauge(
        'meilisearch_search_queue_size',
        'Searches that may wait or be under way',
        this.#capacity,
      ),
      gauge('meilisearch_searches_running', 'Searches given to a thread', this.#running.size),
      gauge(
        'meilisearch_searches_waiting_to_be_processed',
        'Searches that wait for a thread',
        this.waitingCount,
      ),
    ];
  }

  /**
   * Rejects with `too_many_search_requests` when the queue is full or the task waited too long,
   * with `internal` when the thread died. A waiting task whose client has disconnected is dropped,
   * a running one is stopped.
   */
  run(task: QueryTask, caller?: Caller & Partial<Requester>): Promise<QueryReply> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ApiError('internal', 'The server is stopping.'));
      if (caller?.isAborted === true) return reject(clientLeft());
      this.#inUse.use(task);
      const end = <Result>(answer: (result: Result) => void, result: Result): void => {
        this.#inUse.release(task);
        answer(result);
      };
      const sinceMs = performance.now();
      const lane = caller?.keyUid ?? '';
      const entry: Entry = {
        task,
        lane,
        caller,
        sinceMs,
        resolve: (reply) => end(resolve, reply),
        reject: (error) => end(reject, error),
      };
      if (this.#running.size < this.#options.threads) this.#post(entry);
      else this.#waiting.add(lane, entry);
      this.#sweep ??= setInterval(() => this.#dropUnwanted(), SWEEP_MS).unref();
    });
  }

  /**
   * Each thread that has an older generation of the index open opens this one, so that the first
   * search after a commit does not need to. Does nothing while searches wait. Never rejects.
   */
  async preopen({ key, shared, location }: PublishedIndex): Promise<void> {
    if (this.waitingCount > 0) return;
    const work = { kind: 'preopen' } as const;
    const task = { snapshotKey: key, manifest: shared, location, work, isSynthetic: true } as const;
    const { threads } = this.#options;
    await Promise.allSettled(Array.from({ length: threads }, () => this.run(task)));
  }

  /** Resolves when no task of an older generation of this index is waiting or running. */
  released(published: PublishedIndex): Promise<void> {
    return this.#inUse.released(published);
  }

  /** Accepts no more tasks, waits up to `graceMs` for the accepted ones, ends the threads. */
  async close(graceMs = 10_000): Promise<void> {
    this.#isClosed = true;
    if (this.#running.size > 0 || this.waitingCount > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#whenIdle.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    if (this.#sweep !== null) clearInterval(this.#sweep);
    await this.#piscina.destroy();
  }

  #post(entry: Entry): void {
    const startMs = performance.now();
    const stopSlot = this.#freeSlots.pop();
    if (stopSlot === undefined) throw new Error('a task has no flag to stop it by');
    this.#stopFlags.clear(stopSlot);
    this.#running.set(stopSlot, entry);
    const posted: PostedTask = { task: entry.task, stopSlot };
    this.#piscina.run(posted).then(
      (reply: QueryReply) => {
        this.#settle(stopSlot, entry.lane, startMs);
        entry.resolve(reply);
      },
      (error: unknown) => {
        this.#options.onBug(error);
        this.#settle(stopSlot, entry.lane, startMs);
        entry.reject(new ApiError('internal', 'The search ended unexpectedly.', { cause: error }));
      },
    );
  }

  #settle(stopSlot: number, lane: string, startMs: number): void {
    const nowMs = performance.now();
    this.#running.delete(stopSlot);
    this.#freeSlots.push(stopSlot);
    this.#waiting.charge(lane, nowMs - startMs);
    this.#drainRate.ended(nowMs, this.waitingCount > 0);
    this.#postNext(nowMs);
  }

  #postNext(nowMs: number): void {
    while (this.#running.size < this.#options.threads) {
      const entry = this.#waiting.take(nowMs);
      if (entry === undefined) break;
      this.#post(entry);
    }
    if (this.#running.size === 0) for (const idle of this.#whenIdle.splice(0)) idle();
  }

  #dropUnwanted(): void {
    const nowMs = performance.now();
    this.#waiting.dropUnwanted(nowMs);
    for (const [slot, { caller }] of this.#running)
      if (caller?.isAborted === true) this.#stopFlags.raise(slot);
    this.#postNext(nowMs);
    if (this.#running.size > 0 || this.waitingCount > 0 || this.#sweep === null) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }
}
