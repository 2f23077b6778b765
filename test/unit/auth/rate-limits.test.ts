/** Limits on invalid keys by address and on requests by key. */
import { expect, it } from 'vitest';
import { AuthRateLimiter } from '../../../src/auth/auth-rate-limiter.ts';
import { KeyRates } from '../../../src/auth/key-rates.ts';

it('a key gets its requests per second, evenly spread after the first second', () => {
  let nowMs = 5000;
  const rates = new KeyRates(() => nowMs);
  const taken = () => Array.from({ length: 30 }, () => rates.take('key', 7));
  expect(taken().filter((waitMs) => waitMs === 0)).toHaveLength(7);
  nowMs += 1000;
  const waits = taken();
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(7);
  expect(Math.max(...waits)).toBeCloseTo(1000 / 7, 1);
  nowMs += 143;
  expect(rates.take('key', 7)).toBe(0);
  expect(rates.take('key', 7)).toBeGreaterThan(0);
  expect(rates.take('another', 7)).toBe(0);
});

it('an address with too many invalid keys is limited until its minute is over', () => {
  let nowMs = 3_000_000_123;
  const limiter = new AuthRateLimiter(4, () => nowMs);
  for (let i = 0; i < 3; i++) limiter.note('192.0.2.1');
  expect(limiter.limitedMs('192.0.2.1')).toBe(0);
  nowMs += 1000;
  limiter.note('192.0.2.1');
  expect(limiter.limitedMs('192.0.2.1')).toBe(59_000);
  expect(limiter.limitedMs('192.0.2.2')).toBe(0);
  nowMs += 59_000;
  expect(limiter.limitedMs('192.0.2.1')).toBe(0);
  limiter.note('192.0.2.1');
  expect(limiter.limitedMs('192.0.2.1')).toBe(0);
});

it('addresses of one IPv6 network count together', () => {
  const limiter = new AuthRateLimiter(1, () => 0);
  limiter.note('2001:db8:1:2::5');
  expect(limiter.limitedMs('2001:db8:1:2:3:4:5:6')).toBe(60_000);
  expect(limiter.limitedMs('2001:db8:1:3::5')).toBe(0);
});
