/** The rate limiters of one process, one per account; the least recently used are evicted. */
import { LruMap } from '../../core/lru-map.ts';
import { RateLimiter, type RateLimiterClock } from './rate-limiter.ts';

/** Evicting a rate limiter in use costs at most some refused requests. */
const ACCOUNTS_MAX = 256;

export class RateLimiters {
  readonly #clock: RateLimiterClock;
  readonly #byAccount = new LruMap<string, RateLimiter>(ACCOUNTS_MAX);

  constructor(clock: RateLimiterClock) {
    this.#clock = clock;
  }

  /** Limits apply to a host and a key, for all paths. */
  of(url: string, apiKey: string | null): RateLimiter {
    const account = `${URL.canParse(url) ? new URL(url).host : url} ${apiKey ?? ''}`;
    return this.#byAccount.getOrMake(account, () => new RateLimiter(this.#clock));
  }
}
