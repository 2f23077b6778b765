/** Which similarities an embedder gives to good matches, as far as that is known. */
import type { Distribution, EmbedderSettings } from './embedder-settings.ts';
import { openAiDistribution } from './openai-models.ts';

/** What is set, else what is known of the model; null = similarities stay as they are. */
export const distributionOf = ({
  source,
  model = '',
  distribution,
}: EmbedderSettings): Distribution | null =>
  distribution ?? (source === 'openAi' ? openAiDistribution(model) : null);
