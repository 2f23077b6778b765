/** One request to a provider: building it, judging the response, reading its vectors. */

import { createHash } from 'node:crypto';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { withMaskedSecrets } from '../../core/mask-secret.ts';
import { ShapeError } from '../../core/rest-shape.ts';
import { OutgoingError } from '../../http-client/outgoing-error.ts';
import type { OutgoingAnswer, SendRequest } from '../../http-client/outgoing-http.ts';
import { EmbeddingError, type EmbeddingInput, type EmbedOptions } from '../embedder.ts';
import type { ProviderProfile } from './provider-profile.ts';
import { type RateLimits, readRateLimits } from './rate-limit-headers.ts';
import type { Attempt, RateLimiter, RetryPolicy } from './rate-limiter.ts';

/**
 * @param dimensions required; null = those of the first vector
 * @param first number of the first input, for errors
 * @throws EmbeddingError whose message completes "The provider gave …"
 */
function readVectors(
  values: readonly unknown[],
  count: number,
  dimensions: number | null,
  first: number,
): readonly Float32Array[] {
  if (values.length !== count)
    throw new EmbeddingError(`${values.length} vectors for ${count} inputs.`);
  const [head] = values;
  const expected = dimensions ?? (Array.isArray(head) ? head.length : 0);
  return values.map((value, at) => readVector(value, expected, first + at));
}

function readVector(value: unknown, dimensions: number, inputAt: number): Float32Array {
  if (!Array.isArray(value) || value.length === 0 || value.length > limits.vectorDimensionsMax)
    throw new EmbeddingError('something else than a list of numbers.', inputAt);
  if (value.length !== dimensions) {
    const message = `a vector of ${value.length} dimensions, expected ${dimensions}.`;
    throw new EmbeddingError(message, inputAt);
  }
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) {
    const number: unknown = value[at];
    vector[at] = typeof number === 'number' ? number : Number.NaN;
    if (!Number.isFinite(vector[at]))
      throw new EmbeddingError(`a vector whose number ${at} is none.`, inputAt);
  }
  return vector;
}

/** Resources that the embedders of one process share. */
export interface ProviderEnvironment {
  readonly send: SendRequest;
  /** The rate limiter of an account: the same for the same URL and key. */
  rateLimiterOf(url: string, apiKey: string | null): RateLimiter;
  /** Of one request. */
  readonly timeoutMs: number;
  /**
   * Grace period in which an aborted request may still be answered: the provider charges for it
   * anyway.
   */
  readonly graceMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Inputs of one request; `first` is the position of the first one in the whole call. */
export interface Batch {
  readonly inputs: readonly EmbeddingInput[];
  readonly first: number;
}

/** The provider accepted none of the inputs. */
export class BadInputError extends EmbeddingError {}

const CHARS_PER_TOKEN = 4;
/** Images make inputs large; texts stay far below. */
const REQUEST_BYTES_MAX = 16 << 20;
/** Bytes of one number in a response, with indentation. */
const NUMBER_BYTES_MAX = 64;
/**
 * Longest vector that is read, even if fewer dimensions are expected, so that the error can state
 * the mismatch.
 */
const TOLERATED_DIMENSIONS = 4096;
/** Bytes of a response without its vectors. */
const REST_BYTES_MAX = 1 << 20;
/** Bytes read of a provider's error message. */
const SHOWN_CHARS_MAX = 300;

/** The request, or one of its inputs, is too large or invalid for the provider. */
const BAD_INPUT = [400, 413, 422];
const NO_LIMITS: RateLimits = { retryAfterMs: null, requests: null, tokens: null };

const UNAUTHORIZED = 401;
/** A request with the same idempotency key is still running. */
const STILL_UNDER_WAY = 409;

type Vectors = readonly Float32Array[];

interface Request extends Batch {
  readonly body: Uint8Array;
  readonly key: Readonly<Record<string, string>>;
}

/** `isFailure`: a provider that caches responses by idempotency key may return this one again. */
type SentAttempt = Attempt<Vectors> & { readonly isFailure: boolean };

export class ProviderClient {
  readonly #profile: ProviderProfile;
  readonly #environment: ProviderEnvironment;
  readonly #rateLimiter: RateLimiter;
  /**
   * Prefix of error messages; paths and queries of URLs are left out because they may hold secrets.
   */
  readonly #who: string;
  #dimensions: number | null;

  constructor(profile: ProviderProfile, environment: ProviderEnvironment) {
    this.#profile = profile;
    this.#environment = environment;
    this.#rateLimiter = environment.rateLimiterOf(profile.url, profile.apiKey);
    this.#who = `The provider at ${originOf(profile.url)}`;
    this.#dimensions = profile.dimensions;
  }

  /** From the settings, the model, or the first response; null = not known yet. */
  get dimensions(): number | null {
    return this.#dimensions;
  }

  /** Rejects with `EmbeddingError`, or with the reason of the signal. */
  async request(
    batch: Batch,
    retryPolicy: RetryPolicy,
    { signal, onRequest, cause }: Pick<EmbedOptions, 'signal' | 'onRequest' | 'cause'>,
  ): Promise<Vectors> {
    const body = Buffer.from(JSON.stringify(this.#profile.request.fill(batch.inputs)));
    if (body.length > REQUEST_BYTES_MAX && batch.inputs.length > 1)
      throw new BadInputError('The request is too large.');
    const tokens = Math.ceil(body.length / CHARS_PER_TOKEN);
    let failures = 0;
    return this.#rateLimiter.run(tokens, retryPolicy, signal, async () => {
      const key = cause === undefined ? {} : idempotencyKey(body, cause, failures);
      const { isFailure, ...ended } = await this.#attempt({ ...batch, body, key }, signal);
      if (isFailure) failures += 1;
      onRequest?.(ended.outcome === 'success' ? null : ended.error.message);
      return ended;
    });
  }

