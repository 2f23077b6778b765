/**
 * How often each key may ask: a bucket of tokens a key, filled evenly and holding what one second
 * brings. Counted by each front for itself, all of its threads together.
 */
import { SHARED_FACTS_BYTES, SharedFacts } from './shared-facts.ts';

/** Bytes of the shared memory: when the bucket of each key is full again. */
export const KEY_RATES_BYTES = SHARED_FACTS_BYTES;

/** A number of shared facts holds more than eight years of them. */
const UNITS_A_MS = 1024;
const SECOND = 1000 * UNITS_A_MS;

export class KeyRates {
  readonly #fullAt: SharedFacts;
  readonly #now: () => number;

  /**
   * @param now milliseconds of a clock that never goes back, the same in all threads
   * @param memory may be that of other threads
   */
  constructor(now: () => number, memory = new SharedArrayBuffer(KEY_RATES_BYTES)) {
    this.#fullAt = new SharedFacts(memory);
    this.#now = now;
  }

  /**
   * Takes one token. @returns milliseconds until there is one; 0 when it was taken
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
