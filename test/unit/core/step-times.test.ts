/** Times of steps, measured by a clock that the test sets. */
import { expect, it } from 'vitest';
import { StepTimes } from '../../../src/core/step-times.ts';

it('gives each step what has passed since the step before, and adds up repeated ones', () => {
  let nowMs = 100;
  const times = new StepTimes(() => nowMs);
  times.add('wait', 0.5);
  nowMs = 101.25;
  times.end('rank');
  nowMs = 103;
  times.end('write');
  nowMs = 104;
  times.end('rank');
  expect(Object.entries(times.details)).toEqual([
    ['wait', '0.50ms'],
    ['rank', '2.25ms'],
    ['write', '1.75ms'],
  ]);
});
