/**
 * The query threads of a front. Each task runs in one thread and returns finished bytes. Tasks wait
 * here until a thread is free, so they can be refused or dropped without thread time. API keys are
 * scheduled by the thread time that their searches use.
 *
 * Threads get tasks once they have loaded their entry: until then their tasks would wait while another
 * thread is free.
 *
 * The next task of each thread is posted ahead while the thread works, so that the thread need not
 * sleep between two tasks. It returns to the queue if it has not begun after `AHEAD_MS`, if another
 * thread is free, or if a task of another API key arrives, so the order is that of the queue.
 */
import type { Caller, Requester } from '../../core/caller.ts';
import { clientLeft } from '../../core/deadline.ts';
import { ApiError } from '../../core/errors.ts';
import { Waiters } from '../../core/waiters.ts';
import { gauge, type Metric } from '../../observability/metric.ts';
import type { QueryMetrics } from '../../observability/query-metrics.ts';
import { GenerationsInUse } from '../replica/generations-in-use.ts';
import type { PublishedIndex } from '../replica/published-indexes.ts';
import { BoundedQueue, type Waiting } from './bounded-queue.ts';
import { DrainRate } from './drain-rate.ts';
import type { QueryReply, QueryTask, QueryThreadData, QueryWork } from './query-protocol.ts';
import { QueryThreads } from './query-threads.ts';
import { StopFlags } from './stop-flags.ts';
import { isWide, WideTasks } from './wide-tasks.ts';

export interface QueryPoolOptions {
  readonly entry: string;
  readonly threads: number;
  readonly metrics: QueryMetrics;
  readonly cache: QueryThreadData['cache'];
  /** Searches that take at least this long are logged as slow; 0 = off. */
  readonly slowSearchMs: number;
  /** Limit of waiting tasks; 0 refuses every task that cannot start at once. */
  readonly queueSize: number;
  /** Tasks per thread that count as running. */
  readonly perThread: number;
  readonly dropAfterMs: number;
  readonly answerBytesMax: number;
  /** True: threads start with the first task. Default: false. */
  readonly startsLate?: boolean;
  readonly onBug: (error: unknown) => void;
}

interface Entry extends Waiting {
  readonly task: QueryTask;
  readonly resolve: (reply: QueryReply) => void;
}

/** A task given to a thread. */
interface Posted {
  readonly entry: Entry;
  readonly postedMs: number;
  /** When it was posted, each thread had a task, or a withdrawn one to discard. */
  readonly isAhead: boolean;
}

const SWEEP_MS = 250;
/** Time in which a task posted ahead begins, else it returns to the queue. */
const AHEAD_MS = 5;
/** Tasks posted to one thread. */
const POSTED_MAX = 2;

const stopping = (): ApiError => new ApiError('internal', 'The server is stopping.');

export class QueryPool {
  readonly #options: QueryPoolOptions;
  readonly #threads: QueryThreads;
  readonly #waiting: BoundedQueue<Entry>;
  readonly #wide: WideTasks<Entry>;
  /** Limit of waiting and running tasks together. */
  readonly #capacity: number;
  readonly #inUse = new GenerationsInUse();
  readonly #drainRate = new DrainRate();
  readonly #stopFlags: StopFlags;
  /** Of `#stopFlags`. */
  readonly #freeSlots: number[];
  /** By slot of `#stopFlags`, in the order of posting; without withdrawn tasks. */
  readonly #posted = new Map<number, Posted>();
  #sweep: NodeJS.Timeout | null = null;
  #recall: NodeJS.Timeout | null = null;
  readonly #idle = new Waiters();
  #isClosed = false;
  #areThreadsEnding = false;

