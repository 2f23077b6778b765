/** Values of maps that are computed at their first use. */
import { expect, it } from 'vitest';
import { getOrCompute } from '../../../src/core/get-or-compute.ts';

it('computes the value of a key once, also one that is falsy', () => {
  const map = new Map<string, number>();
  let calls = 0;
  const compute = () => calls++;
  expect([getOrCompute(map, 'a', compute), getOrCompute(map, 'a', compute)]).toEqual([0, 0]);
  expect(getOrCompute(map, 'b', compute)).toBe(1);
  expect(calls).toBe(2);
});

it('keeps nothing when the computation fails', () => {
  const map = new WeakMap<object, string>();
  const key = {};
  const fail = () => {
    throw new Error('not now');
  };
  expect(() => getOrCompute(map, key, fail)).toThrow('not now');
  expect(getOrCompute(map, key, () => 'later')).toBe('later');
});
