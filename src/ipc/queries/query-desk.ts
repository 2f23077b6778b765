/**
 * The searches of one serving thread: short ones are answered in place, where they arrive; what may
 * take long, or is not known yet, goes aside, so that no connection waits behind it.
 */
import type { Caller, Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { counter, gauge, type Metric } from '../../observability/metric.ts';
import { GenerationsInUse } from '../published/generations-in-use.ts';
import type { PublishedIndex } from '../published/published-indexes.ts';
import { LoopTurns } from './loop-turns.ts';
import type { QueryReply, QueryTask } from './query-protocol.ts';
import { type WorkEstimate, WorkEstimates } from './work-estimates.ts';

type AskedBy = Caller & Partial<Requester>;

export interface QueryDeskOptions {
  /** Searches in this thread; null when it could not finish in so much processor time. */
  readonly answerWithin: (task: QueryTask, budgetMs: number) => QueryReply | null;
  /** Searches in a thread that nobody else waits for. */
  readonly aside: (task: QueryTask, caller?: AskedBy) => Promise<QueryReply>;
  /** Searches that may wait for their turn in this thread. */
  readonly waitingMax: number;
  readonly dropAfterMs: number;
  /** Told of each task that somebody asked for. */
  readonly onAsked?: () => void;
  readonly onBug: (error: unknown) => void;
}

/**
 * Processor time: what is expected to take as much goes aside, which costs a fifth of a millisecond
 * or so.
 */
export const LONG_MS = 5;

export class QueryDesk {
  readonly #options: QueryDeskOptions;
  readonly #estimates = new WorkEstimates(LONG_MS);
  readonly #inUse = new GenerationsInUse();
  readonly #turns: LoopTurns;
  #inPlaceCount = 0;
  #asideCount = 0;
  #cutOffCount = 0;

  constructor(options: QueryDeskOptions) {
    this.#options = options;
    this.#turns = new LoopTurns(options);
  }

  /** Resolves when no task of an older generation of this index is waiting or running. */
  released(published: PublishedIndex): Promise<void> {
    return this.#inUse.released(published);
  }

  /** Searches that wait for their turn. */
  get waitingCount(): number {
    return this.#turns.waitingCount;
  }

  metrics(): Metric[] {
    return [
      counter(
        'gannet_queries_served_total',
        'Searches and other reading of indexes, by where it was done',
        [
          [{ place: 'in place' }, this.#inPlaceCount],
          [{ place: 'aside' }, this.#asideCount],
          [{ place: 'aside, begun in place' }, this.#cutOffCount],
        ],
      ),
      gauge(
        'meilisearch_searches_waiting_to_be_processed',
        'Searches that wait for a thread',
        this.waitingCount,
      ),
    ];
  }

  /** Rejects with `ApiError`, `too_many_search_requests` when too much waits. */
  async run(task: QueryTask, caller?: AskedBy): Promise<QueryReply> {
    this.#options.onAsked?.();
    const estimate = this.#estimates.of(task);
    const budgetMs = estimate.grantMs();
    if (budgetMs === 0) {
      this.#asideCount++;
      return this.#runAside(task, estimate, caller);
    }
    const turn = this.#turns.take(caller);
    if (turn !== null) await this.#wait(task, turn);
    const reply = this.#runInPlace(task, estimate, budgetMs);
    if (reply !== null) {
      this.#inPlaceCount++;
      return reply;
    }
    this.#cutOffCount++;
    return this.#runAside(task, estimate, caller);
  }

  async #wait(task: QueryTask, turn: Promise<void>): Promise<void> {
    this.#inUse.use(task);
    try {
      await turn;
    } finally {
      this.#inUse.release(task);
    }
  }

  #runInPlace(task: QueryTask, estimate: WorkEstimate, budgetMs: number): QueryReply | null {
    let reply: QueryReply | null;
    try {
      reply = this.#options.answerWithin(task, budgetMs);
    } catch (error) {
      this.#options.onBug(error);
      throw new ApiError('internal', 'The search ended unexpectedly.', { cause: error });
    }
    if (reply?.ok && reply.costMs !== undefined) estimate.took(reply.costMs);
    estimate.tried(reply !== null);
    return reply;
  }

  async #runAside(
    task: QueryTask,
    estimate: WorkEstimate,
    caller: AskedBy | undefined,
  ): Promise<QueryReply> {
    this.#inUse.use(task);
    try {
      const reply = await this.#options.aside(task, caller);
      if (reply.ok && reply.costMs !== undefined) estimate.took(reply.costMs);
      return reply;
    } finally {
      this.#inUse.release(task);
    }
  }
}
