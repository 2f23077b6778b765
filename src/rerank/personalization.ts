/**
 * Start here: reorders the hits of a finished search answer by the ranking of an external service.
 * If the service fails or is slow, the answer stays unchanged.
 */
import type { Json } from '../core/json.ts';
import type { Logger } from '../observability/logger.ts';
import { counter, gauge, type Metric } from '../observability/metric.ts';
import { RerankError, type RerankService } from './rerank-service.ts';
import { hitsOf, parsedHit, reordered, textOfHit } from './search-hits.ts';
import { OUTAGE_PAUSE_MS, ServiceGate } from './service-gate.ts';

export interface PersonalizedFor {
  readonly userContext: string;
  /** Non-blank words of the queries; several for a merged search. */
  readonly queries: readonly string[];
  /** True for a hit that keeps its place; null = none does. */
  readonly isPinned: ((hit: Json) => boolean) | null;
}

export interface PersonalizationOptions {
  readonly service: Pick<RerankService, 'scores'>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Number of hits per answer that are reranked; later hits keep their order. */
const HITS_MAX = 1000;
/** Characters of a hit; reranking models read about this much of a text. */
const HIT_CHARS_MAX = 8000;
/** Characters of the question; models truncate it earlier. */
const QUESTION_CHARS_MAX = 8000;

export class Personalization {
  readonly #options: PersonalizationOptions;
  readonly #gate: ServiceGate;
  #asked = 0;
  #failed = 0;

  constructor(options: PersonalizationOptions) {
    this.#options = options;
    this.#gate = new ServiceGate(options.now);
  }

  /** @param answer a complete search answer. Rejects with the reason of the signal when it is aborted */
  async apply(
    answer: Uint8Array,
    asked: PersonalizedFor,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    this.#asked += 1;
    const { service, now } = this.#options;
    const startMs = now();
    const hits = hitsOf(answer);
    if (hits.places.length < 2) return answer;
    if (!this.#gate.isOpen) {
      this.#failed += 1;
      return answer;
    }
    const fixed = new Set<number>();
    const free: number[] = [];
    const texts: string[] = [];
    for (const [number, place] of hits.places.slice(0, HITS_MAX).entries()) {
      const hit = parsedHit(hits, place);
      if (asked.isPinned?.(hit) === true) fixed.add(number);
      else {
        free.push(number);
        texts.push(textOfHit(hit, HIT_CHARS_MAX));
      }
    }
    if (texts.length < 2) return answer;
    try {
      const query = questionOf(asked);
      const found = await this.#gate.run(() => service.scores({ query, texts, signal }));
      const scores = [...found].flatMap((score, at): [number, number][] =>
        Number.isFinite(score) ? [[free[at] as number, score]] : [],
      );
      return reordered(hits, new Map(scores), fixed, now() - startMs);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (!(error instanceof RerankError)) throw error;
      this.#fail(error);
      return reordered(hits, new Map(), fixed, now() - startMs);
    }
  }

  metrics(): Metric[] {
    return [
      gauge(
        'meilisearch_personalized_search_requests',
        'Searches that asked to be personalized',
        this.#asked,
      ),
      counter(
        'gannet_unpersonalized_searches_total',
        'Searches that were to be personalized and were not, since the service failed or was busy',
        this.#failed,
      ),
    ];
  }

  #fail({ message, isOutage }: RerankError): void {
    const { log } = this.#options;
    this.#failed += 1;
    if (isOutage) this.#gate.pause();
    const next = isOutage ? `, and none is for ${OUTAGE_PAUSE_MS / 1000} s` : '';
    log.warn(`a search was not personalized${next}: ${message}`);
  }
}

const questionOf = ({ userContext, queries }: PersonalizedFor): string =>
  [`User: ${userContext}`, ...queries.map((query) => `Query: ${query}`)]
    .join('\n')
    .slice(0, QUESTION_CHARS_MAX);
