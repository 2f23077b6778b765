/**
 * Counts wrong keys by address. Wrong keys of an address with too many of them within a minute are
 * limited until the minute is over. Right keys never are: clients behind a proxy share its address.
 * All threads of a front count together.
 */
import { isIPv6 } from 'node:net';
import { SHARED_FACTS_BYTES, SharedFacts } from './shared-facts.ts';

const MINUTE_MS = 60_000;
/** Known of an address: when its minute ends, in eighths of a second, × this + its wrong keys. */
const COUNT_END = 2 ** 17;
const EIGHTH_MS = 125;
/** Bytes of the shared memory. */
export const AUTH_RATE_LIMITER_BYTES = SHARED_FACTS_BYTES;
/** Of eight: one customer has at least such a network. */
const IPV6_NETWORK_GROUPS = 4;

export class AuthRateLimiter {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #guesses: SharedFacts;

  /**
   * @param perMinute wrong keys that an address may send; 0 = any number
   * @param now milliseconds of a clock that never goes back, the same in all threads
   * @param memory may be that of other threads
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

  /** Milliseconds for which wrong keys of the address are limited; 0 = they are not. */
  limitedMs(address: string): number {
    const { count, untilMs } = guessesOf(this.#guesses.get(networkOf(address)));
    return count < this.#perMinute ? 0 : Math.max(0, untilMs - this.#now());
  }

  /** A wrong key came from there. */
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
