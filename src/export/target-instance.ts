/**
 * The target of an export, over its HTTP API. Transient failures are retried for some time: the
 * target may be starting, or the network down.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError } from '../core/errors.ts';
import { isObject, objectOf, parseJson } from '../core/json.ts';
import { OutgoingError } from '../http-client/outgoing-error.ts';
import type { OutgoingAnswer, SendRequest } from '../http-client/outgoing-http.ts';
import type { SettingsUpdate } from '../model/settings.ts';

export interface ExportTiming {
  readonly timeoutMs: number;
  /** Milliseconds before the second attempt; doubles with each further one. */
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Milliseconds of consecutive failures after which the export fails. */
  readonly giveUpMs: number;
}

const EXPORT_TIMING: ExportTiming = {
  timeoutMs: 120_000,
  delayMsMin: 500,
  delayMsMax: 30_000,
  giveUpMs: 600_000,
};

export interface TargetOptions {
  readonly url: string;
  readonly apiKey: string | null;
  readonly send: SendRequest;
  readonly timing?: Partial<ExportTiming> | undefined;
  /** Ends requests and pauses, which then reject. */
  readonly signal: AbortSignal;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: Uint8Array;
  readonly type?: string;
}

const ANSWER_BYTES_MAX = 1 << 20;
const NOT_FOUND = 404;
/** Statuses of an overloaded or slow target; retried. */
const PASSING = [408, 425, 429];

const compress = promisify(gzip);

export class TargetInstance {
  readonly #options: TargetOptions;
  readonly #timing: ExportTiming;

  constructor(options: TargetOptions) {
    this.#options = options;
    this.#timing = { ...EXPORT_TIMING, ...options.timing };
  }

  /** null if the index does not exist. */
  async index(uid: string): Promise<{ readonly primaryKey: string | null } | null> {
    const answer = await this.#call({ method: 'GET', path: `indexes/${uid}` }, NOT_FOUND);
    if (answer.status === NOT_FOUND) return null;
    const index = parseJson(answer.body);
    if (!isObject(index))
      throw new ApiError(
        'remote_bad_response',
        `The answer of ${this.#origin} to GET /indexes/${uid} is not an index.`,
      );
    const { primaryKey } = index;
    return { primaryKey: typeof primaryKey === 'string' ? primaryKey : null };
  }

  async createIndex(uid: string, primaryKey: string | null): Promise<void> {
    await this.#call(this.#json('POST', 'indexes', { uid, primaryKey }));
  }

  async updateSettings(uid: string, settings: SettingsUpdate): Promise<void> {
    await this.#call(this.#json('PATCH', `indexes/${uid}/settings`, settings));
  }

  /** @param lines NDJSON */
  async addDocuments(uid: string, primaryKey: string | null, lines: Uint8Array): Promise<void> {
    const query = primaryKey === null ? '' : `?primaryKey=${encodeURIComponent(primaryKey)}`;
    await this.#call({
      method: 'POST',
      path: `indexes/${uid}/documents${query}`,
      body: await compress(lines),
      type: 'application/x-ndjson',
    });
  }

  get #origin(): string {
    return new URL(this.#options.url).origin;
  }

  #json(method: 'POST' | 'PATCH', path: string, value: unknown): Call {
    return { method, path, body: Buffer.from(JSON.stringify(value)), type: 'application/json' };
  }

  /** @throws ApiError if the answer is neither 2xx nor `also` */
  async #call(call: Call, also?: number): Promise<OutgoingAnswer> {
    const { delayMsMin, delayMsMax, giveUpMs } = this.#timing;
    const beganMs = performance.now();
    for (let delayMs = delayMsMin; ; delayMs = Math.min(delayMs * 2, delayMsMax)) {
      const answer = await this.#attempt(call, also);
      if (typeof answer !== 'string') return answer;
      if (performance.now() - beganMs >= giveUpMs)
        throw new ApiError('remote_could_not_send_request', answer);
      await pause(delayMs, undefined, { signal: this.#options.signal });
    }
  }

  /** Resolves to the message of a transient failure. @throws ApiError for others */
  async #attempt(call: Call, also?: number): Promise<OutgoingAnswer | string> {
    let answer: OutgoingAnswer;
    try {
      answer = await this.#send(call);
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.failure === 'aborted') throw error;
      if (error.failure === 'refused')
        throw new ApiError('remote_could_not_send_request', error.message);
      return error.message;
    }
    const { status } = answer;
    if ((status >= 200 && status < 300) || status === also) return answer;
    const message = `${this.#origin} answered ${call.method} /${call.path} with status ${status}${reasonOf(answer)}`;
    if (status >= 500 || PASSING.includes(status)) return message;
    throw new ApiError('internal', message);
  }

  #send({ method, path, body, type }: Call): Promise<OutgoingAnswer> {
    const { url, apiKey, send, signal } = this.#options;
    return send({
      method,
      url: new URL(path, url.endsWith('/') ? url : `${url}/`).href,
      headers: {
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(type !== undefined && { 'content-type': type }),
        ...(type === 'application/x-ndjson' && { 'content-encoding': 'gzip' }),
      },
      ...(body !== undefined && { body }),
      timeoutMs: this.#timing.timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
  }
}

function reasonOf({ body }: OutgoingAnswer): string {
  const { code, message } = objectOf(parseJson(body));
  return typeof message === 'string' ? `: ${message} (${String(code)})` : '.';
}
