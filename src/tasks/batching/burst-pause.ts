/**
 * Pure: how long the next batch waits while many tasks come in a row, so that a burst of small
 * tasks becomes few batches. A task that comes alone never waits.
 */

/** So many tasks since the batch before began are a burst. */
const BURST_TASKS = 8;
/** A burst is over when nothing has come for so long. */
const QUIET_MS = 50;
/** The wait doubles from batch to batch of a burst, from the one to the other. */
const WAIT_MS_MIN = 50;
const WAIT_MS_MAX = 1000;

export class BurstPause {
  /** Tasks since the batch before began. */
  #arrived = 0;
  #lastArrivalMs = Number.NEGATIVE_INFINITY;
  #waitMs = 0;
  /** Since when the next batch could begin; null while one runs. */
  #freeSinceMs: number | null = null;

  arrived(nowMs: number): void {
    this.#arrived++;
    this.#lastArrivalMs = nowMs;
  }

  /** Milliseconds until to ask again; 0 = the next batch may begin. */
  leftMs(nowMs: number): number {
    this.#freeSinceMs ??= nowMs;
    if (this.#arrived < BURST_TASKS) return 0;
    const untilQuiet = this.#lastArrivalMs + QUIET_MS - nowMs;
    const untilLimit = this.#freeSinceMs + this.#waitMs - nowMs;
    return Math.max(0, Math.min(untilQuiet, untilLimit));
  }

  batchBegins(): void {
    const isBurst = this.#arrived >= BURST_TASKS;
    this.#waitMs = isBurst ? Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, this.#waitMs * 2)) : 0;
    this.#arrived = 0;
    this.#freeSinceMs = null;
  }
}
