/** Makes embedders from settings: one table of sources. */

import type { EmbedderSettings, EmbedderSource } from '../model/embedders/embedder-settings.ts';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { fingerprintOf } from './fingerprint.ts';
import { HttpEmbedder, type HttpEnvironment } from './providers/http-embedder.ts';
import {
  type ProviderDefaults,
  type ProviderProfile,
  profiles,
} from './providers/provider-profile.ts';

/** Resources that the embedders of one process share. */
export interface EmbedderEnvironment extends HttpEnvironment {
  readonly defaults: ProviderDefaults;
  /** An embedder whose model runs here, or in another thread. */
  readonly local: (settings: EmbedderSettings) => Embedder;
}

type OpenSource = (settings: EmbedderSettings, environment: EmbedderEnvironment) => Embedder;

const sources: Readonly<Record<EmbedderSource, OpenSource>> = {
  userProvided: (settings, shared) => userProvided(settings, shared),
  openAi: (settings, shared) => overHttp(settings, shared, profiles.openAi),
  ollama: (settings, shared) => overHttp(settings, shared, profiles.ollama),
  rest: (settings, shared) => overHttp(settings, shared, profiles.rest),
  composite,
  huggingFace: (settings, { local }) => local(settings),
};

/**
 * Sends no request yet. Throws `TemplateError` or `ShapeError` when the settings are valid one by
 * one but not together.
 */
export const openEmbedder: OpenSource = (settings, environment) =>
  sources[settings.source](settings, environment);

function overHttp(
  settings: EmbedderSettings,
  environment: EmbedderEnvironment,
  toProfile: (settings: EmbedderSettings, defaults: ProviderDefaults) => ProviderProfile,
): Embedder {
  return new HttpEmbedder(settings, toProfile(settings, environment.defaults), environment);
}

/** Vectors come with documents and searches; the embedder makes none. */
const userProvided: OpenSource = (settings) => ({
  fingerprint: fingerprintOf(settings),
  dimensions: async () => settings.dimensions ?? 0,
  embedDocuments: async () => {
    const message = 'The embedder is `userProvided`: documents bring their vectors in `_vectors`.';
    throw new EmbeddingError(message, 0);
  },
  embedQuery: async () => {
    throw new EmbeddingError(
      'The embedder is `userProvided`: a search brings its vector in `vector`.',
    );
  },
});

/** One embedder for documents, another for searches, with comparable vectors. */
function composite(
  { indexingEmbedder, searchEmbedder }: EmbedderSettings,
  shared: EmbedderEnvironment,
): Embedder {
  if (indexingEmbedder === undefined || searchEmbedder === undefined)
    throw new Error('a composite embedder without its two was stored');
  const indexing = openEmbedder(indexingEmbedder, shared);
  const search = openEmbedder(searchEmbedder, shared);
  return {
    fingerprint: indexing.fingerprint,
    async dimensions(...call) {
      const [stored, asked] = await Promise.all([
        indexing.dimensions(...call),
        search.dimensions(...call),
      ]);
      if (stored === asked) return stored;
      throw new EmbeddingError(
        `\`indexingEmbedder\` has ${stored} dimensions and \`searchEmbedder\` ${asked}; they must have the same.`,
      );
    },
    embedDocuments: (...call) => indexing.embedDocuments(...call),
    embedQuery: (...call) => search.embedQuery(...call),
  };
}
