/** The rate limiters of one process, one per account; the least recently used are evicted. */
import { LruMap } from '../../core/lru-map.ts';
import { Governor, type GovernorClock } from './governor.ts';

/** Evicting a rate limiter in use costs at most some refused requests. */
const ACCOUNTS_MAX = 256;

export class Governors {
  readonly #clock: GovernorClock;
  readonly #byAccount = new LruMap<string, Governor>(ACCOUNTS_MAX);

  constructor(clock: GovernorClock) {
    this.#clock = clock;
  }

  /** Limits apply to a host and a key, for all paths. */
  of(url: string, apiKey: string | null): Governor {
    const account = `${URL.canParse(url) ? new URL(url).host : url} ${apiKey ?? ''}`;
    return this.#byAccount.getOrMake(account, () => new Governor(this.#clock));
  }
}
