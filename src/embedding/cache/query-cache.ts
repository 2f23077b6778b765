/**
 * Vectors of searches in memory, the least lately used forgotten first; searches that ask for the
 * same at the same time ask once.
 */
import { LruMap } from '../../core/lru-map.ts';
import { type Embedder, EmbeddingError, type QueryInput } from '../embedder.ts';
import { contentKey } from '../fingerprint.ts';

/** Longer than any search waits: bounds what is left behind by those that gave up. */
const REQUEST_MS_MAX = 60_000;
/** Different searches that are asked for at the same time; a provider that hangs holds them up. */
const UNDERWAY_MAX = 1000;

export class QueryVectorCache {
  readonly #vectors: LruMap<string, Float32Array>;
  readonly #underway = new Map<string, Promise<Float32Array>>();

  /** @param entriesMax vectors that are kept; 0 = none, but searches at the same time share */
  constructor(entriesMax: number) {
    this.#vectors = new LruMap(entriesMax);
  }

  /**
   * @param embedderKey names the embedder with all that decides vectors of searches
   * @param signal ends this search's waiting; a request that others wait for goes on
   */
  async embed(
    embedderKey: string,
    embedder: Embedder,
    query: QueryInput,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const key = contentKey(embedderKey, [query.q, query.media]);
    const kept = this.#vectors.get(key);
    if (kept !== undefined) return kept;
    return unlessAborted(this.#underway.get(key) ?? this.#ask(key, embedder, query), signal);
  }

  async #ask(key: string, embedder: Embedder, query: QueryInput): Promise<Float32Array> {
    if (this.#underway.size >= UNDERWAY_MAX)
      throw new EmbeddingError(`${UNDERWAY_MAX} other searches wait for their vectors`);
    const asked = embedder
      .embedQuery(query, AbortSignal.timeout(REQUEST_MS_MAX))
      .then((vector) => {
        this.#vectors.set(key, vector);
        return vector;
      })
      .finally(() => this.#underway.delete(key));
    this.#underway.set(key, asked);
    return asked;
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