  async #attempt(request: Request, signal: AbortSignal): Promise<SentAttempt> {
    const { send, timeoutMs, graceMs, now } = this.#environment;
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => ending.abort(), graceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = await send({
        method: 'POST',
        url: this.#profile.url,
        headers: { 'content-type': 'application/json', ...request.key, ...this.#profile.headers },
        body: request.body,
        timeoutMs,
        answerBytesMax: this.#answerBytesMax(request),
        signal: ending.signal,
      });
      const judged = this.#judge(answer, request, readRateLimits(answer.headers, now()));
      return {
        ...judged,
        isFailure: judged.outcome === 'failed' && answer.status !== STILL_UNDER_WAY,
      };
    } catch (error) {
      return { ...withoutAnswer(error), isFailure: false };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  #answerBytesMax({ inputs, body }: Request): number {
    const dimensions = this.#dimensions ?? limits.vectorDimensionsMax;
    const numbers = inputs.length * Math.max(dimensions, TOLERATED_DIMENSIONS);
    return REST_BYTES_MAX + body.length * 2 + numbers * NUMBER_BYTES_MAX;
  }

  #judge(answer: OutgoingAnswer, batch: Batch, limits: RateLimits): Attempt<Vectors> {
    const { status, headers, body } = answer;
    if (status < 200 || status >= 300) return { ...this.#refusal(answer, batch, limits), limits };
    const { 'content-encoding': encoding = 'identity' } = headers;
    if (encoding !== 'identity') {
      const error = new EmbeddingError(`${this.#who} answers in \`${encoding}\` unasked`);
      return { outcome: 'rejected', error, limits };
    }
    const json = parseJson(body);
    if (json === undefined) {
      const error = new EmbeddingError(`${this.#who} answers no JSON: ${this.#shown(body)}`);
      return { outcome: 'failed', error, limits };
    }
    try {
      const values = this.#profile.response.read(json);
      const vectors = readVectors(values, batch.inputs.length, this.#dimensions, batch.first);
      this.#dimensions ??= vectors[0]?.length ?? null;
      return { outcome: 'success', value: vectors, limits };
    } catch (cause) {
      return { outcome: 'rejected', error: this.#nonsense(cause, body), limits };
    }
  }

  #nonsense(cause: unknown, body: Buffer): Error {
    if (cause instanceof ShapeError)
      return new EmbeddingError(
        `${this.#who} gives an answer that ${cause.message}: ${this.#shown(body)}`,
      );
    if (cause instanceof EmbeddingError)
      return new EmbeddingError(`${this.#who} gave ${cause.message}`, cause.inputAt);
    return cause as Error;
  }

  #refusal({ status, body }: OutgoingAnswer, { inputs, first }: Batch, limits: RateLimits) {
    const said = body.length === 0 ? ' and says nothing more' : `: ${this.#shown(body)}`;
    const { authorization } = this.#profile.headers;
    const isAnonymous = status === UNAUTHORIZED && authorization === undefined;
    const hint = isAnonymous ? '; the embedder sends no key, since it has no `apiKey`' : '';
    const message = `${this.#who} answers ${status}${said}${hint}`;
    if (!BAD_INPUT.includes(status))
      return { outcome: outcomeOf(status, body, limits), error: new EmbeddingError(message) };
    const error = new BadInputError(message, inputs.length === 1 ? first : null);
    return { outcome: 'rejected' as const, error };
  }

  /** The beginning of a response, without secrets that the provider may echo. */
  #shown(body: Buffer): string {
    const { apiKey, headers } = this.#profile;
    const text = body.subarray(0, SHOWN_CHARS_MAX * 4).toString();
    const safe = withMaskedSecrets(text, apiKey, headers);
    return safe.length <= SHOWN_CHARS_MAX ? safe : `${safe.slice(0, SHOWN_CHARS_MAX)}…`;
  }
}

/**
 * Idempotency key: a provider that supports it returns the stored response for a repeated request
 * and charges once. The stored response may be a failure, so the key changes after two failures.
 * After one failure it stays the same, because a restarted server, which does not count earlier
 * failures, sends that key too.
 */
const idempotencyKey = (body: Uint8Array, cause: string, failures: number) => ({
  'idempotency-key': createHash('sha256')
    .update(`${cause} ${failures >> 1} `)
    .update(body)
    .digest('base64url'),
});

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'no URL');

function withoutAnswer(cause: unknown): Attempt<never> {
  if (!(cause instanceof OutgoingError))
    return { outcome: 'rejected', error: cause as Error, limits: NO_LIMITS };
  const mayPass = cause.failure === 'unreachable' || cause.failure === 'timeout';
  const error = new EmbeddingError(cause.message);
  return { outcome: mayPass ? 'failed' : 'rejected', error, limits: NO_LIMITS };
}

function outcomeOf(
  status: number,
  body: Buffer,
  limits: RateLimits,
): 'refused' | 'failed' | 'rejected' {
  // OpenAI's code for an account without credit; waiting does not help.
  if (status === 429 && body.includes('insufficient_quota')) return 'rejected';
  if (status === 429 || (status === 503 && limits.retryAfterMs !== null)) return 'refused';
  return status >= 500 || [408, STILL_UNDER_WAY, 425].includes(status) ? 'failed' : 'rejected';
}
