/**
 * The query threads of a front. Each task goes whole to one thread and comes back as finished
 * bytes; what no thread can take yet waits here, where it can be refused, dropped or forgotten
 * without touching a thread. Keys take turns: what one of them asks in a flood waits behind itself.
 */
import type { Caller, Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { gauge, type Metric } from '../../observability/metric.ts';
import type { QueryFigures } from '../../observability/query-figures.ts';
import { GenerationsInUse } from '../published/generations-in-use.ts';
import type { PublishedIndex } from '../published/published-indexes.ts';
import { ThreadPool, YOUNG_GENERATION_MB } from '../threads/thread-pool.ts';
import type { JointYouth } from './joint-youth.ts';
import type { QueryReply, QueryTask, QueryThreadData } from './query-protocol.ts';
import { QueuePace } from './queue-pace.ts';
import { type Waiting, WaitingLine } from './waiting-line.ts';
import { type WorkEstimate, WorkEstimates } from './work-estimates.ts';

export interface QueryPoolOptions {
  /** File URL of the thread entry. */
  readonly entry: string;
  readonly threads: number;
  /** Threads from the start on, before there is work for more; default all. */
  readonly threadsMin?: number;
  /** Tasks given to a thread at once, the one that runs included; default two. */
  readonly postedPerThread?: number;
  /** Whether others answer what is short; default not. */
  readonly isAside?: boolean;
  /** Absent = a search is done by one thread. */
  readonly youth?: JointYouth;
  /** Where the threads count. */
  readonly figures: QueryFigures;
  /** Memory for kept results, of each thread. */
  readonly cacheBytes: number;
  /** From so long on a search counts as slow; 0 = none does. */
  readonly slowSearchMs: number;
  /** Tasks that may wait beyond those under way; 0 refuses what cannot start at once. */
  readonly queueSize: number;
  /** Tasks that count as under way for each thread. */
  readonly perThread: number;
  readonly dropAfterMs: number;
  readonly onBug: (error: unknown) => void;
}

interface Entry extends Waiting {
  readonly task: QueryTask;
  readonly estimate: WorkEstimate;
  readonly resolve: (reply: QueryReply) => void;
}

/**
 * One running and one posted: the thread goes on without waiting for this loop. Nothing is posted
 * ahead while keys compete, since what is posted has its turn before whoever comes next; nor beside
 * work that is long or unknown, which it could come to wait behind.
 */
const POSTED_PER_THREAD = 2;
/** Processor time from which on work is long: what was posted behind it would wait as long. */
const LONG_MS = 10;
const SWEEP_MS = 250;
/** Keys that ask within so long of each other compete. */
const COMPETITION_MS = 10_000;

export class QueryPool {
  readonly #options: QueryPoolOptions;
  readonly #piscina: ThreadPool;
  readonly #waiting: WaitingLine<Entry>;
  /** What may pass by searches; as many as may wait. */
  readonly #express: WaitingLine<Entry>;
  /** Tasks that may wait or be given to threads. */
  readonly #capacity: number;
  readonly #estimates = new WorkEstimates(LONG_MS);
  readonly #postedPerThread: number;
  readonly #inUse = new GenerationsInUse();
  readonly #pace = new QueuePace();
  #postedCount = 0;
  /** Searches of another thread that are done as well. */
  #joinedCount = 0;
  /** Those of them that are not known to be short. */
  #longCount = 0;
  /** Who asked last, and when it was another one than before. */
  #lastLane: string | null = null;
  #competedAtMs = Number.NEGATIVE_INFINITY;
  #askedCount = 0;
  #sweep: NodeJS.Timeout | null = null;
  #whenIdle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: QueryPoolOptions) {
    this.#options = options;
    const { threads, threadsMin = threads, postedPerThread = POSTED_PER_THREAD } = options;
    this.#postedPerThread = postedPerThread;
    this.#capacity = threads * Math.max(options.perThread, postedPerThread) + options.queueSize;
    const waitingMax = (): number => this.#capacity - this.#postedMax(performance.now());
    const limits = {
      get waitingMax() {
        return waitingMax();
      },
      dropAfterMs: options.dropAfterMs,
    };
    const retryAfterMs = (): number => this.#pace.retryAfterMs(this.waitingCount);
    this.#waiting = new WaitingLine(limits, retryAfterMs);
    this.#express = new WaitingLine(limits, retryAfterMs);
    this.#piscina = new ThreadPool({
      filename: options.entry,
      minThreads: threadsMin,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: postedPerThread,
      maxQueue: Number.POSITIVE_INFINITY,
      atomics: 'async',
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      workerData: {
        cacheBytes: options.cacheBytes,
        slowSearchMs: options.slowSearchMs,
        figures: options.figures.shared,
        isAside: options.isAside ?? false,
      } satisfies QueryThreadData,
    });
    this.#piscina.on('error', options.onBug);
  }

  get waitingCount(): number {
    return this.#waiting.size + this.#express.size;
  }

  /** Tasks since the start, refused ones included. */
  get askedCount(): number {
    return this.#askedCount;
  }

  get threadIds(): ReadonlySet<number> {
    return new Set(this.#piscina.threads.map(({ threadId }) => threadId));
  }

  /** What waits and runs; what the threads have counted is in their figures. */
  metrics(): Metric[] {
    return [
      gauge(
        'meilisearch_search_queue_size',
        'Searches that may wait or be under way',
        this.#capacity,
      ),
      gauge('meilisearch_searches_running', 'Searches given to a thread', this.#postedCount),
      gauge(
        'meilisearch_searches_waiting_to_be_processed',
        'Searches that wait for a thread',
        this.waitingCount,
      ),
    ];
  }

  /**
   * Rejects with `too_many_search_requests` when the queue is full or the task waited too long,
   * with `internal` when the thread died. An aborted task that has not started is dropped; one that
   * runs is left to finish.
   */
  run(task: QueryTask, caller?: Caller & Partial<Requester>): Promise<QueryReply> {
    this.#askedCount++;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ApiError('internal', 'The server is stopping.'));
      this.#inUse.use(task);
      const end = <Result>(answer: (result: Result) => void, result: Result): void => {
        this.#inUse.release(task);
        answer(result);
      };
      const sinceMs = performance.now();
      const entry: Entry = {
        task,
        caller,
        sinceMs,
        estimate: this.#estimates.of(task),
        resolve: (reply) => end(resolve, reply),
        reject: (error) => end(reject, error),
      };
      const lane = caller?.keyUid ?? '';
      if (!task.isMade) this.#noteLane(lane, sinceMs);
      if (this.#postedCount < this.#postedMax(sinceMs)) {
        this.#waiting.passed(lane);
        this.#post(entry);
      } else {
        (task.isExpress === true ? this.#express : this.#waiting).add(lane, entry);
        this.#sweep ??= setInterval(() => this.#dropUnwanted(), SWEEP_MS).unref();
      }
    });
  }

  /** Resolves when no task of an older generation of this index is waiting or running. */
  released(published: PublishedIndex): Promise<void> {
    return this.#inUse.released(published);
  }

  /** Takes no more tasks, waits for the accepted ones up to `graceMs`, ends the threads. */
  async close(graceMs = 10_000): Promise<void> {
    this.#isClosed = true;
    if (this.#postedCount > 0 || this.waitingCount > 0) {
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

  #noteLane(lane: string, nowMs: number): void {
    if (this.#lastLane !== null && this.#lastLane !== lane) this.#competedAtMs = nowMs;
    this.#lastLane = lane;
  }

  #postedMax(nowMs: number): number {
    const doCompete = nowMs - this.#competedAtMs < COMPETITION_MS;
    const isAlone = doCompete || this.#longCount > 0;
    return this.#options.threads * (isAlone ? 1 : this.#postedPerThread);
  }

  #post(entry: Entry): void {
    const isLong = !entry.estimate.isShort;
    this.#postedCount += 1;
    if (isLong) this.#longCount += 1;
    const answered = this.#piscina.run(entry.task);
    const { youth } = this.#options;
    if (youth && !isLong && entry.task.work.kind === 'search' && !entry.task.isMade)
      this.#joinIn(entry.task, youth);
    answered.then(
      (reply: QueryReply) => {
        if (reply.ok && reply.costMs !== undefined) entry.estimate.took(reply.costMs);
        this.#settle(isLong, () => entry.resolve(reply));
      },
      (error: unknown) => {
        this.#options.onBug(error);
        this.#settle(isLong, () =>
          entry.reject(
            new ApiError('internal', 'The search ended unexpectedly.', { cause: error }),
          ),
        );
      },
    );
  }

  /** Comes after the task itself, which has a thread by then, so these go to others. */
  #joinIn(task: QueryTask, youth: JointYouth): void {
    const working = this.#postedCount + this.#joinedCount;
    const joining = youth.joining(this.#options.threads - working, working);
    if (joining === 0) return;
    const startMs = performance.now();
    const unheard = { ...task, isMade: true, isUnheard: true } as const;
    const ends = Array.from({ length: joining }, () => this.#piscina.run(unheard));
    this.#joinedCount += joining;
    this.#inUse.use(task);
    // A bug is told of by the thread that is heard.
    void Promise.allSettled(ends).then(() => {
      this.#joinedCount -= joining;
      this.#inUse.release(task);
      youth.took(performance.now() - startMs);
    });
  }

  #settle(isLong: boolean, answer: () => void): void {
    this.#postedCount -= 1;
    if (isLong) this.#longCount -= 1;
    const nowMs = performance.now();
    this.#pace.ended(nowMs, this.waitingCount > 0);
    this.#postNext(nowMs);
    answer();
  }

  #postNext(nowMs: number): void {
    const postedMax = this.#postedMax(nowMs);
    while (this.#postedCount < postedMax) {
      const entry = this.#express.take(nowMs) ?? this.#waiting.take(nowMs);
      if (entry === undefined) break;
      this.#post(entry);
    }
    if (this.#sweep !== null && this.waitingCount === 0) {
      clearInterval(this.#sweep);
      this.#sweep = null;
    }
    if (this.#postedCount === 0) for (const idle of this.#whenIdle.splice(0)) idle();
  }

  #dropUnwanted(): void {
    const nowMs = performance.now();
    for (const line of [this.#express, this.#waiting]) line.dropUnwanted(nowMs);
  }
}
