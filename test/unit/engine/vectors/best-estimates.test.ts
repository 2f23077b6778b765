/** The highest estimates: which are kept, and in which order they come. */
import { describe, expect, it } from 'vitest';
import { BestEstimates } from '../../../../src/engine/vectors/best-estimates.ts';

const offered = (capacity: number, estimates: readonly number[]): BestEstimates => {
  const best = new BestEstimates(capacity);
  for (const [number, estimate] of estimates.entries()) best.offer(number, estimate);
  return best;
};

const pairs = ({ numbers, estimates, size }: BestEstimates): [number, number][] =>
  Array.from({ length: size }, (_, i) => [numbers[i]!, estimates[i]!]);

describe('the best estimates', () => {
  it('come with the highest first, when there were more than are kept and when there were fewer', () => {
    const estimates = [3, -1, 7, 0.5, 7.5, 2, 6, -4, 1];
    const full = offered(4, estimates);
    const spacious = offered(20, estimates);
    full.sort();
    spacious.sort();
    expect(pairs(full)).toEqual([
      [4, 7.5],
      [2, 7],
      [6, 6],
      [0, 3],
    ]);
    expect(pairs(spacious).map(([, estimate]) => estimate)).toEqual(
      [...estimates].sort((a, b) => b - a),
    );
  });

  it('of several are kept together, and none where there is no room', () => {
    const all = new BestEstimates(3);
    all.offerAll(offered(2, [1, 5, 4]));
    all.offerAll(offered(2, [3, 6]));
    all.sort();
    expect(pairs(all).map(([, estimate]) => estimate)).toEqual([6, 5, 4]);
    expect(pairs(offered(0, [1, 2]))).toEqual([]);
  });
});
