/** Distribution of similarities of good matches of an embedder, if known. */
import type { Distribution, EmbedderSettings } from './embedder-settings.ts';
import { openAiDistribution } from './openai-models.ts';

/** The configured distribution, else the model's known one; null = similarities are not shifted. */
export const distributionOf = ({
  source,
  model = '',
  distribution,
}: EmbedderSettings): Distribution | null =>
  distribution ?? (source === 'openAi' ? openAiDistribution(model) : null);
