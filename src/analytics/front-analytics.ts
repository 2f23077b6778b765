/**
 * On the side of a front: a bounded buffer of searches and events, sent to the indexer every second,
 * and reports.
 */
import { ApiError } from '../core/errors.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { ThreadPool } from '../ipc/threads/thread-pool.ts';
import type {
  AnalyticsBatch,
  AnalyticsReport,
  EventRow,
  ReportRequest,
  SearchRow,
} from '../model/analytics.ts';
import { counter, type Metric } from '../observability/metric.ts';

const EVERY_MS = 1000;
/** Rows in the buffer; further ones are dropped and counted. */
const ROWS_MAX = 20_000;
/** Reports that are made or wait; one at a time is made, and a large one takes seconds. */
const REPORTS_MAX = 16;
const RETRY_MS = 5000;

export interface FrontAnalyticsOptions {
  /** Resolves when the indexer has stored the batch. */
  readonly send: (batch: AnalyticsBatch) => Promise<unknown>;
  /** Of the files that the indexer writes. */
  readonly folder: string;
  /** Makes reports, so that they never block the event loop that answers searches. */
  readonly thread: Pick<ThreadPool, 'run' | 'destroy'>;
  readonly log: { warn(message: string): void };
}

export class FrontAnalytics {
  readonly #options: FrontAnalyticsOptions;
  #searches: SearchRow[] = [];
  #events: EventRow[] = [];
  #recordedCount = 0;
  #droppedCount = 0;
  #reportCount = 0;
  /** The last batch was dropped: only the first one of several is logged. */
  #isLosing = false;
  /** Batches are sent one after the other; those that fail are dropped. */
  readonly #sending = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FrontAnalyticsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#flush(), EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
    await this.#options.thread.destroy();
  }

  searched(row: SearchRow): void {
    if (this.#hasRoom()) this.#searches.push(row);
  }

  happened(row: EventRow): void {
    if (this.#hasRoom()) this.#events.push(row);
  }

  /**
   * Includes what this front has recorded so far.
   * @throws ApiError `too_many_search_requests`
   */
  async report(request: ReportRequest, signal?: AbortSignal): Promise<AnalyticsReport> {
    if (this.#reportCount === REPORTS_MAX)
      throw new ApiError(
        'too_many_search_requests',
        `${REPORTS_MAX} reports of analytics are made or wait: retry later.`,
        { retryAfterMs: RETRY_MS },
      );
    this.#reportCount += 1;
    const { folder, thread } = this.#options;
    try {
      await this.#flush();
      return await thread.run({ folder, request }, { signal: signal ?? null });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      this.#reportCount -= 1;
    }
  }

  metrics(): Metric[] {
    return [
      counter(
        'gannet_analytics_rows_total',
        'Searches and events recorded for analytics',
        this.#recordedCount,
      ),
      counter(
        'gannet_analytics_dropped_rows_total',
        'Searches and events that analytics lost: too many in a second, or no indexer',
        this.#droppedCount,
      ),
    ];
  }

  #hasRoom(): boolean {
    this.#recordedCount += 1;
    if (this.#searches.length + this.#events.length < ROWS_MAX) return true;
    this.#droppedCount += 1;
    return false;
  }

  #flush(): Promise<void> {
    return this.#sending.run(async () => {
      const batch = { searches: this.#searches, events: this.#events };
      const count = batch.searches.length + batch.events.length;
      if (count === 0) return;
      this.#searches = [];
      this.#events = [];
      try {
        await this.#options.send(batch);
        this.#isLosing = false;
      } catch (error) {
        this.#droppedCount += count;
        if (!this.#isLosing)
          this.#options.log.warn(`analytics lost ${count} rows: ${(error as Error).message}`);
        this.#isLosing = true;
      }
    });
  }
}
