/**
 * Learns from responses how fast a provider may be called: pure decisions over data. Times are
 * milliseconds of one monotonic clock.
 */
import type { Quota, RateLimits } from './rate-limit-headers.ts';

/** The remaining quota until it is full again. */
interface Budget {
  readonly remaining: number;
  readonly resetAtMs: number;
}

export interface Pace {
  readonly inFlight: number;
  /** Concurrent requests; grows with successes, halves with a refusal. */
  readonly lanes: number;
  /** Since `lanes` last changed. */
  readonly successes: number;
  /** Refusals since the last success; above 0, requests go one by one. */
  readonly refusals: number;
  /** Time of the first of these refusals. */
  readonly refusedSinceMs: number | null;
  /** No request is sent before this time. */
  readonly pausedUntilMs: number;
  readonly requests: Budget | null;
  readonly tokens: Budget | null;
}

/**
 * - success: there is a response to read
 * - refused: too many requests
 * - failed: anything else; has no effect on the pace
 */
export type Outcome = 'success' | 'refused' | 'failed';

const LANES_START = 2;
export const LANES_MAX = 16;

const REFUSAL_PAUSE_MS = 250;
/** A probe every five seconds detects the end of a refusal soon enough at no cost. */
const REFUSAL_PAUSE_MS_MAX = 5000;
/** Upper bound of the waits that a provider states. */
const RETRY_AFTER_MS_MAX = 600_000;

const FAILURE_PAUSE_MS = 200;
const FAILURE_PAUSE_MS_MAX = 10_000;

export const FIRST_PACE: Pace = {
  inFlight: 0,
  lanes: LANES_START,
  successes: 0,
  refusals: 0,
  refusedSinceMs: null,
  pausedUntilMs: 0,
  requests: null,
  tokens: null,
};

/** Milliseconds until a request may be sent: 0 = now, infinity = after the next response. */
export function waitMs(pace: Pace, tokens: number, nowMs: number): number {
  if (pace.pausedUntilMs > nowMs) return pace.pausedUntilMs - nowMs;
  if (pace.inFlight >= (pace.refusals > 0 ? 1 : pace.lanes)) return Number.POSITIVE_INFINITY;
  return Math.max(untilEnough(pace.requests, 1, nowMs), untilEnough(pace.tokens, tokens, nowMs));
}

/** A request larger than the whole quota is sent when the quota is full. */
function untilEnough(budget: Budget | null, cost: number, nowMs: number): number {
  if (budget === null || budget.resetAtMs <= nowMs || budget.remaining >= cost) return 0;
  return budget.resetAtMs - nowMs;
}

export function afterSending(pace: Pace, tokens: number, nowMs: number): Pace {
  return {
    ...pace,
    inFlight: pace.inFlight + 1,
    requests: spent(pace.requests, 1, nowMs),
    tokens: spent(pace.tokens, tokens, nowMs),
  };
}

const spent = (budget: Budget | null, cost: number, nowMs: number): Budget | null =>
  budget === null || budget.resetAtMs <= nowMs
    ? null
    : { ...budget, remaining: budget.remaining - cost };

/** @param random from 0 to 1 */
export function afterAnswer(
  pace: Pace,
  outcome: Outcome,
  limits: RateLimits,
  nowMs: number,
  random: number,
): Pace {
  const known: Pace = {
    ...pace,
    inFlight: pace.inFlight - 1,
    requests: learnt(pace.requests, limits.requests, pace.inFlight - 1, nowMs),
    tokens: learnt(pace.tokens, limits.tokens, 0, nowMs),
  };
  if (outcome === 'failed') return known;
  if (outcome === 'refused') return afterRefusal(known, limits.retryAfterMs, nowMs, random);
  const grows = pace.successes + 1 >= pace.lanes && pace.lanes < LANES_MAX;
  return {
    ...known,
    lanes: grows ? pace.lanes + 1 : pace.lanes,
    successes: grows ? 0 : pace.successes + 1,
    refusals: 0,
    refusedSinceMs: null,
  };
}

/** @param underway requests that the provider may not have counted yet */
function learnt(
  known: Budget | null,
  told: Quota | null,
  underway: number,
  nowMs: number,
): Budget | null {
  if (told === null) return known;
  return { remaining: told.remaining - underway, resetAtMs: nowMs + told.resetMs };
}

function afterRefusal(
  pace: Pace,
  retryAfterMs: number | null,
  nowMs: number,
  random: number,
): Pace {
  // Refusals of requests that were running at the first refusal add no information.
  const isNews = pace.pausedUntilMs <= nowMs;
  const refusals = isNews ? pace.refusals + 1 : pace.refusals;
  const pauseMs =
    retryAfterMs === null
      ? jittered(REFUSAL_PAUSE_MS * 2 ** (refusals - 1), REFUSAL_PAUSE_MS_MAX, random)
      : Math.min(retryAfterMs, RETRY_AFTER_MS_MAX);
  const isLonger = isNews || retryAfterMs !== null;
  return {
    ...pace,
    lanes: isNews ? Math.max(1, pace.lanes >> 1) : pace.lanes,
    successes: 0,
    refusals,
    refusedSinceMs: pace.refusedSinceMs ?? nowMs,
    pausedUntilMs: isLonger ? Math.max(pace.pausedUntilMs, nowMs + pauseMs) : pace.pausedUntilMs,
  };
}

/**
 * Pause before a failed request is retried. @param failures of it so far, 1 or more
 * @param random from 0 to 1
 */
export const failurePauseMs = (failures: number, random: number): number =>
  jittered(FAILURE_PAUSE_MS * 2 ** (failures - 1), FAILURE_PAUSE_MS_MAX, random);

/** Between half of the pause and all of it, so that waiting requests do not retry together. */
const jittered = (ms: number, msMax: number, random: number): number =>
  Math.min(ms, msMax) * (0.5 + random / 2);
