/** Long work on an event loop, in slices, so that other requests are served between them. */
import type { Requester } from './caller.ts';

const SLICE_MS = 10;
/** Calls of `isOver` for each look at the clock. */
const CALLS_PER_LOOK = 64;

export class TimeSlices {
  readonly #now: () => number;
  readonly #caller: Pick<Requester, 'signal'>;
  #endMs: number;
  #calls = 0;

  /**
   * @param now milliseconds of a monotonic clock
   * @param caller its signal, read after the first slice, ends the work; absent = nothing ends it
   */
  constructor(now: () => number, caller: Pick<Requester, 'signal'> = {}) {
    this.#now = now;
    this.#caller = caller;
    this.#endMs = now() + SLICE_MS;
  }

  /** True when `next` has to be called. For steps of a few microseconds. */
  get isOver(): boolean {
    this.#calls += 1;
    return this.#calls % CALLS_PER_LOOK === 0 && this.#now() >= this.#endMs;
  }

  /** For steps of up to some milliseconds. */
  async between(): Promise<void> {
    if (this.#now() >= this.#endMs) await this.next();
  }

  /** Lets the event loop turn. @throws the reason of the signal at the end of the request */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#caller.signal?.throwIfAborted();
    this.#endMs = this.#now() + SLICE_MS;
  }
}
