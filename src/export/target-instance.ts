/**
 * The instance that an export goes to, over its HTTP API. What may be a passing fault is asked again
 * for some time: the other instance may be starting, or its network away.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError } from '../core/errors.ts';
import { OutgoingError } from '../http-client/outgoing-error.ts';
import type { OutgoingAnswer, SendRequest } from '../http-client/outgoing-http.ts';
import type { SettingsUpdate } from '../model/settings.ts';

export interface ExportTiming {
  readonly timeoutMs: number;
  /** Before the second attempt; doubled for each further one. */
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Faults in a row that last so long end the export. */
  readonly giveUpMs: number;
}

export const EXPORT_TIMING: ExportTiming = {
  timeoutMs: 120_000,
  delayMsMin: 500,
  delayMsMax: 30_000,
  giveUpMs: 600_000,
};

export interface TargetOptions {
  readonly url: string;
  readonly apiKey: string | null;
  readonly send: SendRequest;
  readonly timing: ExportTiming;
  /** Ends requests and pauses: whoever waits gets `OutgoingError` `aborted`. */
  readonly signal: AbortSignal;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: Uint8Array;
  readonly type?: string;
}

const ANSWER_BYTES_MAX = 1 << 20;
const NOT_FOUND = 404;
/** The other instance is overloaded or slow, which may pass. */
const PASSING = [408, 425, 429];

const compress = promisify(gzip);

export class TargetInstance {
  readonly #options: TargetOptions;

  constructor(options: TargetOptions) {
    this.#options = options;
  }

  /** null when there is no such index. */
  async index(uid: string): Promise<{ readonly primaryKey: string | null } | null> {
    const answer = await this.#call({ method: 'GET', path: `indexes/${uid}` }, NOT_FOUND);
    if (answer.status === NOT_FOUND) return null;
    const { primaryKey } = JSON.parse(answer.body.toString()) as { primaryKey?: unknown };
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

  #json(method: 'POST' | 'PATCH', path: string, value: unknown): Call {
    return { method, path, body: Buffer.from(JSON.stringify(value)), type: 'application/json' };
  }

  /** @throws ApiError when the answer is neither 2xx nor `also` */
  async #call(call: Call, also?: number): Promise<OutgoingAnswer> {
    const { timing, now, sleep, signal } = this.#options;
    const beganMs = now();
    for (let delayMs = timing.delayMsMin; ; delayMs = Math.min(delayMs * 2, timing.delayMsMax)) {
      const fault = await this.#attempt(call, also);
      if (!(fault instanceof Fault)) return fault;
      if (now() - beganMs >= timing.giveUpMs)
        throw new ApiError('remote_could_not_send_request', fault.message);
      await sleep(delayMs, signal);
    }
  }

  /** A fault that may pass is returned. */
  async #attempt(call: Call, also?: number): Promise<OutgoingAnswer | Fault> {
    let answer: OutgoingAnswer;
    try {
      answer = await this.#send(call);
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.failure === 'aborted') throw error;
      if (error.failure === 'refused')
        throw new ApiError('remote_could_not_send_request', error.message);
      return new Fault(error.message);
    }
    const { status } = answer;
    if ((status >= 200 && status < 300) || status === also) return answer;
    const { origin } = new URL(this.#options.url);
    const message = `${origin} answered ${call.method} /${call.path} with status ${status}${reasonOf(answer)}`;
    if (status >= 500 || PASSING.includes(status)) return new Fault(message);
    throw new ApiError('internal', message);
  }

  #send({ method, path, body, type }: Call): Promise<OutgoingAnswer> {
    const { url, apiKey, send, timing, signal } = this.#options;
    return send({
      method,
      url: new URL(path, url.endsWith('/') ? url : `${url}/`).href,
      headers: {
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(type !== undefined && { 'content-type': type }),
        ...(type === 'application/x-ndjson' && { 'content-encoding': 'gzip' }),
      },
      ...(body !== undefined && { body }),
      timeoutMs: timing.timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
  }
}

class Fault {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Code and message of an error answer. */
function reasonOf({ body }: OutgoingAnswer): string {
  try {
    const { code, message } = JSON.parse(body.toString()) as Record<string, unknown>;
    return typeof message === 'string' ? `: ${message} (${String(code)})` : '.';
  } catch {
    return '.';
  }
}
