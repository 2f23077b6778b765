/** Text forms of dates and durations, and a clock that only moves forward. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDate, formatDuration, systemClock } from '../../../src/core/clock.ts';

describe('dates', () => {
  it('are RFC 3339 in UTC with microseconds', () => {
    expect(formatDate(0)).toBe('1970-01-01T00:00:00.000000Z');
    expect(formatDate(1_723_136_755_791_772)).toBe('2024-08-08T17:05:55.791772Z');
    expect(formatDate(1_723_136_755_000_001)).toBe('2024-08-08T17:05:55.000001Z');
  });

  it('sort as text like the times', () => {
    const time = fc.integer({ min: 0, max: 4_000_000_000_000_000 });
    fc.assert(fc.property(time, time, (a, b) => formatDate(a) < formatDate(b) === a < b));
  });
});

describe('durations', () => {
  it('have days and seconds, and a fraction of 3 or 6 digits only when there is one', () => {
    expect(formatDuration(0)).toBe('PT0S');
    expect(formatDuration(112_000)).toBe('PT0.112S');
    expect(formatDuration(1_000_123)).toBe('PT1.000123S');
    expect(formatDuration(60_000_000)).toBe('PT60S');
    expect(formatDuration(86_400_000_000 + 12_500_000)).toBe('P1DT12.500S');
    expect(formatDuration(2 * 86_400_000_000)).toBe('P2D');
    expect(formatDuration(-1)).toBeNull();
  });
});

describe('system clock', () => {
  it('gives whole, strictly growing microseconds of now', () => {
    const clock = systemClock();
    const times = Array.from({ length: 2000 }, clock);
    expect(
      times.every((time, i) => Number.isInteger(time) && (i === 0 || time > (times[i - 1] ?? 0))),
    ).toBe(true);
    expect(Math.abs((times.at(-1) ?? 0) / 1000 - Date.now())).toBeLessThan(100);
  });
});
