/** What the threads of a front count together: wrong keys by address, requests by key. */
import { describe, expect, it } from 'vitest';
import { AUTH_RATE_LIMITER_BYTES, AuthRateLimiter } from '../../../src/auth/auth-rate-limiter.ts';
import { KEY_RATES_BYTES, KeyRates } from '../../../src/auth/key-rates.ts';
import { SHARED_FACTS_BYTES, SharedFacts } from '../../../src/auth/shared-facts.ts';

describe('SharedFacts', () => {
  it('have a number for each name, in all threads the same', () => {
    const memory = new SharedArrayBuffer(SHARED_FACTS_BYTES);
    const [one, other] = [new SharedFacts(memory), new SharedFacts(memory)];
    const names = Array.from({ length: 1000 }, (_, i) => `name ${i}`);
    names.forEach((name, i) => {
      one.update(name, () => 2 ** 47 + i);
    });
    expect(names.map((name) => other.get(name))).toEqual(names.map((_, i) => 2 ** 47 + i));
    other.update('name 7', (known) => known + 1);
    expect(one.get('name 7')).toBe(2 ** 47 + 8);
    expect(one.get('another')).toBe(0);
  });

  it('let the least number go where there is no room', () => {
    const facts = new SharedFacts(new SharedArrayBuffer(SHARED_FACTS_BYTES));
    const count = 40_000;
    for (let i = 1; i <= count; i++) facts.update(`name ${i}`, () => i);
    const known = Array.from({ length: count }, (_, i) => facts.get(`name ${i + 1}`) === i + 1);
    expect(known.slice(-500).every((isKnown) => isKnown)).toBe(true);
    expect(known.filter((isKnown) => isKnown).length).toBeLessThanOrEqual(SHARED_FACTS_BYTES / 8);
  });
});

describe('KeyRates', () => {
  it('are those of all threads together', () => {
    const memory = new SharedArrayBuffer(KEY_RATES_BYTES);
    let nowMs = 5000;
    const threads = [0, 1, 2].map(() => new KeyRates(() => nowMs, memory));
    const taken = (perSecond: number) =>
      threads.flatMap((rates) => Array.from({ length: 10 }, () => rates.take('key', perSecond)));
    expect(taken(7).filter((waitMs) => waitMs === 0)).toHaveLength(7);
    nowMs += 1000;
    const waits = taken(7);
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(7);
    expect(Math.max(...waits)).toBeCloseTo(1000 / 7, 1);
    nowMs += 143;
    expect(threads[2]!.take('key', 7)).toBe(0);
    expect(threads[0]!.take('key', 7)).toBeGreaterThan(0);
    expect(threads[0]!.take('another', 7)).toBe(0);
  });
});

describe('AuthRateLimiter', () => {
  it('limits by what all threads have seen', () => {
    const memory = new SharedArrayBuffer(AUTH_RATE_LIMITER_BYTES);
    let nowMs = 3_000_000_123;
    const [one, other] = [0, 1].map(() => new AuthRateLimiter(4, () => nowMs, memory)) as [
      AuthRateLimiter,
      AuthRateLimiter,
    ];
    for (let i = 0; i < 3; i++) one.note('192.0.2.1');
    expect(other.limitedMs('192.0.2.1')).toBe(0);
    other.note('192.0.2.1');
    expect(one.limitedMs('192.0.2.1')).toBeGreaterThanOrEqual(60_000);
    expect(one.limitedMs('192.0.2.1')).toBeLessThan(60_200);
    expect(one.limitedMs('192.0.2.2')).toBe(0);
    nowMs += 60_200;
    expect(one.limitedMs('192.0.2.1')).toBe(0);
  });
});
