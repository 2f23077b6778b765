/** When a child process counts as hanging. */
import { expect, it } from 'vitest';
import { HangWatch } from '../../../src/runtime/hang-watch.ts';

const LOOK_MS = 5000;

/** @returns time at which a look finds that the child hangs; null = none does */
function found(looks: readonly number[], reports: readonly number[]): number | null {
  const watch = new HangWatch(60_000, LOOK_MS, 0);
  for (const [i, ms] of looks.entries()) {
    const since = looks[i - 1] ?? 0;
    for (const report of reports) if (report > since && report <= ms) watch.reported(report);
    if (watch.hangs(ms)) return ms;
  }
  return null;
}

const every = (count: number, fromMs = LOOK_MS) =>
  Array.from({ length: count }, (_, i) => fromMs + i * LOOK_MS);

it('a child that reports does not hang', () => {
  expect(found(every(100), every(100))).toBe(null);
});

it('a child hangs a minute after its last report', () => {
  expect(found(every(100), [5000, 10_000])).toBe(70_000);
});

it('time in which the parent was suspended does not count', () => {
  const resumed = [...every(4), ...every(20, 900_000)];
  expect(found(resumed, [905_000])).toBe(965_000);
  expect(found([...every(4), ...every(5, 900_000)], [])).toBe(null);
});

it('a starved parent finds nothing', () => {
  const late = Array.from({ length: 50 }, (_, i) => i * 3 * LOOK_MS);
  expect(found(late, [])).toBe(null);
});
