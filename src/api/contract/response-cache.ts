/**
 * Finished answers of searches, kept in a front: a search that was answered before, on the same
 * generation of its index, costs a look-up and no thread. A name holds the generation, and those of
 * the indexes that its foreign keys name, so nothing is ever invalidated; it is no longer asked for,
 * and pushed out.
 */
import { BudgetCache } from '../../core/budget-cache.ts';
import type { ForeignIndexSource } from '../../ipc/queries/query-protocol.ts';
import type { AnswerFacts, AnswerPlaces } from '../../model/answer-places.ts';
import type { SearchRequest } from '../../model/search.ts';
import { counter, gauge, type Metric } from '../../observability/metric.ts';

interface KeptAnswer {
  readonly body: Uint8Array;
  readonly places: AnswerPlaces;
}

/** Of an entry beside its name and body. */
const ENTRY_BYTES = 256;

export class ResponseCache {
  readonly #cache: BudgetCache<KeptAnswer>;
  /** Whether any answer is kept. */
  readonly keepsAny: boolean;
  #hitCount = 0;
  #missCount = 0;

  /** @param bytesMax of all together; 0 keeps none */
  constructor(bytesMax: number) {
    this.keepsAny = bytesMax > 0;
    this.#cache = new BudgetCache(bytesMax);
  }

  /** Searches that were answered from here. */
  get hitCount(): number {
    return this.#hitCount;
  }

  /** Searches that could have been, had they been asked before. */
  get missCount(): number {
    return this.#missCount;
  }

  metrics(): Metric[] {
    return [
      counter(
        'gannet_kept_answers_hits_total',
        'Searches that were answered by a kept answer',
        this.#hitCount,
      ),
      counter(
        'gannet_kept_answers_misses_total',
        'Searches whose answer was not kept yet',
        this.#missCount,
      ),
      gauge(
        'gannet_kept_answers_bytes',
        'Memory that kept answers take',
        this.#cache.figures.bytes,
      ),
    ];
  }

  /** The answer kept under the name, as it would be written for this request; null if there is none. */
  get(name: string, facts: AnswerFacts): Uint8Array | null {
    const kept = this.#cache.get(name);
    if (kept === undefined) {
      this.#missCount += 1;
      return null;
    }
    this.#hitCount += 1;
    return rewritten(kept, facts);
  }

  /** @param workMs what the search took */
  set(name: string, body: Uint8Array, places: AnswerPlaces, workMs: number): void {
    const bytes = ENTRY_BYTES + 2 * name.length + body.length;
    this.#cache.set(name, { body, places }, bytes, workMs);
  }
}

/**
 * What the answer is kept under; null when it is not to be kept: one that tells where its time went
 * is about itself, and a vector makes a name that hardly comes twice.
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
  const name = `${indexKey} ${JSON.stringify(request)}`;
  if (foreign.length === 0) return name;
  return `${name} ${JSON.stringify(foreign.map((index) => [index.fieldName, index.snapshotKey, index.binding]))}`;
}

function rewritten(
  { body, places: { timeStart, timeEnd, uidStart, uidEnd } }: KeptAnswer,
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
