/**
 * Counts wrong keys by address. From an address with too many of them within a minute the master
 * key is not looked at until the minute is over: it may be short enough to be guessed. Values of API
 * keys are not, so whoever shares the address with the guesser and has one goes on.
 * All threads of a front count together.
 */
import { isIPv6 } from 'node:net';
import { SHARED_FACTS_BYTES, SharedFacts } from './shared-facts.ts';

const MINUTE_MS = 60_000;
/** Known of an address: when its minute ends, in eighths of a second, × this + its wrong keys. */
const COUNT_END = 2 ** 17;
const EIGHTH_MS = 125;
/** Bytes of the shared memory: what is known of addresses, and the second when nothing is any more. */
export const GUESS_GUARD_BYTES = SHARED_FACTS_BYTES + Int32Array.BYTES_PER_ELEMENT;
/** Of eight: one customer has at least such a network. */
const IPV6_NETWORK_GROUPS = 4;

export class GuessGuard {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #guesses: SharedFacts;
  readonly #idleFromSecond: Int32Array;

  /**
   * @param perMinute wrong keys that an address may send; 0 = any number
   * @param now milliseconds of a clock that never goes back, the same in all threads
   * @param memory may be that of other threads
   */
  constructor(
    perMinute: number,
    now: () => number,
    memory = new SharedArrayBuffer(GUESS_GUARD_BYTES),
  ) {
    this.#perMinute = Math.min(perMinute, COUNT_END - 1);
    this.#now = now;
    this.#guesses = new SharedFacts(memory);
    this.#idleFromSecond = new Int32Array(memory, SHARED_FACTS_BYTES, 1);
  }

  /** Nobody has guessed lately, so no address needs to be looked at. */
  get isIdle(): boolean {
    return this.#now() >= Atomics.load(this.#idleFromSecond, 0) * 1000;
  }

  /** Milliseconds for which the address is shut out; 0 = it is not. */
  shutOutMs(address: string): number {
    const { count, untilMs } = guessesOf(this.#guesses.get(networkOf(address)));
    return count < this.#perMinute ? 0 : Math.max(0, untilMs - this.#now());
  }

  /** A wrong key came from there. */
  note(address: string): void {
    if (this.#perMinute === 0) return;
    const nowMs = this.#now();
    const endMs = nowMs + MINUTE_MS;
    Atomics.store(this.#idleFromSecond, 0, Math.ceil(endMs / 1000));
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
