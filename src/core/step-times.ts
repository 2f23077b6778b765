/** Measures the time of each step of an operation; the clock is an argument. */

export interface Stage {
  readonly stage: string;
  readonly microseconds: number;
  /** Candidate documents at the end of the stage; for a part of a stage, at its begin. */
  readonly candidates?: number;
  /** For a part of a stage: number of runs. */
  readonly calls?: number;
}

interface Part {
  ms: number;
  candidates: number;
  calls: number;
}

const MICROSECONDS_PER_MS = 1000;

export class StepTimes {
  readonly #now: () => number;
  readonly #stepMs = new Map<string, number>();
  readonly #candidates = new Map<string, number>();
  /** By name; the names of parts start with the name of their step. */
  readonly #parts = new Map<string, Part>();
  #endedMs: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
    this.#endedMs = now();
  }

  /**
   * Ends a step: the time since the end of the previous step belongs to it.
   * @param candidates candidate documents from here on
   */
  end(step: string, candidates?: number): void {
    const nowMs = this.#now();
    if (candidates !== undefined) this.#candidates.set(step, candidates);
    this.add(step, nowMs - this.#endedMs);
    this.#endedMs = nowMs;
  }

  /**
   * Runs and measures a part of the current step; its time is reported separately.
   * @param candidates candidate documents at its begin
   */
  part<Result>(name: string, candidates: number, run: () => Result): Result {
    const startMs = this.#now();
    const result = run();
    const part = this.#parts.get(name) ?? { ms: 0, candidates: 0, calls: 0 };
    this.#parts.set(name, part);
    part.ms += this.#now() - startMs;
    part.candidates = Math.max(part.candidates, candidates);
    part.calls += 1;
    return result;
  }

  /** Adds a time measured elsewhere. */
  add(step: string, ms: number): void {
    this.#stepMs.set(step, (this.#stepMs.get(step) ?? 0) + ms);
  }

  /** Milliseconds of all steps together. */
  get total(): number {
    let total = 0;
    for (const ms of this.#stepMs.values()) total += ms;
    return total;
  }

  /** Milliseconds by step. */
  get steps(): ReadonlyMap<string, number> {
    return this.#stepMs;
  }

  /** Steps in the order of their first end, each with its parts. */
  get stages(): readonly Stage[] {
    return [...this.#stepMs].flatMap(([stage, ms]) => {
      const candidates = this.#candidates.get(stage);
      const parts = [...this.#parts].filter(([name]) => name.startsWith(`${stage} > `));
      return [
        {
          stage,
          microseconds: Math.round(ms * MICROSECONDS_PER_MS),
          ...(candidates !== undefined && { candidates }),
        },
        ...parts.map(([name, part]) => ({
          stage: name,
          microseconds: Math.round(part.ms * MICROSECONDS_PER_MS),
          candidates: part.candidates,
          calls: part.calls,
        })),
      ];
    });
  }

  /** Step → time as text, `1.23ms`, in the order of the first end. */
  get details(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#stepMs].map(([step, ms]) => [step, `${ms.toFixed(2)}ms`]));
  }
}
