/**
 * Spreads the similarities of a model that uses a narrow band of them over [0, 1] (relevance.md
 * 7.2), so that they can be compared with scores of words.
 */

/** Where a model's similarities lie: their mean and standard deviation. */
export interface DistributionShift {
  readonly mean: number;
  readonly sigma: number;
}

/** What a similarity of nothing at all becomes: the step between 1 and the next 32-bit float. */
const SIMILARITY_MIN = 2 ** -23;

/** The mean becomes .5, and .4 is the share of one standard deviation. */
export function shiftSimilarity(similarity: number, { mean, sigma }: DistributionShift): number {
  const factor = 0.4 / sigma;
  const shifted = factor * similarity + 0.5 - factor * mean;
  if (shifted <= 0) return SIMILARITY_MIN;
  return Math.fround(Math.min(shifted, 1));
}
