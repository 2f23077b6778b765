/** Makes embedders from settings: one table of sources. */

import type { SendRequest } from '../http-client/outgoing-http.ts';
import type { EmbedderSettings, EmbedderSource } from '../model/embedders/embedder-settings.ts';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { fingerprintOf } from './fingerprint.ts';
import { HttpEmbedder } from './providers/http-embedder.ts';
import { ProviderClient } from './providers/provider-client.ts';
import {
  type ProviderDefaults,
  type ProviderProfile,
  profiles,
} from './providers/provider-profile.ts';
import type { RateLimiter } from './providers/rate-limiter.ts';
import { queryContent, sampleInputs } from './templates/embedded-content.ts';

/** Resources that the embedders of one process share. */
export interface EmbedderEnvironment {
  readonly send: SendRequest;
  /** The rate limiter of an account: the same for the same URL and key. */
  rateLimiterOf(url: string, apiKey: string | null): RateLimiter;
  readonly defaults: ProviderDefaults;
  /** An embedder whose model runs here, or in another thread. */
  readonly local: (settings: EmbedderSettings) => Embedder;
  readonly timeoutMs: number;
  /** Grace period in which a running request may still be answered after its call was aborted. */
  readonly graceMs: number;
  /** How long a failing request for documents is retried. */
  readonly retryMsMax: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
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
  { send, rateLimiterOf, defaults, timeoutMs, graceMs, retryMsMax, now }: EmbedderEnvironment,
  toProfile: (settings: EmbedderSettings, defaults: ProviderDefaults) => ProviderProfile,
): Embedder {
  const profile = toProfile(settings, defaults);
  const rateLimiter = rateLimiterOf(profile.url, profile.apiKey);
  return new HttpEmbedder({
    client: new ProviderClient({ profile, rateLimiter, send, timeoutMs, graceMs, now }),
    profile,
    fingerprint: fingerprintOf(settings),
    retryMsMax,
    toQueryInput: queryContent(settings),
    samples: () => sampleInputs(settings),
  });
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
