/** Schedules snapshots at an interval that is counted from the last snapshot, across restarts. */
import cron, { type ScheduledTask } from 'node-cron';
import type { Logger } from '../../observability/logger.ts';

export interface ScheduleOptions {
  readonly intervalMs: number;
  /** Milliseconds since 1970 of the last snapshot; null if there is none. */
  readonly lastMs: () => number | null;
  /** Resolves when a snapshot is enqueued; does nothing while a snapshot task is enqueued. */
  readonly enqueue: () => Promise<void>;
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'error'>;
}

const EVERY_SECOND = '* * * * * *';
const EVERY_MINUTE = '* * * * *';
const MINUTE_MS = 60_000;

export class SnapshotSchedule {
  readonly #options: ScheduleOptions;
  readonly #startMs: number;
  #job: ScheduledTask | null = null;
  #lastEnqueuedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#startMs = options.nowMs();
  }

  start(): void {
    const isShort = this.#options.intervalMs < MINUTE_MS;
    this.#job ??= cron.schedule(isShort ? EVERY_SECOND : EVERY_MINUTE, () => this.look());
  }

  stop(): void {
    void this.#job?.stop();
    this.#job = null;
  }

  /** Enqueues a snapshot if the interval has passed. Never rejects. */
  async look(): Promise<void> {
    const { intervalMs, lastMs, enqueue, nowMs, log } = this.#options;
    try {
      const since = Math.max(lastMs() ?? this.#startMs, this.#lastEnqueuedMs);
      if (nowMs() - since < intervalMs) return;
      this.#lastEnqueuedMs = nowMs();
      await enqueue();
    } catch (error) {
      log.error({ err: error }, 'the scheduled snapshot could not be enqueued');
    }
  }
}
