/** Distributions of similarities, set or known. */
import { expect, it } from 'vitest';
import { distributionOf } from '../../../../src/model/embedders/embedder-distribution.ts';

it('a distribution is that of the settings, else that of a known model', () => {
  const own = { mean: 0.3, sigma: 0.2 };
  const openAi = { source: 'openAi', model: 'text-embedding-3-small' } as const;
  expect(distributionOf(openAi)).toEqual({ mean: 0.7, sigma: 0.1 });
  expect(distributionOf({ ...openAi, distribution: own })).toEqual(own);
  expect(distributionOf({ ...openAi, model: 'constructor' })).toBeNull();
  expect(distributionOf({ source: 'rest' })).toBeNull();
});
