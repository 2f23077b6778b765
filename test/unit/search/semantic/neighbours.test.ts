/** Similarities of a model with a narrow range, spread over [0, 1]. */
import { describe, expect, it } from 'vitest';
import { distributionOf, shiftSimilarity } from '../../../../src/search/semantic/neighbours.ts';

const shift = { mean: 0.7, sigma: 0.1 };

describe('shiftSimilarity', () => {
  it('puts the mean at one half and a standard deviation at .4', () => {
    expect(shiftSimilarity(0.7, shift)).toBeCloseTo(0.5, 6);
    expect(shiftSimilarity(0.8, shift)).toBeCloseTo(0.9, 6);
  });

  it('stays above 0 and within 1', () => {
    expect(shiftSimilarity(0.1, shift)).toBe(2 ** -23);
    expect(shiftSimilarity(1, shift)).toBe(1);
  });
});

it('a distribution is that of the settings, else that of a known model', () => {
  const own = { mean: 0.3, sigma: 0.2 };
  const openAi = { source: 'openAi', model: 'text-embedding-3-small' } as const;
  expect(distributionOf(openAi)).toEqual({ mean: 0.7, sigma: 0.1 });
  expect(distributionOf({ ...openAi, distribution: own })).toEqual(own);
  expect(distributionOf({ ...openAi, model: 'constructor' })).toBeNull();
  expect(distributionOf({ source: 'rest' })).toBeNull();
});
