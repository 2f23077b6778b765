/**
 * Vectors of searches in memory, the least lately used forgotten first; searches that ask for the
 * same at the same time ask once, and those that can do without wait for no embedder that is silent.
 */
import { LruMap } from '../../core/lru-map.ts';
import { type Embedder, EmbeddingError, type QueryInput } from '../embedder.ts';
import { contentKey } from '../fingerprint.ts';

/** Longer than any search waits: bounds what is left behind by those that gave up. */
const REQUEST_MS_MAX = 60_000;
/** Different searches that are asked for at the same time; a provider that hangs holds them up. */
const UNDERWAY_MAX = 1000;
/** One that is forgotten is waited for once more. */
const SILENT_MAX = 256;

export class QueryVectorCache {
  readonly #vectors: LruMap<string, Float32Array>;
  readonly #underway = new Map<string, Promise<Float32Array>>();
  /** Embedders that a search has waited for in vain, until they answer. */
  readonly #silent: LruMap<string, true> = new LruMap(SILENT_MAX);
  /** Those of them that are asked whether they answer again. */
  readonly #probed = new Set<string>();

  /** @param entriesMax vectors that are kept; 0 = none, but searches at the same time share */
  constructor(entriesMax: number) {
    this.#vectors = new LruMap(entriesMax);
  }

  /**
   * @param embedderKey names the embedder with all that decides vectors of searches
   * @param signal ends this search's waiting; a request that others wait for goes on
   * @param isOptional the search can do without: it waits for no embedder that is silent
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

  /** Nobody waits for the answer, which ends the silence; one at a time. */
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
