/**
 * A time budget that is passed down by argument; the clock is an argument too, so pure code stays
 * pure.
 */
export class Deadline {
  readonly #endMs: number;
  readonly #now: () => number;
  private constructor(endMs: number, now: () => number) {
    this.#endMs = endMs;
    this.#now = now;
  }
  /** A deadline `budgetMs` from now; `now` returns milliseconds of a monotonic clock. */
  static after(budgetMs: number, now: () => number): Deadline {
    return new Deadline(now() + budgetMs, now);
  }
  static never(): Deadline {
    return new Deadline(Number.POSITIVE_INFINITY, () => 0);
  }
  /** Another budget on the same clock, from now. */
  renewed(budgetMs: number): Deadline {
    return new Deadline(
      this.#endMs === Number.POSITIVE_INFINITY ? this.#endMs : this.#now() + budgetMs,
      this.#now,
    );
  }
  get exceeded(): boolean {
    return this.#now() >= this.#endMs;
  }
}
