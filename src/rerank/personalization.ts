/**
 * Start here: puts the hits of a finished search answer into the order in which an external service
 * ranks them for a user. Where it fails or is slow the answer stays as it is.
 */
import type { Logger } from '../observability/logger.ts';
import { counter, gauge, type Metric } from '../observability/metric.ts';
import { RerankError, type RerankService } from './rerank-service.ts';
import { hitsOf, reordered, textOfHit } from './search-hits.ts';

/** For whom hits are ordered, and what was searched for. */
export interface PersonalizedFor {
  readonly userContext: string;
  /** Words of the queries, blank ones left out; more than one where queries were merged. */
  readonly queries: readonly string[];
}

export interface PersonalizationOptions {
  readonly service: Pick<RerankService, 'rank'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Hits of one answer that are told of; those behind them stay there. */
const HITS_MAX = 1000;
/** Of a hit; the models of such services read about as much of a text. */
const HIT_CHARS_MAX = 8000;
/** Of the question, which models cut earlier than that. */
const QUESTION_CHARS_MAX = 8000;
/** Requests at the same time; further answers stay as they are. */
const UNDERWAY_MAX = 64;
/** A service that fails is not asked again before, so that searches do not wait for it in a row. */
const OUTAGE_PAUSE_MS = 5000;

export class Personalization {
  readonly #options: PersonalizationOptions;
  #underway = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #asked = 0;
  #failed = 0;

  constructor(options: PersonalizationOptions) {
    this.#options = options;
  }

  /** @param answer of a search, whole */
  async apply(answer: Uint8Array, asked: PersonalizedFor): Promise<Uint8Array> {
    this.#asked += 1;
    const { service, now } = this.#options;
    const startMs = now();
    const hits = hitsOf(answer);
    if (hits.places.length < 2) return answer;
    if (startMs < this.#pausedUntilMs || this.#underway >= UNDERWAY_MAX) {
      this.#failed += 1;
      return answer;
    }
    const told = hits.places.slice(0, HITS_MAX);
    const texts = told.map((place) => textOfHit(hits, place, HIT_CHARS_MAX));
    this.#underway += 1;
    try {
      const order = await service.rank(questionOf(asked), texts);
      return reordered(hits, order, now() - startMs);
    } catch (error) {
      if (!(error instanceof RerankError)) throw error;
      this.#fail(error);
      return reordered(hits, [], now() - startMs);
    } finally {
      this.#underway -= 1;
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
    const { log, now } = this.#options;
    this.#failed += 1;
    if (isOutage) this.#pausedUntilMs = now() + OUTAGE_PAUSE_MS;
    const next = isOutage ? `, and none is for ${OUTAGE_PAUSE_MS / 1000} s` : '';
    log.warn(`a search was not personalized${next}: ${message}`);
  }
}

const questionOf = ({ userContext, queries }: PersonalizedFor): string =>
  [`User: ${userContext}`, ...queries.map((query) => `Query: ${query}`)]
    .join('\n')
    .slice(0, QUESTION_CHARS_MAX);