  constructor(options: QueryPoolOptions) {
    this.#options = options;
    const { threads, perThread, queueSize, dropAfterMs } = options;
    this.#capacity = threads * perThread + queueSize;
    const queue = {
      itemsMax: this.#capacity,
      dropAfterMs,
      retryAfterMs: () => this.#drainRate.retryAfterMs(this.waitingCount),
    };
    this.#waiting = new BoundedQueue(queue);
    this.#wide = new WideTasks({ ...queue, threads });
    const stopFlags = new SharedArrayBuffer(StopFlags.bytesFor(POSTED_MAX * threads));
    this.#stopFlags = new StopFlags(stopFlags);
    this.#freeSlots = Array.from({ length: POSTED_MAX * threads }, (_, slot) => slot);
    this.#threads = new QueryThreads({
      entry: options.entry,
      threads,
      data: {
        cache: options.cache,
        slowSearchMs: options.slowSearchMs,
        metrics: options.metrics.shared,
        stopFlags,
        answerBytesMax: options.answerBytesMax,
      } satisfies QueryThreadData,
      onLoaded: () => this.#postNext(performance.now()),
      onReply: (slot, reply) => this.#settle(slot, reply),
      onFailed: (slot, error) => this.#settle(slot, this.#failed(error)),
      onBug: options.onBug,
    });
    if (options.startsLate !== true) this.#threads.start();
  }

  /**
   * Resolves when each thread can take a task.
   * @throws Error when a thread died while it loaded
   */
  async whenLoaded(): Promise<void> {
    this.#threads.start();
    await this.#threads.whenLoaded();
    if (this.#threads.loadedCount < this.#options.threads)
      throw new Error('a query thread ended while it loaded');
  }

  get waitingCount(): number {
    return this.#waiting.size + this.#aheadCount + this.#wide.waitingCount;
  }

  get #aheadCount(): number {
    return Math.max(0, this.#posted.size - this.#threads.loadedCount);
  }

  get threadIds(): ReadonlySet<number> {
    return this.#threads.ids;
  }

  /** Waiting and running tasks; the counters of the threads are in `QueryMetrics`. */
  metrics(): Metric[] {
    return [
      gauge(
        'meilisearch_search_queue_size',
        'Searches that may wait or be under way',
        this.#capacity,
      ),
      gauge(
        'meilisearch_searches_running',
        'Searches given to a thread',
        this.#posted.size - this.#aheadCount,
      ),
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
      if (this.#isClosed) return reject(stopping());
      if (caller?.isAborted === true) return reject(clientLeft());
      this.#threads.start();
      this.#inUse.use(task);
      const end = <Result>(answer: (result: Result) => void, result: Result): void => {
        this.#inUse.release(task);
        this.#wide.ended(entry);
        answer(result);
      };
      const sinceMs = performance.now();
      const entry: Entry = {
        task,
        lane: caller?.keyUid ?? '',
        caller,
        sinceMs,
        resolve: (reply) => end(resolve, reply),
        reject: (error) => end(reject, error),
      };
      if (isWide(task)) this.#wide.add(entry, this.#posted.size + this.#waiting.size);
      else this.#add(entry, sinceMs);
      this.#postNext(sinceMs);
      this.#sweep ??= setInterval(() => this.#dropUnwanted(), SWEEP_MS).unref();
    });
  }

  /**
   * Each thread that has an older generation of the index open opens this one, so that the first
   * search after a commit does not need to. Does nothing while searches wait. Never rejects.
   */
  async preopen(published: PublishedIndex): Promise<void> {
    if (this.waitingCount === 0) await this.#onEachThread(published, { kind: 'preopen' });
  }

  /** Threads close the index, whose files are about to be deleted on this node. Never rejects. */
  async closeIndex(published: PublishedIndex): Promise<void> {
    await this.#onEachThread(published, { kind: 'close' });
  }

  /** Resolves when no task of an older generation of this index is waiting or running. */
  released(published: PublishedIndex): Promise<void> {
    return this.#inUse.released(published);
  }

  /**
   * Accepts no more tasks, waits up to `graceMs` for the accepted ones, then rejects them and ends
   * the threads.
   */
  async close(graceMs = 10_000): Promise<void> {
    this.#isClosed = true;
    if (this.#posted.size > 0 || this.waitingCount > 0) await this.#idle.wait(graceMs);
    if (this.#sweep !== null) clearInterval(this.#sweep);
    this.#areThreadsEnding = true;
    this.#wide.rejectAll(stopping());
    this.#waiting.rejectAll(stopping());
    await this.#threads.close();
  }

  /** A busy thread may be left out. */
  async #onEachThread(
    { key, shared, location }: PublishedIndex,
    work: Extract<QueryWork, { readonly kind: 'preopen' | 'close' }>,
  ): Promise<void> {
    if (!this.#threads.hasStarted) return;
    const task = { snapshotKey: key, manifest: shared, location, work, isSynthetic: true } as const;
    const { threads } = this.#options;
    await Promise.allSettled(Array.from({ length: threads }, () => this.run(task)));
  }

  #mayPost(): boolean {
    return this.#posted.size < this.#threads.loadedCount && this.#hasRoom();
  }

  /** True if a thread has room for its next task, and no other task can be the next one. */
  #mayPostAhead(): boolean {
    return this.#hasRoom() && this.#waiting.isOneLane;
  }

  /** True if threads that have loaded may get one more task. */
  #hasRoom(): boolean {
    return this.#inThreads < POSTED_MAX * this.#threads.loadedCount;
  }

  /** Tasks that the threads hold, with withdrawn ones. */
  get #inThreads(): number {
    return POSTED_MAX * this.#options.threads - this.#freeSlots.length;
  }

  #add(entry: Entry, nowMs: number): void {
    if (this.#waiting.size === 0 && this.#mayPost()) {
      this.#post(entry, nowMs);
      return;
    }
    this.#takeBack((ahead) => ahead.isAhead && ahead.entry.lane !== entry.lane);
    this.#waiting.add(entry, this.#posted.size + this.#wide.waitingCount);
  }

  #post(entry: Entry, nowMs: number): void {
    const inThreads = this.#inThreads;
    const stopSlot = this.#freeSlots.pop();
    if (stopSlot === undefined) throw new Error('a task has no flag to stop it by');
    this.#stopFlags.clear(stopSlot);
    const isAhead = inThreads >= this.#threads.loadedCount || inThreads > this.#posted.size;
    this.#posted.set(stopSlot, { entry, postedMs: nowMs, isAhead });
    if (isAhead) this.#recall ??= setTimeout(() => this.#recallLate(), AHEAD_MS).unref();
    this.#threads.post({ task: entry.task, stopSlot });
  }

  #failed(cause: unknown): ApiError {
    if (this.#areThreadsEnding) return stopping();
    this.#options.onBug(cause);
    return new ApiError('internal', 'The search ended unexpectedly.', { cause });
  }

  /** @param reply null, or any error, for a withdrawn task, which is in the queue again */
  #settle(stopSlot: number, reply: QueryReply | ApiError | null): void {
    const nowMs = performance.now();
    const posted = this.#posted.get(stopSlot);
    this.#posted.delete(stopSlot);
    this.#freeSlots.push(stopSlot);
    if (posted !== undefined) {
      const workMs = reply !== null && 'workMs' in reply ? reply.workMs : undefined;
      const chargedMs = workMs ?? nowMs - posted.postedMs;
      this.#waiting.charge(posted.entry.lane, chargedMs);
      this.#wide.charge(posted.entry, chargedMs);
      this.#drainRate.ended(nowMs, this.waitingCount > 0);
      if (reply instanceof ApiError) posted.entry.reject(reply);
      else if (reply !== null) posted.entry.resolve(reply);
    }
    this.#postNext(nowMs);
    if (posted !== undefined && this.#posted.size > 1 && this.#aheadCount === 0) {
      // A thread is free, and another one may have two tasks.
      this.#takeBack(({ isAhead }) => isAhead);
      this.#postNext(nowMs);
    }
  }

  #postNext(nowMs: number): void {
    let wide: Entry | undefined;
    do {
      while (this.#mayPost() || this.#mayPostAhead()) {
        const entry = this.#waiting.take(nowMs);
        if (entry === undefined) break;
        this.#post(entry, nowMs);
      }
      wide = this.#wide.admit(nowMs);
      if (wide !== undefined) this.#add(wide, nowMs);
    } while (wide !== undefined);
    if (this.#posted.size > 0 || this.waitingCount > 0) return;
    this.#idle.end();
  }

  /** Returns tasks to the queue that no thread has begun. */
  #takeBack(isConcerned: (posted: Posted) => boolean): void {
    for (const [slot, posted] of [...this.#posted].reverse()) {
      if (!isConcerned(posted) || !this.#stopFlags.withdraw(slot)) continue;
      this.#posted.delete(slot);
      this.#waiting.putBack(posted.entry);
    }
  }

  #recallLate(): void {
    this.#recall = null;
    const nowMs = performance.now();
    this.#takeBack(({ isAhead, postedMs }) => isAhead && nowMs - postedMs >= AHEAD_MS);
    this.#postNext(nowMs);
    if ([...this.#posted.values()].some(({ isAhead }) => isAhead))
      this.#recall ??= setTimeout(() => this.#recallLate(), AHEAD_MS).unref();
  }

  #dropUnwanted(): void {
    const nowMs = performance.now();
    this.#waiting.dropUnwanted(nowMs);
    this.#wide.dropUnwanted(nowMs);
    for (const [slot, { entry }] of this.#posted)
      if (entry.caller?.isAborted === true) this.#stopFlags.raise(slot);
    this.#postNext(nowMs);
    if (this.#posted.size > 0 || this.waitingCount > 0 || this.#sweep === null) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }
}
