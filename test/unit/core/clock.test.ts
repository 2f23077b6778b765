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
    const beforeMs = Date.now();
    const times = Array.from({ length: 2000 }, clock);
    const afterMs = Date.now();
    expect(
      times.every((time, i) => Number.isInteger(time) && (i === 0 || time > (times[i - 1] ?? 0))),
    ).toBe(true);
    expect((times[0] ?? 0) / 1000).toBeGreaterThan(beforeMs - 25);
    expect((times.at(-1) ?? 0) / 1000).toBeLessThan(afterMs + 25);
  });

  describe('when the wall clock is set', () => {
    const DAY_MS = 86_400_000;
    function setUp() {
      const now = { wallMs: 1_800_000_000_000, monotonicMs: 5000 };
      const clock = systemClock(
        () => now.wallMs,
        () => now.monotonicMs,
      );
      const pass = (ms: number) => {
        now.wallMs += ms;
        now.monotonicMs += ms;
        return clock() / 1000;
      };
      return { now, pass };
    }

    it('forward, follows at once', () => {
      const { now, pass } = setUp();
      pass(10);
      now.wallMs += DAY_MS;
      expect(pass(5)).toBe(now.wallMs);
      expect(pass(5)).toBe(now.wallMs);
    });

    it.each([50, 1000, DAY_MS])('back by %i ms, goes on nearly as fast until it is right', (ms) => {
      const { now, pass } = setUp();
      const before = pass(10);
      now.wallMs -= ms;
      expect(pass(1000) - before).toBeCloseTo(990, 3);
      const steps = Array.from({ length: 20 }, () => pass(ms * 10));
      expect(steps).toEqual([...steps].sort((a, b) => a - b));
      expect((steps.at(-1) ?? 0) - now.wallMs).toBeLessThan(21);
    });

    it('a little, as a leap second or a correction does it, never goes back', () => {
      const { now, pass } = setUp();
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.integer({ min: -1500, max: 1500 }), fc.nat(50))),
          (set) => {
            for (const [shift, ms] of set) {
              const before = pass(0);
              now.wallMs += shift;
              expect(pass(ms) - before).toBeGreaterThanOrEqual(ms * 0.98);
            }
          },
        ),
      );
    });
  });
});
