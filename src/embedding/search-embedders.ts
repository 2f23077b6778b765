/** The embedders of searches, opened on first use. */
import { ApiError } from '../core/errors.ts';
import { LruMap } from '../core/lru-map.ts';
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
  readonly #open = new LruMap<string, Embedder>(EMBEDDERS_MAX);

  /** @param cacheEntries cached query vectors */
  constructor(environment: EmbedderEnvironment, cacheEntries: number) {
    this.#environment = environment;
    this.#vectors = new QueryVectorCache(cacheEntries);
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
      const embedder = this.#open.getOrMake(key, () => openEmbedder(settings, this.#environment));
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
  return error.name === 'TimeoutError' ? 'It did not answer in time.' : error.message;
}
