/** Measures how fast a queue drains, for the `Retry-After` header of refused requests. */

const WEIGHT_OF_LAST = 0.1;
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 60_000;

export class DrainRate {
  /** Average time between two completions while other tasks wait. */
  #intervalMs = 0;
  #endedAtMs: number | null = null;

  /**
   * Counts a completed task. @param isBusy whether other tasks wait; the next interval is measured
   * only then
   */
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

  /** Expected time until `count` tasks are done, between a second and a minute. */
  retryAfterMs(count: number): number {
    return Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, count * this.#intervalMs));
  }
}
