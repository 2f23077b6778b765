/** Dimensions of an embedder's vectors, as far as its settings determine them. */
import type { EmbedderSettings } from './embedder-settings.ts';
import { openAiModel } from './openai-models.ts';

/** Dimensions of document vectors; null = unknown, the provider must be called. */
export function knownDimensions(embedder: EmbedderSettings): number | null {
  const { source, model = '', dimensions, indexingEmbedder } = embedder;
  if (indexingEmbedder !== undefined) return knownDimensions(indexingEmbedder);
  return dimensions ?? (source === 'openAi' ? (openAiModel(model)?.dimensions ?? null) : null);
}

/** True if all dimensions are known. The two embedders of a composite one must agree. */
export function areDimensionsSettled({ searchEmbedder, ...embedder }: EmbedderSettings): boolean {
  const indexing = knownDimensions(embedder);
  if (searchEmbedder === undefined) return indexing !== null;
  return indexing !== null && knownDimensions(searchEmbedder) === indexing;
}

/** The settings with dimensions from the providers. */
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

export const makesVectors = ({ source }: EmbedderSettings): boolean => source !== 'userProvided';
