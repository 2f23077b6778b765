/** How the list of batches grows, and what becomes of it at its limit. */
import { describe, expect, it } from 'vitest';
import { ARRIVALS_MAX, withArrival } from '../../../src/model/arrivals.ts';

describe('arrivals', () => {
  it('are the ends of the batches that gave DocIds beyond those before', () => {
    expect(withArrival([], 20)).toEqual([20]);
    expect(withArrival([20], 25)).toEqual([20, 25]);
    expect(withArrival([20, 25], 7)).toEqual([20, 25]);
    expect(withArrival([20], 20)).toEqual([20]);
    expect(withArrival([], 0)).toEqual([]);
  });

  it('join the two successive batches that gave fewest DocIds beyond the limit', () => {
    const full = Array.from({ length: ARRIVALS_MAX }, (_, i) => 100 * (i + 1));
    expect(withArrival(full.with(5, 503), 10_000)).toEqual(
      [...full.with(5, 503), 10_000].toSpliced(4, 1),
    );
    expect(withArrival(full, 3101)).toHaveLength(ARRIVALS_MAX);
    expect(withArrival(full, 3101).slice(-2)).toEqual([3000, 3101]);
  });
});
