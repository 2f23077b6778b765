/** How many dimensions the vectors of an embedder have, as far as its settings tell. */
import type { EmbedderSettings } from './embedder-settings.ts';
import { openAiDimensions } from './openai-models.ts';

/** null = its provider has to be asked. */
export function knownDimensions(embedder: EmbedderSettings): number | null {
  const { source, model = '', dimensions } = embedder.indexingEmbedder ?? embedder;
  return dimensions ?? (source === 'openAi' ? openAiDimensions(model) : null);
}

/** The settings with what its provider has told. */
export function withDimensions(embedder: EmbedderSettings, dimensions: number): EmbedderSettings {
  const { indexingEmbedder } = embedder;
  if (indexingEmbedder === undefined) return { ...embedder, dimensions };
  return { ...embedder, indexingEmbedder: { ...indexingEmbedder, dimensions } };
}

/** Whether it makes vectors of documents itself. */
export const makesVectors = ({ source }: EmbedderSettings): boolean => source !== 'userProvided';
