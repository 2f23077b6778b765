/**
 * Counts invalid keys by address. After too many invalid keys within a minute, further invalid keys
 * of the address are refused until the minute is over. Valid keys are never limited, because
 * clients behind a proxy share its address. Shared by all threads of a front.
 */
import { isIPv6 } from 'node:net';
import { SHARED_FACTS_BYTES, SharedFacts } from './shared-facts.ts';

const MINUTE_MS = 60_000;
/** State of an address: end of its minute, in eighths of a second, × this + its invalid keys. */
const COUNT_END = 2 ** 17;
const EIGHTH_MS = 125;
/** Bytes of the shared memory. */
export const AUTH_RATE_LIMITER_BYTES = SHARED_FACTS_BYTES;
/** Of eight groups; one customer owns at least this network. */
const IPV6_NETWORK_GROUPS = 4;

export class AuthRateLimiter {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #guesses: SharedFacts;

  /**
   * @param perMinute invalid keys that an address may send; 0 = unlimited
   * @param now milliseconds of a monotonic clock, the same in all threads
   * @param memory may be shared with other threads
   */
  constructor(
    perMinute: number,
    now: () => number,
    memory = new SharedArrayBuffer(AUTH_RATE_LIMITER_BYTES),
  ) {
    this.#perMinute = Math.min(perMinute, COUNT_END - 1);
    this.#now = now;
    this.#guesses = new SharedFacts(memory);
  }

  /** Milliseconds for which invalid keys of the address are refused; 0 = not limited. */
  limitedMs(address: string): number {
    const { count, untilMs } = guessesOf(this.#guesses.get(networkOf(address)));
    return count < this.#perMinute ? 0 : Math.max(0, untilMs - this.#now());
  }

  /** Counts an invalid key of the address. */
  note(address: string): void {
    if (this.#perMinute === 0) return;
    const nowMs = this.#now();
    const endMs = nowMs + MINUTE_MS;
    this.#guesses.update(networkOf(address), (fact) => {
      const { count, untilMs } = guessesOf(fact);
      if (nowMs >= untilMs) return Math.ceil(endMs / EIGHTH_MS) * COUNT_END + 1;
      return count + 1 < COUNT_END ? fact + 1 : fact;
    });
  }
}

const guessesOf = (fact: number): { readonly count: number; readonly untilMs: number } => ({
  count: fact % COUNT_END,
  untilMs: Math.floor(fact / COUNT_END) * EIGHTH_MS,
});

/** IPv6 addresses of one network count as one. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const { hostname } = new URL(`http://[${address.split('%')[0]}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right];
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,ffff';
  return groups.slice(0, isMapped ? groups.length : IPV6_NETWORK_GROUPS).join(':');
}
