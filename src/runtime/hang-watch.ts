/**
 * Pure: whether the event loop of a child process hangs. The child reports at an interval, and the
 * parent looks at the same interval. A parent that looks late was suspended or starved itself, and its
 * child may have been, too: then the count begins again.
 */

/** Milliseconds between two reports, and between two looks. */
export const REPORT_MS = 5000;

export class HangWatch {
  readonly #limitMs: number;
  readonly #lookMs: number;
  #reportedMs: number;
  #lookedMs: number;

  /** @param limitMs without a report after which the child hangs */
  constructor(limitMs: number, lookMs: number, nowMs: number) {
    this.#limitMs = limitMs;
    this.#lookMs = lookMs;
    this.#reportedMs = nowMs;
    this.#lookedMs = nowMs;
  }

  reported(nowMs: number): void {
    this.#reportedMs = nowMs;
  }

  /** Call once each `lookMs`. */
  hangs(nowMs: number): boolean {
    if (nowMs - this.#lookedMs > 2 * this.#lookMs) this.#reportedMs = nowMs;
    this.#lookedMs = nowMs;
    return nowMs - this.#reportedMs >= this.#limitMs;
  }
}
