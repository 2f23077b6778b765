/** Binary search by a condition. */
import { expect, it } from 'vitest';
import { partitionPoint } from '../../../src/core/partition-point.ts';

it('finds the first number for which the condition no longer holds, in every range', () => {
  for (let start = -4; start <= 4; start++)
    for (let end = start; end <= 4; end++)
      for (let first = start; first <= end; first++)
        expect(partitionPoint(start, end, (number) => number < first)).toBe(first);
});

it('finds numbers beyond 32 bits', () => {
  const first = 2 ** 40 + 7;
  expect(partitionPoint(0, 2 ** 45, (number) => number < first)).toBe(first);
});
