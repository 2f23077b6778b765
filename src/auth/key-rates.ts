/**
 * Request rate limits of API keys: a token bucket for each key that holds the tokens of one second.
 * Each front counts on its own.
 */
import { LRUCache } from 'lru-cache';

/** Whole microseconds, so that tokens add up to a second. */
const SECOND_US = 1_000_000;
const US_PER_MS = 1000;
/** Keys beyond this number start with a full bucket. */
const KEYS_MAX = 8192;

export class KeyRates {
  /** When the bucket of each key is full again, in µs of the clock. */
  readonly #fullAtUs = new LRUCache<string, number>({ max: KEYS_MAX });
  readonly #now: () => number;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes one token. @returns milliseconds until a token is available; 0 = taken
   * @param perSecond at least 1
   */
  take(keyUid: string, perSecond: number): number {
    const nowUs = Math.round(this.#now() * US_PER_MS);
    const startUs = Math.max(this.#fullAtUs.get(keyUid) ?? 0, nowUs);
    const nextUs = startUs + Math.floor(SECOND_US / perSecond);
    const missingUs = Math.max(0, nextUs - nowUs - SECOND_US);
    if (missingUs === 0) this.#fullAtUs.set(keyUid, nextUs);
    return missingUs / US_PER_MS;
  }
}
