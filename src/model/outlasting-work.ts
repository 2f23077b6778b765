/**
 * What others do for a batch and what goes on when the batch is set aside: vectors that a provider
 * makes. Known in the thread alone that drives the batch.
 */
import { waitForAll } from '../core/wait-for-all.ts';

export class OutlastingWork {
  /**
   * Bytes of the vectors that the batch waits for and will find again when it is repeated; null =
   * there is nothing to find again.
   */
  vectorBytes: number | null = null;
  /** Everything under way; rejects with the first failure. */
  #all: Promise<unknown> = Promise.resolve();
  #isLeft = false;
  #reject: (reason: Error) => void = () => undefined;
  readonly #left: Promise<never>;

  constructor() {
    this.#left = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#left.catch(() => undefined);
  }

  /** Waits for the work, which goes on when the batch leaves; rejects with the reason then. */
  waitFor<Result>(work: Promise<Result>): Promise<Result> {
    this.#keep(work);
    return Promise.race([work, this.#left]);
  }

  /** Further work in the place of the batch that has left, once what is under way has succeeded. */
  goOn(work: () => Promise<void>): void {
    if (this.#isLeft) this.#keep(this.#all.then(work));
  }

  /** Nobody waits any more. */
  leave(reason: Error): void {
    this.#isLeft = true;
    this.#reject(reason);
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Resolves when nothing goes on any more; rejects with the first failure then. */
  async ended(): Promise<void> {
    await this.#all;
  }

  #keep(work: Promise<unknown>): void {
    const all = waitForAll([this.#all, work]);
    // Whoever awaits it sees the failure; perhaps nobody does.
    all.catch(() => undefined);
    this.#all = all;
  }
}
