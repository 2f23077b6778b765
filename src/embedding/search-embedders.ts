/** The embedders of searches, opened on first use. */

import { LRUCache } from 'lru-cache';
import { ApiError } from '../core/errors.ts';
import { withoutHosts } from '../http-client/outgoing-error.ts';
import type { EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import { QueryVectorCache } from './cache/query-vector-cache.ts';
import {
  type Embedder,
  EmbeddingError,
  type QueryInput,
  type QueryVectorOptions,
} from './embedder.ts';
import { type EmbedderEnvironment, openEmbedder } from './open-embedder.ts';

/** Number of open embedders; opening one again is cheap. */
const EMBEDDERS_MAX = 256;
/** Longest wait for a vector in a search that keywords can answer. */
const OPTIONAL_WAIT_MS = 10_000;

export class SearchEmbedders {
  readonly #environment: EmbedderEnvironment;
  readonly #vectors: QueryVectorCache;
  /** By their settings as JSON. */
  readonly #open: LRUCache<string, Embedder, EmbedderSettings>;

  constructor(environment: EmbedderEnvironment, cacheEntries: number) {
    this.#environment = environment;
    this.#vectors = new QueryVectorCache(cacheEntries);
    this.#open = new LRUCache({
      max: EMBEDDERS_MAX,
      memoMethod: (_key, _stale, { context }) => openEmbedder(context, environment),
    });
  }

  /**
   * @param name as messages show it
   * @param settings undefined = the index has no such embedder
   * @throws ApiError `vector_embedding_error`, or the reason of `requestEnd`
   */
  async embedQuery(
    name: string,
    settings: EmbedderSettings | undefined,
    query: QueryInput,
    { isOptional, requestEnd }: QueryVectorOptions,
  ): Promise<Float32Array> {
    try {
      if (settings === undefined) throw new EmbeddingError('The index has no such embedder.');
      const key = JSON.stringify(settings);
      const embedder = this.#open.memo(key, { context: settings });
      const { timeoutMs } = this.#environment;
      const waitMs = isOptional ? Math.min(timeoutMs, OPTIONAL_WAIT_MS) : timeoutMs;
      const signal = AbortSignal.timeout(waitMs);
      return await this.#vectors.embed(key, embedder, query, { signal, isOptional, requestEnd });
    } catch (error) {
      if (requestEnd?.aborted === true) throw requestEnd.reason;
      throw new ApiError(
        'vector_embedding_error',
        `The embedder \`${name}\` gave no vector for the search: ${reasonOf(error)}`,
        { cause: error },
      );
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'TimeoutError' ? 'It did not answer in time.' : withoutHosts(error.message);
}
