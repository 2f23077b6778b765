/**
 * A time budget that is passed down by argument; the clock is an argument too, so pure code stays
 * pure.
 */
/** The work is given up. */
export class BudgetSpent extends Error {}

export class Deadline {
  readonly #endMs: number;
  readonly #now: () => number;
  readonly #isCurb: boolean;
  private constructor(endMs: number, now: () => number, isCurb = false) {
    this.#endMs = endMs;
    this.#now = now;
    this.#isCurb = isCurb;
  }
  /** A deadline `budgetMs` from now; `now` returns milliseconds of a monotonic clock. */
  static after(budgetMs: number, now: () => number): Deadline {
    return new Deadline(now() + budgetMs, now);
  }
  /** One after which the work is given up wherever it is, to be begun again by somebody else. */
  static curb(budgetMs: number, now: () => number): Deadline {
    return new Deadline(now() + budgetMs, now, true);
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
  /**
   * For work that has to be done whole: to be called every few tenths of a millisecond or so.
   * @throws BudgetSpent when a curb is exceeded
   */
  check(): void {
    if (this.#isCurb && this.exceeded) throw new BudgetSpent();
  }
  /** `check` for the rounds of a loop: one call in so many looks. */
  checkOnceIn(calls: number): () => void {
    if (!this.#isCurb) return () => undefined;
    let count = 0;
    return () => {
      if (++count % calls === 0) this.check();
    };
  }
}
