/** How many dimensions the vectors of an embedder have, as far as its settings tell. */
import type { EmbedderSettings } from './embedder-settings.ts';
import { openAiDimensions } from './openai-models.ts';

/** Of the vectors of documents; null = a provider has to be asked. */
export function knownDimensions(embedder: EmbedderSettings): number | null {
  const { source, model = '', dimensions, indexingEmbedder } = embedder;
  if (indexingEmbedder !== undefined) return knownDimensions(indexingEmbedder);
  return dimensions ?? (source === 'openAi' ? openAiDimensions(model) : null);
}

/** Whether there is nothing to ask a provider for: a composite embedder has two that must agree. */
export function areDimensionsSettled({ searchEmbedder, ...embedder }: EmbedderSettings): boolean {
  const indexing = knownDimensions(embedder);
  if (searchEmbedder === undefined) return indexing !== null;
  return indexing !== null && knownDimensions(searchEmbedder) === indexing;
}

/** The settings with what its provider, or both, have told. */
export function withDimensions(embedder: EmbedderSettings, dimensions: number): EmbedderSettings {
  const { indexingEmbedder, searchEmbedder } = embedder;
  if (indexingEmbedder === undefined || searchEmbedder === undefined)
    return { ...embedder, dimensions };
  return {
    ...embedder,
    indexingEmbedder: { ...indexingEmbedder, dimensions },
    searchEmbedder: { ...searchEmbedder, dimensions },
  };
}

/** Whether it makes vectors of documents itself. */
export const makesVectors = ({ source }: EmbedderSettings): boolean => source !== 'userProvided';
