/** Bounds the searches that wait for a service, and lets it rest after a failure. */

/** Concurrent searches; further ones keep their order. */
const UNDERWAY_MAX = 64;
/** Milliseconds after a failure without requests, so that consecutive searches do not all wait. */
export const OUTAGE_PAUSE_MS = 5000;

export class ServiceGate {
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number;
  #underway = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#now() >= this.#pausedUntilMs && this.#underway < UNDERWAY_MAX;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#underway += 1;
    try {
      return await work();
    } finally {
      this.#underway -= 1;
    }
  }

  pause(): void {
    this.#pausedUntilMs = this.#now() + OUTAGE_PAUSE_MS;
  }
}
