/** How the list of batches grows, and what becomes of it at its limit. */
import { describe, expect, it } from 'vitest';
import { BATCH_ENDS_MAX, withBatchEnd } from '../../../src/model/batch-ends.ts';

describe('the ends of batches', () => {
  it('are the ends of the batches that gave DocIds beyond those before', () => {
    expect(withBatchEnd([], 20)).toEqual([20]);
    expect(withBatchEnd([20], 25)).toEqual([20, 25]);
    expect(withBatchEnd([20, 25], 7)).toEqual([20, 25]);
    expect(withBatchEnd([20], 20)).toEqual([20]);
    expect(withBatchEnd([], 0)).toEqual([]);
  });

  it('join the two successive batches that gave fewest DocIds beyond the limit', () => {
    const full = Array.from({ length: BATCH_ENDS_MAX }, (_, i) => 100 * (i + 1));
    expect(withBatchEnd(full.with(5, 503), 10_000)).toEqual(
      [...full.with(5, 503), 10_000].toSpliced(4, 1),
    );
    expect(withBatchEnd(full, 3101)).toHaveLength(BATCH_ENDS_MAX);
    expect(withBatchEnd(full, 3101).slice(-2)).toEqual([3000, 3101]);
  });
});
