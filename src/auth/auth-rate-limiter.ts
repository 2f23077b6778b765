/**
 * Counts invalid API keys by address. An address that sends too many within a minute gets no answer
 * for invalid keys until the minute is over. Valid keys are never limited, because clients behind a
 * proxy share its address. Each front counts on its own.
 */
import { isIPv6 } from 'node:net';
import ipaddr, { type IPv6 } from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '../core/errors.ts';

export class TooManyWrongKeys extends TooManyRequests {
  constructor(retryAfterMs: number) {
    super(
      retryAfterMs,
      'The API key is invalid, and too many invalid API keys came from this address.',
    );
  }
}

const MINUTE_MS = 60_000;
/** The counts of the least recently seen addresses beyond this number are forgotten. */
const ADDRESSES_MAX = 8192;
/** Groups (of 8) of the smallest IPv6 network that one customer gets. */
const IPV6_NETWORK_GROUPS = 4;

interface WrongKeys {
  count: number;
  /** End of the minute, in ms of the clock. */
  readonly untilMs: number;
}

export class AuthRateLimiter {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #wrongKeys = new LRUCache<string, WrongKeys>({ max: ADDRESSES_MAX });

  /**
   * @param perMinute invalid keys that an address may send; 0 = no limit
   * @param now milliseconds of a monotonic clock
   */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Milliseconds for which invalid keys of the address are limited; 0 = not limited. */
  limitedMs(address: string): number {
    const known = this.#wrongKeys.peek(networkOf(address));
    if (known === undefined || known.count < this.#perMinute) return 0;
    return Math.max(0, known.untilMs - this.#now());
  }

  note(address: string): void {
    if (this.#perMinute === 0) return;
    const network = networkOf(address);
    const nowMs = this.#now();
    const known = this.#wrongKeys.get(network);
    if (known !== undefined && nowMs < known.untilMs) known.count++;
    else this.#wrongKeys.set(network, { count: 1, untilMs: nowMs + MINUTE_MS });
  }
}

/** IPv6 addresses of one network count as one. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const ip = ipaddr.process(address);
  return ip.kind() === 'ipv4'
    ? ip.toString()
    : (ip as IPv6).parts.slice(0, IPV6_NETWORK_GROUPS).join(':');
}
