/** Which writes of a process that was paused may be acknowledged. */
import { expect, it } from 'vitest';
import { WriteGuard } from '../../../../src/storage/database/write-guard.ts';

const at = (monotonicMs: number, wallMs = monotonicMs) => ({ monotonicMs, wallMs });

it('acknowledges writes that follow each other within the limit', () => {
  const guard = new WriteGuard(100, at(0));
  expect(guard.mayAcknowledge(at(60), at(90))).toBe(true);
  expect(guard.mayAcknowledge(at(120), at(155))).toBe(true);
});

it('refuses a write after a pause within it', () => {
  expect(new WriteGuard(100, at(0)).mayAcknowledge(at(10), at(111))).toBe(false);
});

it('refuses a quick write after a pause before it', () => {
  const guard = new WriteGuard(100, at(0));
  expect(guard.mayAcknowledge(at(10), at(20))).toBe(true);
  expect(guard.mayAcknowledge(at(300), at(301))).toBe(false);
});

it('reads the clock that went on while the machine slept', () => {
  const guard = new WriteGuard(100, at(0));
  expect(guard.mayAcknowledge(at(10, 10), at(11, 400))).toBe(false);
});
