/**
 * An external reranking service: one request with the query and the texts, one answer with their
 * scores. `service-shape.ts` has the JSON of each kind of service.
 */
import { parseJson } from '../core/json.ts';
import { withMaskedSecrets } from '../core/mask-secret.ts';
import { ShapeError } from '../core/rest-shape.ts';
import { OutgoingError } from '../http-client/outgoing-error.ts';
import type { OutgoingAnswer, SendRequest } from '../http-client/outgoing-http.ts';
import type { ScoredPosition, ServiceShape } from './service-shape.ts';

export interface RerankServiceOptions {
  readonly url: string;
  /** null = none is sent. */
  readonly apiKey: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly shape: ServiceShape;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly send: SendRequest;
}

export interface RerankQuestion {
  readonly query: string;
  readonly texts: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** No ranking is available; the message completes "because …". */
export class RerankError extends Error {
  override readonly name = 'RerankError';
  /** True if other questions would fail as well. */
  readonly isOutage: boolean;
  /** Milliseconds after which the same request may succeed; null = it will not. */
  readonly retryAfterMs: number | null;
  constructor(
    message: string,
    { isOutage, retryAfterMs = null }: { isOutage: boolean; retryAfterMs?: number | null },
  ) {
    super(message);
    this.isOutage = isOutage;
    this.retryAfterMs = retryAfterMs;
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
/** Statuses of which the next answer may be better. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];
const RETRY_MS = 100;

export class RerankService {
  readonly #options: RerankServiceOptions;

  constructor(options: RerankServiceOptions) {
    this.#options = options;
  }

  /**
   * By number of the text; lower than every score for texts without a result. Rejects with
   * `RerankError`.
   */
  async scores(
    question: RerankQuestion,
    timeoutMs = this.#options.timeoutMs,
  ): Promise<Float64Array> {
    const { status, headers, body } = await this.#ask(question, timeoutMs);
    if (status === 200) return this.#read(body, question.texts.length);
    throw new RerankError(`the service answers ${status}${this.#said(body)}`, {
      isOutage: !BAD_QUESTION.includes(status),
      retryAfterMs: PASSING.includes(status) ? retryAfterOf(headers['retry-after']) : null,
    });
  }

  async #ask({ query, texts, signal }: RerankQuestion, timeoutMs: number): Promise<OutgoingAnswer> {
    const { url, apiKey, headers, shape, send } = this.#options;
    try {
      return await send({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
          ...headers,
        },
        body: Buffer.from(JSON.stringify(shape.request(query, texts))),
        timeoutMs,
        answerBytesMax: REST_BYTES_MAX + texts.length * RESULT_BYTES_MAX,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      const retryAfterMs = error.failure === 'unreachable' ? RETRY_MS : null;
      throw new RerankError(error.message, { isOutage: true, retryAfterMs });
    }
  }

  #read(body: Buffer, count: number): Float64Array {
    const { shape } = this.#options;
    const answer = parseJson(body);
    if (answer === undefined) throw nonsense('is not JSON');
    try {
      return scoresOf(shape.read(answer), count);
    } catch (error) {
      if (error instanceof ShapeError) throw nonsense(error.message);
      throw error;
    }
  }

  /** The start of a response, without secrets, which the service may repeat. */
  #said(body: Buffer): string {
    const { apiKey, headers = {} } = this.#options;
    const text = withMaskedSecrets(body.toString(), apiKey, headers);
    return text === '' ? '' : `: ${text.slice(0, SHOWN_CHARS_MAX)}`;
  }
}

/** Of a header in seconds; a date counts as absent. */
const retryAfterOf = (header: unknown): number =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : RETRY_MS;

function scoresOf(results: readonly ScoredPosition[], count: number): Float64Array {
  const scores = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (const result of results) {
    const { index, score } = result;
    if (typeof index !== 'number' || !(index in scores) || !Number.isFinite(score))
      throw new RerankError(`a result of the service is none: ${shown(result)}`, {
        isOutage: true,
      });
    scores[index] = score as number;
  }
  return scores;
}

const nonsense = (problem: string): RerankError =>
  new RerankError(`the answer of the service ${problem}`, { isOutage: true });

const shown = (value: unknown): string =>
  (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_CHARS_MAX);
