/** Delays before the next merge of indexes whose last merge failed. */

export interface RetryTiming {
  /** Milliseconds after the first failure; each further failure in a row doubles the delay. */
  readonly firstMs: number;
  readonly maxMs: number;
}

interface Delay {
  readonly ms: number;
  readonly untilMs: number;
}

export class MergeDelays {
  readonly #timing: RetryTiming;
  readonly #delays = new Map<number, Delay>();

  constructor(timing: RetryTiming) {
    this.#timing = timing;
  }

  /** @returns true for the first failure in a row */
  failed(indexId: number, nowMs: number): boolean {
    const before = this.#delays.get(indexId);
    const { firstMs, maxMs } = this.#timing;
    const ms = before === undefined ? firstMs : Math.min(2 * before.ms, maxMs);
    this.#delays.set(indexId, { ms, untilMs: nowMs + ms });
    return before === undefined;
  }

  /** Clears the failures of an index after a success or its deletion. */
  forget(indexId: number): void {
    this.#delays.delete(indexId);
  }

  /** Milliseconds until a merge of the index may begin; 0 = now. */
  leftMs(indexId: number, nowMs: number): number {
    const delay = this.#delays.get(indexId);
    return delay === undefined ? 0 : Math.max(0, delay.untilMs - nowMs);
  }
}
