/** The rate of requests to a provider as decisions over data, and the headers that set it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type RateLimits,
  readRateLimits,
} from '../../../../src/embedding/providers/rate-limit-headers.ts';
import {
  afterAnswer,
  afterSending,
  failurePauseMs,
  INITIAL_STATE,
  LANES_MAX,
  type Outcome,
  type RateLimitState,
  waitMs,
} from '../../../../src/embedding/providers/rate-limit-state.ts';

const NOTHING: RateLimits = { retryAfterMs: null, requests: null, tokens: null };

const sendAndHear = (
  state: RateLimitState,
  outcome: Outcome,
  nowMs: number,
  limits = NOTHING,
): RateLimitState =>
  afterAnswer(afterSending(state, 10, nowMs), { outcome, limits, nowMs, random: 1 });

const succeed = (state: RateLimitState, times: number): RateLimitState =>
  Array.from({ length: times }).reduce<RateLimitState>(
    (now) => sendAndHear(now, 'success', 0),
    state,
  );

describe('lanes', () => {
  it('bound the requests under way, and grow with successes up to their limit', () => {
    const busy = afterSending(afterSending(INITIAL_STATE, 1, 0), 1, 0);
    expect(waitMs(INITIAL_STATE, 1, 0)).toBe(0);
    expect(waitMs(busy, 1, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(succeed(INITIAL_STATE, 2).lanes).toBe(INITIAL_STATE.lanes + 1);
    expect(succeed(INITIAL_STATE, 1000).lanes).toBe(LANES_MAX);
  });

  it('halve with a refusal, once for all that were under way', () => {
    const full = succeed(INITIAL_STATE, 1000);
    const three = [1, 2, 3].reduce<RateLimitState>((state) => afterSending(state, 1, 0), full);
    const refused = [1, 2, 3].reduce<RateLimitState>(
      (state) => afterAnswer(state, { outcome: 'refused', limits: NOTHING, nowMs: 5, random: 1 }),
      three,
    );
    expect(refused).toMatchObject({ lanes: LANES_MAX / 2, refusals: 1, inFlight: 0 });
  });

  it('do not change with failures of other kinds', () => {
    expect(sendAndHear(INITIAL_STATE, 'failed', 0)).toEqual(INITIAL_STATE);
  });
});

describe('a refusal', () => {
  it('pauses for as long as the provider says, ten minutes at most', () => {
    const told = sendAndHear(INITIAL_STATE, 'refused', 100, { ...NOTHING, retryAfterMs: 20_000 });
    expect(waitMs(told, 1, 100)).toBe(20_000);
    const absurd = sendAndHear(INITIAL_STATE, 'refused', 0, { ...NOTHING, retryAfterMs: 1e12 });
    expect(waitMs(absurd, 1, 0)).toBe(600_000);
  });

  it('without a word pauses longer each time, five seconds at most, then lets one try', () => {
    let state = INITIAL_STATE;
    let nowMs = 0;
    const pauses: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      state = sendAndHear(state, 'refused', nowMs);
      pauses.push(waitMs(state, 1, nowMs));
      nowMs = state.pausedUntilMs;
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    expect(waitMs(state, 1, nowMs)).toBe(0);
    expect(waitMs(afterSending(state, 1, nowMs), 1, nowMs)).toBe(Number.POSITIVE_INFINITY);
    expect(sendAndHear(state, 'success', nowMs)).toMatchObject({
      refusals: 0,
      refusedSinceMs: null,
    });
  });
});

describe('quotas that answers tell of', () => {
  const limitsOf = (remaining: number): RateLimits => ({
    ...NOTHING,
    requests: { remaining, resetMs: 1000 },
    tokens: { remaining: 100, resetMs: 2000 },
  });

  it('are kept: nothing goes that they do not cover, until they are full again', () => {
    const one = sendAndHear(INITIAL_STATE, 'success', 0, limitsOf(1));
    expect(waitMs(one, 100, 0)).toBe(0);
    expect(waitMs(one, 101, 0)).toBe(2000);
    const none = afterSending(one, 10, 0);
    expect(waitMs(none, 1, 300)).toBe(700);
    expect(waitMs(none, 1, 1000)).toBe(0);
  });

  it('count the requests that the provider has not seen yet', () => {
    const two = afterSending(afterSending(INITIAL_STATE, 1, 0), 1, 0);
    const answer = { outcome: 'success', limits: limitsOf(1), nowMs: 0, random: 1 } as const;
    expect(afterAnswer(two, answer).requests?.remaining).toBe(0);
  });
});

it('whatever happens, requests go on in the end and never all at once', () => {
  const step = fc.record({
    outcome: fc.constantFrom<Outcome>('success', 'refused', 'failed'),
    retryAfterMs: fc.option(fc.nat(1e7)),
    remaining: fc.option(fc.nat(5)),
    resetMs: fc.nat(1e7),
    random: fc.float({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let state = INITIAL_STATE;
      let nowMs = 0;
      for (const { outcome, retryAfterMs, remaining, resetMs, random } of steps) {
        const requests = remaining === null ? null : { remaining, resetMs };
        const waited = waitMs(state, 1, nowMs);
        expect(waited).toBeLessThan(1e7 + 1);
        nowMs += waited;
        const sent = afterSending(state, 1, nowMs);
        const limits = { retryAfterMs, requests, tokens: null };
        state = afterAnswer(sent, { outcome, limits, nowMs, random });
        expect(state.inFlight).toBe(0);
        expect(state.lanes).toBeGreaterThanOrEqual(1);
        expect(state.lanes).toBeLessThanOrEqual(LANES_MAX);
      }
    }),
  );
});

it('pauses after failures grow to ten seconds, spread by chance', () => {
  expect([1, 2, 3, 20].map((failures) => failurePauseMs(failures, 1))).toEqual([
    200, 400, 800, 10_000,
  ]);
  expect(failurePauseMs(1, 0)).toBe(100);
});

describe('headers', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '20' }, 20_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Thu, 01 Jan 2015 00:00:30 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, null],
    [{}, null],
  ])('%j pause for %s ms', (headers, ms) => {
    expect(readRateLimits(headers, nowMs).retryAfterMs).toBe(ms);
  });

  it.each([
    ['1s', 1000],
    ['6m0s', 360_000],
    ['1h30m', 5_400_000],
    ['20ms', 20],
    ['1.5s', 1500],
    ['7', 7000],
    [String(nowMs / 1000 + 9), 9000],
    ['2026-01-01T00:00:05Z', 5000],
  ])('say by %s that a quota is full again in %i ms', (reset, resetMs) => {
    const names = ['x-ratelimit-', 'ratelimit-'].map((start) => [
      `${start}remaining`,
      `${start}reset`,
    ]);
    for (const [remaining = '', name = ''] of [
      ...names,
      ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
    ])
      expect(readRateLimits({ [remaining]: '3', [name]: reset }, nowMs).requests).toEqual({
        remaining: 3,
        resetMs,
      });
    const tokens = { 'x-ratelimit-remaining-tokens': '3', 'x-ratelimit-reset-tokens': reset };
    expect(readRateLimits(tokens, nowMs).tokens).toEqual({ remaining: 3, resetMs });
  });

  it('that are incomplete or nonsense say nothing', () => {
    const nonsense = { 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': '1s' };
    for (const headers of [
      nonsense,
      { 'x-ratelimit-remaining': '3' },
      { 'x-ratelimit-reset': '1s' },
    ])
      expect(readRateLimits(headers, nowMs).requests).toBeNull();
  });
});
