/** How fast a queue moves, and so when somebody whom it has no room for may come again. */

const WEIGHT_OF_LAST = 0.1;
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 60_000;

export class QueuePace {
  /** Between two ends while others wait. */
  #intervalMs = 0;
  #endedAtMs: number | null = null;

  /** One is done. @param isBusy whether others wait, so that the next end tells the pace */
  ended(nowMs: number, isBusy: boolean): void {
    if (this.#endedAtMs !== null) {
      const lastMs = nowMs - this.#endedAtMs;
      this.#intervalMs =
        this.#intervalMs === 0
          ? lastMs
          : this.#intervalMs + WEIGHT_OF_LAST * (lastMs - this.#intervalMs);
    }
    this.#endedAtMs = isBusy ? nowMs : null;
  }

  /** Until so many are done; a second at least, a minute at most. */
  retryAfterMs(count: number): number {
    return Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, count * this.#intervalMs));
  }
}
