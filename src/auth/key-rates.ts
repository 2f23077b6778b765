/**
 * How often each key may ask: a bucket of tokens a key, filled evenly and holding what one second
 * brings. Counted by each front for itself.
 */
import { LruMap } from '../core/lru-map.ts';

interface Bucket {
  tokens: number;
  /** When `tokens` was right. */
  atMs: number;
}

/** Keys whose buckets are remembered; one that comes back has a full one. */
const BUCKETS_MAX = 10_000;
const SECOND_MS = 1000;

export class KeyRates {
  readonly #buckets = new LruMap<string, Bucket>(BUCKETS_MAX);
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes one token. @returns milliseconds until there is one; 0 when it was taken
   * @param perSecond at least 1
   */
  take(keyUid: string, perSecond: number): number {
    const nowMs = this.#now();
    const bucket = this.#buckets.getOrMake(keyUid, () => ({ tokens: perSecond, atMs: nowMs }));
    const brought = ((nowMs - bucket.atMs) * perSecond) / SECOND_MS;
    bucket.tokens = Math.min(perSecond, bucket.tokens + brought);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return ((1 - bucket.tokens) * SECOND_MS) / perSecond;
    bucket.tokens -= 1;
    return 0;
  }
}
