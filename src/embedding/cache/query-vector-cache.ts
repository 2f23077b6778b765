/**
 * LRU cache of query vectors in memory. Concurrent searches for the same vector share one request,
 * and searches that do not need a vector do not wait for an unresponsive embedder.
 */
import { LruMap } from '../../core/lru-map.ts';
import { type Embedder, EmbeddingError, type QueryInput } from '../embedder.ts';
import { contentKey } from '../fingerprint.ts';

/**
 * Request timeout, longer than any search waits: bounds requests whose searches have stopped
 * waiting.
 */
const REQUEST_MS_MAX = 60_000;
/** Concurrent requests for different queries; a provider that hangs blocks them. */
const UNDERWAY_MAX = 1000;
/** Unresponsive embedders remembered; a forgotten one is waited for once more. */
const SILENT_MAX = 256;

export class QueryVectorCache {
  readonly #vectors: LruMap<string, Float32Array>;
  readonly #underway = new Map<string, Promise<Float32Array>>();
  /** Embedders that did not answer a search in time, until they answer. */
  readonly #silent: LruMap<string, true> = new LruMap(SILENT_MAX);
  /** Unresponsive embedders with a probe under way. */
  readonly #probed = new Set<string>();

  /** @param entriesMax cached vectors; 0 = no cache, but concurrent searches share requests */
  constructor(entriesMax: number) {
    this.#vectors = new LruMap(entriesMax);
  }

  /**
   * @param embedderKey identifies the embedder with every setting that affects query vectors
   * @param signal ends this search's waiting; a request shared with other searches goes on
   * @param isOptional the search can run without the vector: it does not wait for an unresponsive
   * embedder
   */
  async embed(
    embedderKey: string,
    embedder: Embedder,
    query: QueryInput,
    signal: AbortSignal,
    isOptional = false,
  ): Promise<Float32Array> {
    const key = contentKey(embedderKey, [query.q, query.media]);
    const kept = this.#vectors.get(key);
    if (kept !== undefined) return kept;
    const ask = () => this.#underway.get(key) ?? this.#ask(embedderKey, key, embedder, query);
    if (isOptional && this.#silent.peek(embedderKey) === true) {
      this.#probe(embedderKey, ask);
      throw new EmbeddingError('It has not answered lately.');
    }
    try {
      return await unlessAborted(ask(), signal);
    } catch (error) {
      if (error === signal.reason && isTimeout(error)) this.#silent.set(embedderKey, true);
      throw error;
    }
  }

  async #ask(
    embedderKey: string,
    key: string,
    embedder: Embedder,
    query: QueryInput,
  ): Promise<Float32Array> {
    if (this.#underway.size >= UNDERWAY_MAX)
      throw new EmbeddingError(`${UNDERWAY_MAX} other searches wait for their vectors`);
    const asked = embedder
      .embedQuery(query, AbortSignal.timeout(REQUEST_MS_MAX))
      .then((vector) => {
        this.#silent.delete(embedderKey);
        this.#vectors.set(key, vector);
        return vector;
      })
      .finally(() => this.#underway.delete(key));
    this.#underway.set(key, asked);
    return asked;
  }

  /**
   * Probes an unresponsive embedder, one at a time; no search waits for the answer, which marks it
   * responsive.
   */
  #probe(embedderKey: string, ask: () => Promise<unknown>): void {
    if (this.#probed.has(embedderKey)) return;
    this.#probed.add(embedderKey);
    ask()
      .catch(() => undefined)
      .finally(() => this.#probed.delete(embedderKey));
  }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TimeoutError';

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
