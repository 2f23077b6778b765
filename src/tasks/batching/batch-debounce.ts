/**
 * Pure: how long the next batch of an index waits during a burst of tasks, so that many small tasks
 * form few batches. A single task never waits.
 */
import { LRUCache } from 'lru-cache';

/**
 * Number of tasks that counts as a burst: since the start of the index's previous batch, or each less
 * than `GAP_MS` after the one before. The second is a client that sends the next task when one is
 * enqueued: without a wait each batch has one to three tasks, and delays the next of them.
 */
const BURST_TASKS = 8;
const GAP_MS = 10;
/** A burst ends when no task arrives for this many milliseconds. */
const QUIET_MS = 50;
/** Bounds of the wait in milliseconds; it doubles with each batch of a burst. */
const WAIT_MS_MIN = 50;
const WAIT_MS_MAX = 1000;
/** Indexes tracked at once; batches of further indexes begin without a wait. */
const INDEXES_MAX = 1000;

interface Burst {
  /** Tasks since the previous batch began. */
  arrived: number;
  /** Tasks in a row without a gap. */
  inRow: number;
  lastArrivalMs: number;
  waitMs: number;
  /** Time from which the next batch could begin. */
  freeSinceMs: number;
}

const isBurst = ({ arrived, inRow }: Burst): boolean => Math.max(arrived, inRow) >= BURST_TASKS;

export class BatchDebounce {
  readonly #bursts = new LRUCache<string, Burst, number>({
    max: INDEXES_MAX,
    memoMethod: (_indexUid, _stale, { context: nowMs }) => ({
      arrived: 0,
      inRow: 0,
      lastArrivalMs: nowMs,
      waitMs: 0,
      freeSinceMs: nowMs,
    }),
  });

  arrived(indexUid: string, nowMs: number): void {
    const burst = this.#bursts.memo(indexUid, { context: nowMs });
    burst.arrived++;
    burst.inRow = nowMs - burst.lastArrivalMs < GAP_MS ? burst.inRow + 1 : 1;
    burst.lastArrivalMs = nowMs;
  }

  /** Milliseconds until the next batch may begin; 0 = now. */
  leftMs(indexUid: string, nowMs: number): number {
    const burst = this.#bursts.peek(indexUid);
    if (burst === undefined || !isBurst(burst)) return 0;
    const untilQuiet = burst.lastArrivalMs + QUIET_MS - nowMs;
    const untilLimit = burst.freeSinceMs + burst.waitMs - nowMs;
    return Math.max(0, Math.min(untilQuiet, untilLimit));
  }

  batchBegins(indexUid: string): void {
    const burst = this.#bursts.peek(indexUid);
    if (burst === undefined) return;
    burst.waitMs = isBurst(burst)
      ? Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, burst.waitMs * 2))
      : 0;
    burst.arrived = 0;
  }

  batchEnded(indexUid: string, nowMs: number): void {
    const burst = this.#bursts.peek(indexUid);
    if (burst !== undefined) burst.freeSinceMs = nowMs;
  }
}
