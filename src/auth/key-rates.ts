/**
 * Rate limit per API key: a token bucket per key, filled evenly, with the capacity of one second.
 * Each front counts separately; its threads count together.
 */
import { SHARED_FACTS_BYTES, SharedFacts } from './shared-facts.ts';

/** Bytes of the shared memory: the time when the bucket of each key is full again. */
export const KEY_RATES_BYTES = SHARED_FACTS_BYTES;

/** Time units per millisecond; a number of shared facts holds more than eight years of them. */
const UNITS_A_MS = 1024;
const SECOND = 1000 * UNITS_A_MS;

export class KeyRates {
  readonly #fullAt: SharedFacts;
  readonly #now: () => number;

  /**
   * @param now milliseconds of a monotonic clock, the same in all threads
   * @param memory may be shared with other threads
   */
  constructor(now: () => number, memory = new SharedArrayBuffer(KEY_RATES_BYTES)) {
    this.#fullAt = new SharedFacts(memory);
    this.#now = now;
  }

  /**
   * Takes one token. @returns milliseconds until the next token; 0 if it was taken
   * @param perSecond at least 1
   */
  take(keyUid: string, perSecond: number): number {
    const now = Math.round(this.#now() * UNITS_A_MS);
    const token = Math.floor(SECOND / perSecond);
    let missing = 0;
    this.#fullAt.update(keyUid, (fullAt) => {
      const next = Math.max(fullAt, now) + token;
      missing = Math.max(0, next - now - SECOND);
      return missing > 0 ? fullAt : next;
    });
    return missing / UNITS_A_MS;
  }
}
