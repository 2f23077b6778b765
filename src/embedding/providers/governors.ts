/** The governors of one process, one an account; the least lately used are forgotten. */
import { LruMap } from '../../core/lru-map.ts';
import { Governor, type GovernorClock } from './governor.ts';

/** Forgetting one that is in use costs some refusals at most. */
const ACCOUNTS_MAX = 256;

export class Governors {
  readonly #clock: GovernorClock;
  readonly #byAccount = new LruMap<string, Governor>(ACCOUNTS_MAX);

  constructor(clock: GovernorClock) {
    this.#clock = clock;
  }

  /** Limits are of a host and a key, whatever the path. */
  of(url: string, apiKey: string | null): Governor {
    const account = `${URL.canParse(url) ? new URL(url).host : url} ${apiKey ?? ''}`;
    return this.#byAccount.getOrMake(account, () => new Governor(this.#clock));
  }
}
