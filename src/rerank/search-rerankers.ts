/**
 * The rerankers of searches, opened on first use: scores of texts for a query, from a cache, from
 * the service or from the model in this server.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { BudgetCache } from '../core/budget-cache.ts';
import { ShapeError } from '../core/rest-shape.ts';
import { unlessAborted } from '../core/unless-aborted.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';
import type { RerankerSettings } from '../model/reranker-settings.ts';
import type { ScorePairs } from '../model/score-pairs.ts';
import type { Logger } from '../observability/logger.ts';
import { counter, gauge, type Metric } from '../observability/metric.ts';
import { RerankError, type RerankQuestion, RerankService } from './rerank-service.ts';
import { OUTAGE_PAUSE_MS, ServiceGate } from './service-gate.ts';
import { namedShape, restShape, type ServiceShape } from './service-shape.ts';

export interface SearchRerankersOptions {
  readonly send: SendRequest;
  /** Of models that run in this server. */
  readonly scorePairs: ScorePairs;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
  /** Memory of cached scores; each entry has the same size, so it bounds their number too. */
  readonly cacheBytes: number;
}

interface OpenReranker {
  readonly service: Pick<RerankService, 'scores'>;
  readonly gate: ServiceGate;
  /** Rerankers with equal fingerprints give the same score for the same query and text. */
  readonly fingerprint: string;
}

/** Number of open rerankers; opening one again is cheap. */
const RERANKERS_MAX = 256;
const SCORE_BYTES = 8;
const ATTEMPTS_MAX = 3;

export class SearchRerankers {
  readonly #options: SearchRerankersOptions;
  readonly #cache: BudgetCache<number>;
  /** By their settings as JSON. */
  readonly #open: LRUCache<string, OpenReranker, RerankerSettings>;
  #rankedCount = 0;
  #failedCount = 0;

  constructor(options: SearchRerankersOptions) {
    this.#options = options;
    this.#cache = new BudgetCache(options.cacheBytes);
    this.#open = new LRUCache({
      max: RERANKERS_MAX,
      memoMethod: (_key, _stale, { context }) => openReranker(context, options),
    });
  }

  /**
   * By number of the text; negative infinity for a text without a score. Rejects with `RerankError`,
   * or with the reason of the signal.
   */
  async scores(settings: RerankerSettings, question: RerankQuestion): Promise<Float64Array> {
    try {
      const reranker = this.#open.memo(JSON.stringify(settings), { context: settings });
      const scores = await this.#cachedScores(reranker, question, settings.timeoutMs);
      this.#rankedCount += 1;
      return scores;
    } catch (error) {
      if (question.signal?.aborted === true) throw question.signal.reason;
      if (error instanceof RerankError) this.#failedCount += 1;
      throw error;
    }
  }

  metrics(): Metric[] {
    const { hits, misses, bytes } = this.#cache.figures;
    return [
      counter(
        'gannet_reranked_searches_total',
        'Searches whose first hits a reranker ordered',
        this.#rankedCount,
      ),
      counter(
        'gannet_unreranked_searches_total',
        'Searches that kept their order, because the reranker failed or was busy',
        this.#failedCount,
      ),
      counter('gannet_rerank_cache_hits_total', 'Scores from the cache of rerankers', hits),
      counter('gannet_rerank_cache_misses_total', 'Scores that were computed', misses),
      gauge('gannet_rerank_cache_bytes', 'Size of the cache of rerankers', bytes),
    ];
  }

  async #cachedScores(
    reranker: OpenReranker,
    question: RerankQuestion,
    timeoutMs: number,
  ): Promise<Float64Array> {
    const { query, texts } = question;
    const keys = texts.map((text) => keyOf(reranker.fingerprint, query, text));
    const scores = Float64Array.from(keys, (key) => this.#cache.get(key) ?? Number.NaN);
    const missing = [...scores.keys()].filter((at) => Number.isNaN(scores[at]));
    if (missing.length === 0) return scores;
    const startMs = this.#options.now();
    const unknown = missing.map((at) => texts[at] ?? '');
    const found = await this.#ask(reranker, { ...question, texts: unknown }, startMs + timeoutMs);
    const costMs = (this.#options.now() - startMs) / missing.length;
    for (const [n, at] of missing.entries()) {
      const score = found[n] ?? Number.NEGATIVE_INFINITY;
      scores[at] = score;
      this.#cache.set(keys[at] ?? '', score, SCORE_BYTES, costMs);
    }
    return scores;
  }

  async #ask(
    { service, gate }: OpenReranker,
    question: RerankQuestion,
    endMs: number,
  ): Promise<Float64Array> {
    const { signal } = question;
    const { now, log } = this.#options;
    if (!gate.isOpen)
      throw new RerankError('the service failed a moment ago, or too many searches wait for it', {
        isOutage: false,
      });
    try {
      return await gate.run(() =>
        withRetries(() => service.scores(question, endMs - now()), endMs, now, signal),
      );
    } catch (error) {
      if (signal?.aborted !== true && error instanceof RerankError) {
        if (error.isOutage) gate.pause();
        const next = error.isOutage ? `; the next request follows after ${OUTAGE_PAUSE_MS} ms` : '';
        log.warn(`a search was not reranked: ${error.message}${next}`);
      }
      throw error;
    }
  }
}

/** Repeats a request whose next answer may be better, while there is time. */
async function withRetries<T>(
  send: () => Promise<T>,
  endMs: number,
  now: () => number,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const waitMs = error instanceof RerankError ? error.retryAfterMs : null;
      if (waitMs === null || attempt === ATTEMPTS_MAX || now() + waitMs >= endMs) throw error;
      await delay(waitMs, undefined, { ...(signal && { signal }) });
    }
  }
}

function openReranker(settings: RerankerSettings, options: SearchRerankersOptions): OpenReranker {
  const { source, url, model, revision, request, response, headers = {} } = settings;
  return {
    service:
      source === 'huggingFace'
        ? localService(settings, options.scorePairs)
        : serviceOf(settings, options),
    gate: new ServiceGate(options.now),
    fingerprint: JSON.stringify([source, url, model, revision, request, response, headers]),
  };
}

function serviceOf(
  settings: RerankerSettings,
  { send }: Pick<SearchRerankersOptions, 'send'>,
): RerankService {
  const { url = '', apiKey = null, headers = {}, timeoutMs } = settings;
  return new RerankService({ url, apiKey, headers, shape: shapeOf(settings), timeoutMs, send });
}

/** @throws RerankError when stored examples do not go together */
function shapeOf({ source, model = '', request, response }: RerankerSettings): ServiceShape {
  if (source !== 'rest') return namedShape(model, source === 'voyage' ? 'data' : 'results');
  try {
    return restShape(request, response);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new RerankError(`its settings do not fit: ${error.message}`, { isOutage: false });
  }
}

const keyOf = (fingerprint: string, query: string, text: string): string =>
  createHash('sha256')
    .update(JSON.stringify([fingerprint, query, text]))
    .digest('base64url');

/** A model that runs in this server, called like a service. */
const localService = (
  settings: RerankerSettings,
  scorePairs: ScorePairs,
): Pick<RerankService, 'scores'> => ({
  async scores({ query, texts, signal }, timeoutMs = settings.timeoutMs) {
    const inTime = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
    const ends = signal === undefined ? inTime : AbortSignal.any([signal, inTime]);
    try {
      return await unlessAborted(scorePairs(settings, query, texts, ends), ends);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      const said = error instanceof Error ? error.message : String(error);
      const message = inTime.aborted ? 'the model did not answer in time' : said;
      throw new RerankError(message, { isOutage: true });
    }
  },
});
