/**
 * Response cache of a front: a search that was answered before, on the same generation of its
 * index, costs a look-up and no thread. A key holds the generation and those of the indexes that
 * foreign keys name, so no entry is ever invalidated: old ones are no longer requested and are
 * evicted.
 */
import { BudgetCache } from '../../core/budget-cache.ts';
import type { ForeignIndexSource } from '../../ipc/queries/query-protocol.ts';
import type { AnswerFacts, AnswerPlaces } from '../../model/answer-places.ts';
import type { SearchRequest } from '../../model/search.ts';
import { counter, gauge, type Metric } from '../../observability/metric.ts';

interface CachedResponse {
  readonly body: Uint8Array;
  readonly places: AnswerPlaces;
}

/** Memory of an answer in addition to its body. */
const ANSWER_BYTES = 256;

export class ResponseCache {
  readonly #cache: BudgetCache<CachedResponse>;
  /** False for a size of 0. */
  readonly keepsAny: boolean;
  #hitCount = 0;
  #missCount = 0;

  /** @param bytesMax total size; 0 disables the cache */
  constructor(bytesMax: number) {
    this.keepsAny = bytesMax > 0;
    this.#cache = new BudgetCache(bytesMax);
  }

  metrics(): Metric[] {
    return [
      counter(
        'gannet_response_cache_hits_total',
        'Searches answered from the response cache',
        this.#hitCount,
      ),
      counter('gannet_response_cache_misses_total', 'Response cache misses', this.#missCount),
      gauge('gannet_response_cache_bytes', 'Size of the response cache', this.#cache.figures.bytes),
    ];
  }

  /** The cached answer with the time and uid of this request; null if there is none. */
  get(key: string, facts: AnswerFacts): Uint8Array | null {
    const cached = this.#cache.get(key);
    if (cached === undefined) {
      this.#missCount += 1;
      return null;
    }
    this.#hitCount += 1;
    return rewritten(cached, facts);
  }

  /** @param workMs duration of the search in milliseconds */
  set(key: string, body: Uint8Array, places: AnswerPlaces, workMs: number): void {
    this.#cache.set(key, { body, places }, ANSWER_BYTES + body.length, workMs);
  }
}

/**
 * Cache key of the answer; null when it is not cached: an answer with performance details describes
 * its own run, and vectors hardly repeat.
 * @param indexKey of a `PublishedIndex`
 * @param foreign indexes that documents of hits may be from
 */
export function responseKey(
  indexKey: string,
  request: SearchRequest,
  foreign: readonly ForeignIndexSource[] = [],
): string | null {
  const isAboutItself = request.showPerformanceDetails || request.showProfile;
  if (isAboutItself || request.semantic !== null) return null;
  const key = `${indexKey} ${JSON.stringify(request)}`;
  if (foreign.length === 0) return key;
  return `${key} ${JSON.stringify(foreign.map((index) => [index.fieldName, index.snapshotKey, index.binding]))}`;
}

function rewritten(
  { body, places: { timeStart, timeEnd, uidStart, uidEnd } }: CachedResponse,
  { processingTimeMs, requestUid }: AnswerFacts,
): Uint8Array {
  return Buffer.concat([
    body.subarray(0, timeStart),
    Buffer.from(String(processingTimeMs)),
    body.subarray(timeEnd, uidStart),
    Buffer.from(requestUid),
    body.subarray(uidEnd),
  ]);
}
