/**
 * Counts wrong keys by address. From an address with too many of them within a minute the master
 * key is not looked at until the minute is over: it may be short enough to be guessed. Values of API
 * keys are not, so whoever shares the address with the guesser and has one goes on.
 */
import { isIPv6 } from 'node:net';
import { LruMap } from '../core/lru-map.ts';

interface Guesses {
  count: number;
  untilMs: number;
}

const MINUTE_MS = 60_000;
/** Addresses that are remembered; the one that guessed longest ago is forgotten first. */
const ADDRESSES_MAX = 10_000;
/** Of eight: one customer has at least such a network. */
const IPV6_NETWORK_GROUPS = 4;

export class GuessGuard {
  readonly #perMinute: number;
  readonly #now: () => number;
  #idleFromMs = 0;
  readonly #guesses = new LruMap<string, Guesses>(ADDRESSES_MAX);

  /**
   * @param perMinute wrong keys that an address may send; 0 = any number
   * @param now milliseconds of a clock that never goes back
   */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Nobody has guessed lately, so no address needs to be looked at. */
  get isIdle(): boolean {
    return this.#now() >= this.#idleFromMs;
  }

  /** Milliseconds for which the address is shut out; 0 = it is not. */
  shutOutMs(address: string): number {
    const guesses = this.#guesses.peek(networkOf(address));
    if (guesses === undefined || guesses.count < this.#perMinute) return 0;
    return Math.max(0, guesses.untilMs - this.#now());
  }

  /** A wrong key came from there. */
  note(address: string): void {
    if (this.#perMinute === 0) return;
    const network = networkOf(address);
    const nowMs = this.#now();
    this.#idleFromMs = nowMs + MINUTE_MS;
    const known = this.#guesses.get(network);
    if (known !== undefined && nowMs < known.untilMs) known.count += 1;
    else this.#guesses.set(network, { count: 1, untilMs: nowMs + MINUTE_MS });
  }
}

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
