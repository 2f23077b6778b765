/** Indexes whose last merge did not succeed: how long each waits before the next one is tried. */

export interface RetryTiming {
  /** After the first failure; each further one in a row doubles it. */
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

  /** @returns whether it is the first failure in a row */
  failed(indexId: number, nowMs: number): boolean {
    const before = this.#delays.get(indexId);
    const { firstMs, maxMs } = this.#timing;
    const ms = before === undefined ? firstMs : Math.min(2 * before.ms, maxMs);
    this.#delays.set(indexId, { ms, untilMs: nowMs + ms });
    return before === undefined;
  }

  /** The index has no failures behind it any more, or is gone. */
  forget(indexId: number): void {
    this.#delays.delete(indexId);
  }

  /** Time until a merge of the index may begin; 0 = now. */
  leftMs(indexId: number, nowMs: number): number {
    const delay = this.#delays.get(indexId);
    return delay === undefined ? 0 : Math.max(0, delay.untilMs - nowMs);
  }
}
