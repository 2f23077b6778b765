/**
 * Rate limiter of one provider account: waits while the provider refuses requests, retries
 * transient failures.
 */

import { LRUCache } from 'lru-cache';
import { EmbeddingError } from '../embedder.ts';
import type { RateLimits } from './rate-limit-headers.ts';
import {
  afterAnswer,
  afterSending,
  failurePauseMs,
  INITIAL_STATE,
  type RateLimitState,
  waitMs,
} from './rate-limit-state.ts';

/** Result of one request. `rejected`: a retry would end the same way. */
export type Attempt<T> =
  | { readonly outcome: 'success'; readonly value: T; readonly limits: RateLimits }
  | {
      readonly outcome: 'refused' | 'failed' | 'rejected';
      readonly error: Error;
      readonly limits: RateLimits;
    };

export interface RetryPolicy {
  /** Retry time of a request after its first failure. */
  readonly failingMs: number;
  /** Longest wait for rate limits to pass, without one success of the account. */
  readonly refusedMs: number;
}

export interface RateLimiterClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** Timers have a maximum delay; a waiter that wakes too early waits again. */
const LONGEST_SLEEP_MS = 3_600_000;

export class RateLimiter {
  readonly #clock: RateLimiterClock;
  #state: RateLimitState = INITIAL_STATE;
  /** Waiters, woken by every answer; at most as many as concurrent requests. */
  readonly #waiting = new Set<() => void>();

  constructor(clock: RateLimiterClock) {
    this.#clock = clock;
  }

  /**
   * @param tokens estimated cost of the request
   * @param attempt sends the request once; never rejects
   * @returns the value of the first success, also when the signal fired while the request was
   * running. Rejects with the error of the last attempt, or with the reason of the signal
   */
  async run<T>(
    tokens: number,
    retryPolicy: RetryPolicy,
    signal: AbortSignal,
    attempt: () => Promise<Attempt<T>>,
  ): Promise<T> {
    let failures = 0;
    let failingSinceMs = Number.POSITIVE_INFINITY;
    for (;;) {
      await this.#turn(tokens, retryPolicy, signal);
      const ended = await attempt();
      const nowMs = this.#clock.now();
      this.#learn(ended, nowMs);
      if (ended.outcome === 'success') return ended.value;
      signal.throwIfAborted();
      if (ended.outcome === 'rejected') throw ended.error;
      if (ended.outcome === 'refused') {
        if (nowMs - (this.#state.refusedSinceMs ?? nowMs) >= retryPolicy.refusedMs)
          throw ended.error;
        continue;
      }
      failures += 1;
      failingSinceMs = Math.min(failingSinceMs, nowMs);
      const pauseMs = failurePauseMs(failures, this.#clock.random());
      if (nowMs + pauseMs - failingSinceMs > retryPolicy.failingMs) throw ended.error;
      await this.#clock.sleep(pauseMs, signal);
    }
  }

  #learn(ended: Attempt<unknown>, nowMs: number): void {
    const outcome = ended.outcome === 'rejected' ? 'failed' : ended.outcome;
    const random = this.#clock.random();
    this.#state = afterAnswer(this.#state, { outcome, limits: ended.limits, nowMs, random });
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when the request may be sent; it counts as sent from then on. */
  async #turn(tokens: number, retryPolicy: RetryPolicy, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const nowMs = this.#clock.now();
      const ms = waitMs(this.#state, tokens, nowMs);
      if (ms === 0) {
        this.#state = afterSending(this.#state, tokens, nowMs);
        return;
      }
      if (Number.isFinite(ms) && ms > retryPolicy.refusedMs)
        throw new EmbeddingError(`its limits allow the next request in ${Math.ceil(ms / 1000)} s`);
      await this.#answerOrPause(ms, signal);
    }
  }

  async #answerOrPause(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const stop = (): void => woken.abort();
    this.#waiting.add(stop);
    signal.addEventListener('abort', stop, { once: true });
    // An answer ends the pause by rejecting it; the limits are evaluated again in both cases.
    const pauseMs = Math.min(ms, LONGEST_SLEEP_MS);
    await this.#clock.sleep(pauseMs, woken.signal).catch(() => undefined);
    signal.removeEventListener('abort', stop);
    this.#waiting.delete(stop);
  }
}

/** Evicting a rate limiter in use costs at most some refused requests. */
const ACCOUNTS_MAX = 256;

/** Returns a function that finds rate limiters: limits apply to a host and a key, for all paths. */
export function rateLimiters(
  clock: RateLimiterClock,
): (url: string, apiKey: string | null) => RateLimiter {
  const byAccount = new LRUCache<string, RateLimiter>({
    max: ACCOUNTS_MAX,
    memoMethod: () => new RateLimiter(clock),
  });
  return (url, apiKey) =>
    byAccount.memo(`${URL.canParse(url) ? new URL(url).host : url} ${apiKey ?? ''}`);
}
