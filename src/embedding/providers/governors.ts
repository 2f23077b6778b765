/** The governors of one process, one an account; the least lately used are forgotten. */
import { Governor, type GovernorClock } from './governor.ts';

/** Forgetting one that is in use costs some refusals at most. */
const ACCOUNTS_MAX = 256;

export class Governors {
  readonly #clock: GovernorClock;
  /** Least lately used first. */
  readonly #byAccount = new Map<string, Governor>();

  constructor(clock: GovernorClock) {
    this.#clock = clock;
  }

  /** Limits are of a host and a key, whatever the path. */
  of(url: string, apiKey: string | null): Governor {
    const account = `${URL.canParse(url) ? new URL(url).host : url} ${apiKey ?? ''}`;
    const governor = this.#byAccount.get(account) ?? new Governor(this.#clock);
    this.#byAccount.delete(account);
    this.#byAccount.set(account, governor);
    const [oldest] = this.#byAccount.keys();
    if (this.#byAccount.size > ACCOUNTS_MAX && oldest !== undefined) this.#byAccount.delete(oldest);
    return governor;
  }
}
