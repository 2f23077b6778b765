/** OpenAI embedding models and properties of their vectors. */
import type { Distribution } from './embedder-settings.ts';

interface OpenAiModel {
  readonly dimensions: number;
  /** True if fewer dimensions can be requested. */
  readonly isReducible: boolean;
  readonly distribution: Distribution;
}

/** Mean and sigma of the similarities between questions and their answers, by model. */
const models: Readonly<Record<string, OpenAiModel>> = {
  'text-embedding-3-small': {
    dimensions: 1536,
    isReducible: true,
    distribution: { mean: 0.7, sigma: 0.1 },
  },
  'text-embedding-3-large': {
    dimensions: 3072,
    isReducible: true,
    distribution: { mean: 0.7, sigma: 0.1 },
  },
  'text-embedding-ada-002': {
    dimensions: 1536,
    isReducible: false,
    distribution: { mean: 0.9, sigma: 0.08 },
  },
};

export const OPENAI_MODELS: readonly string[] = Object.keys(models);

export const openAiModel = (name: string): OpenAiModel | undefined =>
  Object.hasOwn(models, name) ? models[name] : undefined;
