/**
 * An external reranking service: the API of Cohere (version 2), which other services offer too.
 * `{model, query, documents}` → `{results: [{index, relevance_score}]}`.
 */
import { parseJson } from '../core/json.ts';
import { maskSecret } from '../core/mask-secret.ts';
import { OutgoingError } from '../http-client/outgoing-error.ts';
import type { OutgoingAnswer, SendRequest } from '../http-client/outgoing-http.ts';

export interface RerankServiceOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
  readonly timeoutMs: number;
  readonly send: SendRequest;
}

/** No ranking is available; the message completes "because …". */
export class RerankError extends Error {
  override readonly name = 'RerankError';
  /** True if other questions would fail as well. */
  readonly isOutage: boolean;
  constructor(message: string, { isOutage }: { readonly isOutage: boolean }) {
    super(message);
    this.isOutage = isOutage;
  }
}

/** Response bytes per text: its number, its score and further members. */
const RESULT_BYTES_MAX = 1024;
/** Response bytes besides the results. */
const REST_BYTES_MAX = 64 << 10;
/** Characters of an error response that are shown. */
const SHOWN_CHARS_MAX = 200;
/** Statuses for an unacceptable question or text. */
const BAD_QUESTION = [400, 413, 422];

export class RerankService {
  readonly #options: RerankServiceOptions;

  constructor(options: RerankServiceOptions) {
    this.#options = options;
  }

  /**
   * Numbers of the texts, best first; texts without a result come last, in their order. Rejects
   * with `RerankError`.
   */
  async rank(
    query: string,
    documents: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    const answer = await this.#ask(query, documents, signal);
    const { status, body } = answer;
    if (status === 200) return bestFirst(scoresOf(body, documents.length));
    throw new RerankError(`the service answers ${status}${this.#said(body)}`, {
      isOutage: !BAD_QUESTION.includes(status),
    });
  }

  async #ask(
    query: string,
    documents: readonly string[],
    signal?: AbortSignal,
  ): Promise<OutgoingAnswer> {
    const { url, apiKey, model, timeoutMs, send } = this.#options;
    try {
      return await send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: Buffer.from(JSON.stringify({ model, query, documents })),
        timeoutMs,
        answerBytesMax: REST_BYTES_MAX + documents.length * RESULT_BYTES_MAX,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      throw new RerankError(error.message, { isOutage: true });
    }
  }

  /** The start of a response, without the API key, which the service may repeat. */
  #said(body: Buffer): string {
    const { apiKey } = this.#options;
    const text = body.toString().replaceAll(apiKey, maskSecret(apiKey));
    return text === '' ? '' : `: ${text.slice(0, SHOWN_CHARS_MAX)}`;
  }
}

/** By number of the text; lower than every score for texts without a result. */
function scoresOf(body: Buffer, count: number): Float64Array {
  const scores = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (const result of resultsOf(body)) {
    const { index, relevance_score: score } = (result ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof index !== 'number' || !(index in scores) || !Number.isFinite(score))
      throw new RerankError(`a result of the service is none: ${shown(result)}`, {
        isOutage: true,
      });
    scores[index] = score as number;
  }
  return scores;
}

function resultsOf(body: Buffer): readonly unknown[] {
  const answer = parseJson(body) as { readonly results?: unknown } | null | undefined;
  if (Array.isArray(answer?.results)) return answer.results;
  throw new RerankError('the service answers without a list of `results`', { isOutage: true });
}

/**
 * Equal scores keep their order: sorting is stable, and comparing signs avoids infinity minus
 * infinity.
 */
function bestFirst(scores: Float64Array): readonly number[] {
  const scoreOf = (number: number): number => scores[number] ?? Number.NEGATIVE_INFINITY;
  return [...scores.keys()].sort(
    (a, b) => Number(scoreOf(b) > scoreOf(a)) - Number(scoreOf(b) < scoreOf(a)),
  );
}

const shown = (value: unknown): string =>
  (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_CHARS_MAX);
