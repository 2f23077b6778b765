/**
 * Spreads the similarities of a model that uses a narrow range over [0, 1] (relevance.md 7.2), so
 * that they are comparable to keyword scores.
 */

import type { Distribution, EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { openAiModel } from '../../model/embedders/openai-models.ts';

/** Result for a similarity of 0: the step between 1 and the next 32-bit float. */
const SIMILARITY_MIN = 2 ** -23;

/** The mean becomes .5; one standard deviation becomes .4. */
export function shiftSimilarity(similarity: number, { mean, sigma }: Distribution): number {
  const factor = 0.4 / sigma;
  const shifted = factor * similarity + 0.5 - factor * mean;
  if (shifted <= 0) return SIMILARITY_MIN;
  return Math.fround(Math.min(shifted, 1));
}

/** The configured distribution, else the model's known one; null = similarities are not shifted. */
export const distributionOf = ({
  source,
  model = '',
  distribution,
}: EmbedderSettings): Distribution | null =>
  distribution ?? (source === 'openAi' ? (openAiModel(model)?.distribution ?? null) : null);
