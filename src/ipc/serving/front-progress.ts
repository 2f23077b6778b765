/**
 * How far the serving threads of a front have come with the news of the indexer, in memory that they
 * share: a client that reads through one thread what it has learnt through another must not be
 * answered by older news. Only a thread that is behind waits.
 */

/** Bytes of the shared memory: how far the foremost thread is. */
export const FRONT_PROGRESS_BYTES = 8;

/** Without the indexer nothing new comes: requests are then answered by what is known. */
const WAIT_MS_MAX = 500;

export class FrontProgress {
  readonly #foremost: BigInt64Array;
  readonly #waitMsMax: number;
  readonly #waiters = new Set<{ readonly number: bigint; readonly resolve: () => void }>();
  #own = 0n;

  constructor(shared: SharedArrayBuffer, waitMsMax = WAIT_MS_MAX) {
    this.#foremost = new BigInt64Array(shared);
    this.#waitMsMax = waitMsMax;
  }

  /** This thread acts by the news up to this number. */
  reached(number: number): void {
    this.#own = BigInt(number);
    let foremost = Atomics.load(this.#foremost, 0);
    while (foremost < this.#own) {
      const before = Atomics.compareExchange(this.#foremost, 0, foremost, this.#own);
      if (before === foremost) break;
      foremost = before;
    }
    for (const waiter of this.#waiters) if (waiter.number <= this.#own) waiter.resolve();
  }

  /** Resolves when this thread is where the foremost is now, or has waited long; null when it is. */
  caughtUp(): Promise<void> | null {
    const number = Atomics.load(this.#foremost, 0);
    if (number <= this.#own) return null;
    return new Promise((resolve) => {
      const waiter = {
        number,
        resolve: () => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      const timer = setTimeout(waiter.resolve, this.#waitMsMax);
      this.#waiters.add(waiter);
    });
  }
}
