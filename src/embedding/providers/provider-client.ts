/** One request to a provider: what is sent, how its answer is judged, the vectors in it. */
import { createHash } from 'node:crypto';
import { limits } from '../../core/limits.ts';
import { maskSecret } from '../../core/mask-secret.ts';
import { isSecretHeader } from '../../model/secret-headers.ts';
import { OutgoingError } from '../../outgoing/outgoing-error.ts';
import type { OutgoingAnswer, SendRequest } from '../../outgoing/outgoing-http.ts';
import { EmbeddingError, type EmbeddingInput, type EmbedOptions } from '../embedder.ts';
import type { Attempt, Governor, Patience } from './governor.ts';
import type { ProviderProfile } from './provider-profile.ts';
import { type RateLimits, readRateLimits } from './rate-limit-headers.ts';
import { readVectors } from './read-vectors.ts';
import { ShapeError } from './rest-shape.ts';

export interface ProviderClientOptions {
  readonly profile: ProviderProfile;
  readonly governor: Governor;
  readonly send: SendRequest;
  /** Of one request. */
  readonly timeoutMs: number;
  /** So long a request may still be answered when its signal has come: it is paid for by then. */
  readonly graceMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Inputs of one request; `first` is the place of the first of them in the whole call. */
export interface Batch {
  readonly inputs: readonly EmbeddingInput[];
  readonly first: number;
}

/** The provider took none of the inputs. */
export class BadInputError extends EmbeddingError {}

const CHARS_PER_TOKEN = 4;
/** Pictures make inputs large; texts stay far below. */
const REQUEST_BYTES_MAX = 16 << 20;
/** Of one number in an answer, indented or not. */
const NUMBER_BYTES_MAX = 64;
/** Vectors may have as many numbers, whatever is expected: an error is to say what is wrong. */
const TOLERATED_DIMENSIONS = 4096;
/** What answers tell beside vectors. */
const REST_BYTES_MAX = 1 << 20;
/** Of what a provider says about an error. */
const SHOWN_CHARS_MAX = 300;

/** The request, or one input in it, is too large or otherwise not to the provider's taste. */
const BAD_INPUT = [400, 413, 422];
const NO_LIMITS: RateLimits = { retryAfterMs: null, requests: null, tokens: null };

const UNAUTHORIZED = 401;
/** A request with the same idempotency key has not ended yet. */
const STILL_UNDER_WAY = 409;

type Vectors = readonly Float32Array[];

/** A batch as it is sent. */
interface Request extends Batch {
  readonly body: Uint8Array;
  readonly key: Readonly<Record<string, string>>;
}

/** `isFailure`: a provider that keeps what it answers by key may answer this again. */
type SentAttempt = Attempt<Vectors> & { readonly isFailure: boolean };

export class ProviderClient {
  readonly #options: ProviderClientOptions;
  /** Begins what errors say; paths and queries of URLs may hold secrets. */
  readonly #who: string;
  #dimensions: number | null;

  constructor(options: ProviderClientOptions) {
    this.#options = options;
    this.#who = `The provider at ${originOf(options.profile.url)}`;
    this.#dimensions = options.profile.dimensions;
  }

  /** Of the settings, the model, or the first answer; null = not known yet. */
  get dimensions(): number | null {
    return this.#dimensions;
  }

  /** Rejects with `EmbeddingError`, or with the reason of the signal. */
  async request(
    batch: Batch,
    patience: Patience,
    { signal, onRequest, cause }: Pick<EmbedOptions, 'signal' | 'onRequest' | 'cause'>,
  ): Promise<Vectors> {
    const body = Buffer.from(JSON.stringify(this.#options.profile.request.fill(batch.inputs)));
    if (body.length > REQUEST_BYTES_MAX && batch.inputs.length > 1)
      throw new BadInputError('The request is too large.');
    const tokens = Math.ceil(body.length / CHARS_PER_TOKEN);
    let failures = 0;
    return this.#options.governor.run(tokens, patience, signal, async () => {
      const key = cause === undefined ? {} : idempotencyKey(body, cause, failures);
      const { isFailure, ...ended } = await this.#attempt({ ...batch, body, key }, signal);
      if (isFailure) failures += 1;
      onRequest?.(ended.outcome === 'success' ? null : ended.error.message);
      return ended;
    });
  }

  async #attempt(request: Request, signal: AbortSignal): Promise<SentAttempt> {
    const { profile, send, timeoutMs, graceMs, now } = this.#options;
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => ending.abort(), graceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = await send({
        method: 'POST',
        url: profile.url,
        headers: { 'content-type': 'application/json', ...request.key, ...profile.headers },
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
      const values = this.#options.profile.response.read(json);
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
    const { authorization } = this.#options.profile.headers;
    const isAnonymous = status === UNAUTHORIZED && authorization === undefined;
    const hint = isAnonymous ? '; the embedder sends no key, since it has no `apiKey`' : '';
    const message = `${this.#who} answers ${status}${said}${hint}`;
    if (!BAD_INPUT.includes(status))
      return { outcome: outcomeOf(status, body, limits), error: new EmbeddingError(message) };
    const error = new BadInputError(message, inputs.length === 1 ? first : null);
    return { outcome: 'rejected' as const, error };
  }

  /** The beginning of an answer, without the secrets that the provider may repeat. */
  #shown(body: Buffer): string {
    const text = body.subarray(0, SHOWN_CHARS_MAX * 4).toString();
    const safe = secretsOf(this.#options.profile).reduce(
      (masked, secret) => masked.replaceAll(secret, maskSecret(secret)),
      text,
    );
    return safe.length <= SHOWN_CHARS_MAX ? safe : `${safe.slice(0, SHOWN_CHARS_MAX)}…`;
  }
}

/** What requests carry so that the provider knows the account, without the scheme before it. */
function secretsOf({ apiKey, headers }: ProviderProfile): readonly string[] {
  const ofHeaders = Object.entries(headers).flatMap(([name, value]) =>
    isSecretHeader(name) ? [value.replace(/^\w+ +/, '')] : [],
  );
  return [apiKey ?? '', ...ofHeaders].filter((secret) => secret !== '');
}

/**
 * A provider that honours it answers a repeated request with what it has, and is paid once. What it
 * keeps may be a failure: after two the key is another one. After one alone it is the same, which a
 * server that is started again, and knows of no failure, sends as well.
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
  // OpenAI's word for an account without money: no waiting helps.
  if (status === 429 && body.includes('insufficient_quota')) return 'rejected';
  if (status === 429 || (status === 503 && limits.retryAfterMs !== null)) return 'refused';
  return status >= 500 || [408, STILL_UNDER_WAY, 425].includes(status) ? 'failed' : 'rejected';
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}
