/** The rate limiters of one process, one per account; the least recently used are evicted. */
import { LRUCache } from 'lru-cache';
import { RateLimiter, type RateLimiterClock } from './rate-limiter.ts';

/** Evicting a rate limiter in use costs at most some refused requests. */
const ACCOUNTS_MAX = 256;

export class RateLimiters {
  readonly #byAccount: LRUCache<string, RateLimiter>;

  constructor(clock: RateLimiterClock) {
    this.#byAccount = new LRUCache({
      max: ACCOUNTS_MAX,
      memoMethod: () => new RateLimiter(clock),
    });
  }

  /** Limits apply to a host and a key, for all paths. */
  of(url: string, apiKey: string | null): RateLimiter {
    const account = `${URL.canParse(url) ? new URL(url).host : url} ${apiKey ?? ''}`;
    return this.#byAccount.memo(account);
  }
}
