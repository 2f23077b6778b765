/** Where the time of a piece of work went, step by step; the clock is an argument. */
export class StepTimes {
  readonly #now: () => number;
  readonly #stepMs = new Map<string, number>();
  #endedMs: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
    this.#endedMs = now();
  }

  /** What has passed since the step before ended belongs to this one. */
  end(step: string): void {
    const nowMs = this.#now();
    this.add(step, nowMs - this.#endedMs);
    this.#endedMs = nowMs;
  }

  /** Time that was measured elsewhere. */
  add(step: string, ms: number): void {
    this.#stepMs.set(step, (this.#stepMs.get(step) ?? 0) + ms);
  }

  /** Milliseconds of all steps. */
  get total(): number {
    let total = 0;
    for (const ms of this.#stepMs.values()) total += ms;
    return total;
  }

  /** Milliseconds by step. */
  get steps(): ReadonlyMap<string, number> {
    return this.#stepMs;
  }

  /** Step → time as text, `1.23ms`, in the order in which the steps ended first. */
  get details(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#stepMs].map(([step, ms]) => [step, `${ms.toFixed(2)}ms`]));
  }
}
