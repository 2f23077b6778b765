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

export interface RateLimitState {
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
 * - failed: anything else; has no effect on the state
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

export const INITIAL_STATE: RateLimitState = {
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
export function waitMs(state: RateLimitState, tokens: number, nowMs: number): number {
  if (state.pausedUntilMs > nowMs) return state.pausedUntilMs - nowMs;
  if (state.inFlight >= (state.refusals > 0 ? 1 : state.lanes)) return Number.POSITIVE_INFINITY;
  return Math.max(untilEnough(state.requests, 1, nowMs), untilEnough(state.tokens, tokens, nowMs));
}

/** A request larger than the whole quota is sent when the quota is full. */
function untilEnough(budget: Budget | null, cost: number, nowMs: number): number {
  if (budget === null || budget.resetAtMs <= nowMs || budget.remaining >= cost) return 0;
  return budget.resetAtMs - nowMs;
}

export function afterSending(state: RateLimitState, tokens: number, nowMs: number): RateLimitState {
  return {
    ...state,
    inFlight: state.inFlight + 1,
    requests: spent(state.requests, 1, nowMs),
    tokens: spent(state.tokens, tokens, nowMs),
  };
}

const spent = (budget: Budget | null, cost: number, nowMs: number): Budget | null =>
  budget === null || budget.resetAtMs <= nowMs
    ? null
    : { ...budget, remaining: budget.remaining - cost };

interface Answer {
  readonly outcome: Outcome;
  readonly limits: RateLimits;
  readonly nowMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

export function afterAnswer(
  state: RateLimitState,
  { outcome, limits, nowMs, random }: Answer,
): RateLimitState {
  const known: RateLimitState = {
    ...state,
    inFlight: state.inFlight - 1,
    requests: learnt(state.requests, limits.requests, state.inFlight - 1, nowMs),
    tokens: learnt(state.tokens, limits.tokens, 0, nowMs),
  };
  if (outcome === 'failed') return known;
  if (outcome === 'refused') return afterRefusal(known, limits.retryAfterMs, nowMs, random);
  const grows = state.successes + 1 >= state.lanes && state.lanes < LANES_MAX;
  return {
    ...known,
    lanes: grows ? state.lanes + 1 : state.lanes,
    successes: grows ? 0 : state.successes + 1,
    refusals: 0,
    refusedSinceMs: null,
  };
}

/** @param underway requests that the provider may not have counted yet */
function learnt(
  known: Budget | null,
  stated: Quota | null,
  underway: number,
  nowMs: number,
): Budget | null {
  if (stated === null) return known;
  return { remaining: stated.remaining - underway, resetAtMs: nowMs + stated.resetMs };
}

function afterRefusal(
  state: RateLimitState,
  retryAfterMs: number | null,
  nowMs: number,
  random: number,
): RateLimitState {
  // Refusals of requests that were running at the first refusal add no information.
  const isNews = state.pausedUntilMs <= nowMs;
  const refusals = isNews ? state.refusals + 1 : state.refusals;
  const pauseMs =
    retryAfterMs === null
      ? jittered(REFUSAL_PAUSE_MS * 2 ** (refusals - 1), REFUSAL_PAUSE_MS_MAX, random)
      : Math.min(retryAfterMs, RETRY_AFTER_MS_MAX);
  const isLonger = isNews || retryAfterMs !== null;
  return {
    ...state,
    lanes: isNews ? Math.max(1, state.lanes >> 1) : state.lanes,
    successes: 0,
    refusals,
    refusedSinceMs: state.refusedSinceMs ?? nowMs,
    pausedUntilMs: isLonger ? Math.max(state.pausedUntilMs, nowMs + pauseMs) : state.pausedUntilMs,
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
