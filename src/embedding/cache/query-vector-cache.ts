/**
 * LRU cache of query vectors in memory. Concurrent searches for the same vector share one request,
 * and searches that do not need a vector do not wait for an unresponsive embedder.
 */
import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../../core/unless-aborted.ts';
import {
  type Embedder,
  EmbeddingError,
  type QueryInput,
  type QueryVectorOptions,
} from '../embedder.ts';
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

interface VectorRequest {
  readonly vector: Promise<Float32Array>;
  readonly stop: AbortController;
  /** Searches that may still use the vector: all whose client has not left. */
  searches: number;
}

interface CallOptions extends QueryVectorOptions {
  /** Ends this search's waiting; the request goes on and the cache keeps its vector. */
  readonly signal: AbortSignal;
}

export class QueryVectorCache {
  readonly #vectors: LRUCache<string, Float32Array> | null;
  readonly #underway = new Map<string, VectorRequest>();
  /** Embedders that did not answer a search in time, until they answer. */
  readonly #silent = new LRUCache<string, true>({ max: SILENT_MAX });
  readonly #probed = new Set<string>();

  /** @param entriesMax cached vectors; 0 = no cache, but concurrent searches share requests */
  constructor(entriesMax: number) {
    // `max` would allocate for all entries at once.
    const size = { maxSize: entriesMax, sizeCalculation: () => 1 };
    this.#vectors = entriesMax === 0 ? null : new LRUCache(size);
  }

  /**
   * @param embedderKey identifies the embedder with every setting that affects query vectors
   * @param options an optional vector does not wait for an unresponsive embedder. A request is
   * aborted when all its searches have ended by `requestEnd`.
   */
  async embed(
    embedderKey: string,
    embedder: Embedder,
    query: QueryInput,
    { signal, isOptional, requestEnd }: CallOptions,
  ): Promise<Float32Array> {
    const key = contentKey(embedderKey, [query.q, query.media]);
    const kept = this.#vectors?.get(key);
    if (kept !== undefined) return kept;
    const ask = () => this.#underway.get(key) ?? this.#ask(embedderKey, key, embedder, query);
    if (isOptional && this.#silent.peek(embedderKey) === true) {
      this.#probe(embedderKey, ask);
      throw new EmbeddingError('It has not answered lately.');
    }
    const request = ask();
    request.searches += 1;
    try {
      return await unlessAborted(request.vector, signal, requestEnd);
    } catch (error) {
      if (requestEnd?.aborted === true && --request.searches === 0) {
        // A later search must not join the request that ends here.
        if (this.#underway.get(key) === request) this.#underway.delete(key);
        request.stop.abort(error);
      }
      if (error === signal.reason && isTimeout(error)) this.#silent.set(embedderKey, true);
      throw error;
    }
  }

  /** @throws EmbeddingError */
  #ask(embedderKey: string, key: string, embedder: Embedder, query: QueryInput): VectorRequest {
    if (this.#underway.size >= UNDERWAY_MAX)
      throw new EmbeddingError(`${UNDERWAY_MAX} other searches wait for their vectors`);
    const stop = new AbortController();
    const timer = setTimeout(
      () => stop.abort(new DOMException('It did not answer in time.', 'TimeoutError')),
      REQUEST_MS_MAX,
    );
    const vector = embedder
      .embedQuery(query, stop.signal)
      .then((made) => {
        this.#silent.delete(embedderKey);
        this.#vectors?.set(key, made);
        return made;
      })
      .finally(() => {
        clearTimeout(timer);
        if (this.#underway.get(key) === request) this.#underway.delete(key);
      });
    const request = { vector, stop, searches: 0 };
    this.#underway.set(key, request);
    return request;
  }

  /**
   * Probes an unresponsive embedder, one at a time; no search waits for the answer, which marks it
   * responsive.
   */
  #probe(embedderKey: string, ask: () => VectorRequest): void {
    if (this.#probed.has(embedderKey)) return;
    const probe = ask();
    probe.searches += 1;
    this.#probed.add(embedderKey);
    probe.vector.catch(() => undefined).finally(() => this.#probed.delete(embedderKey));
  }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TimeoutError';
