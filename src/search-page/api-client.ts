/** Requests from the page to its own server, with the entered API key. */
import { objectOf, parseJson } from '../core/json.ts';
import { parseWithDigits } from '../core/long-integers.ts';

export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** True if the same request may succeed later: the server, or its indexer, is not there. */
  get isTemporary(): boolean {
    return this.code === 'unreachable' || this.status === 503;
  }

  /** True if another API key may help. */
  get isAboutKey(): boolean {
    return this.code === 'missing_authorization_header' || this.code === 'invalid_api_key';
  }
}

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as they are, with `contentType`; JSON without it. */
  readonly bytes?: Uint8Array<ArrayBuffer> | string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Pause before a request is repeated, milliseconds. */
export const AWAY_EVERY_MS = 2000;

/** Session storage: lasts until the browser tab is closed, never written to disk. */
const KEY_ITEM = 'gannet-key';

class ApiClient {
  #key = sessionStorage.getItem(KEY_ITEM) ?? '';
  #pending = 0;
  /** Receives the number of requests without an answer, whenever it changes. */
  onPending: (count: number) => void = () => undefined;

  get key(): string {
    return this.#key;
  }

  set key(key: string) {
    this.#key = key;
    if (key === '') sessionStorage.removeItem(KEY_ITEM);
    else sessionStorage.setItem(KEY_ITEM, key);
  }

  get #authorization(): Readonly<Record<string, string>> {
    return this.#key === '' ? {} : { Authorization: `Bearer ${this.#key}` };
  }

  /**
   * The answer, with long integers as strings of their digits: ids of documents are shown and sent.
   * @param path with its query, relative to the root of the server
   * @throws ApiFailure, also when the server does not answer (code `unreachable`); an aborted
   * request throws as `fetch` does
   */
  async request<Answer>(
    method: Method,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const text = await this.requestText(method, path, options);
    return (text === '' ? null : parseWithDigits(text)) as Answer;
  }

  /** Like `request`, but asks again while the failure is temporary. */
  async getPatiently<Answer>(path: string): Promise<Answer> {
    this.#count(1);
    try {
      for (;;) {
        try {
          return await this.request<Answer>('GET', path);
        } catch (error) {
          if (!(error instanceof ApiFailure && error.isTemporary)) throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, AWAY_EVERY_MS));
      }
    } finally {
      this.#count(-1);
    }
  }

  /** Like `request`, but returns the answer as it was sent. */
  async requestText(method: Method, path: string, options: RequestOptions): Promise<string> {
    const response = await this.open(method, path, options);
    return response.text();
  }

  /** Resolves when the head of the answer has arrived. @throws ApiFailure */
  async open(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
    const response = await this.send(method, path, options);
    if (!response.ok) throw failureOf(response.status, await response.text());
    return response;
  }

  /** Like `request`, but resolves to answers of any status. */
  async send(
    method: Method,
    path: string,
    { body, bytes, contentType = 'application/json', signal }: RequestOptions = {},
  ): Promise<Response> {
    const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers = {
      ...this.#authorization,
      // Searches of the operator are none of users.
      'X-Gannet-Analytics': 'off',
      ...(sent !== undefined && { 'Content-Type': contentType }),
    };
    this.#count(1);
    try {
      return await fetch(path, {
        method,
        headers,
        ...(sent !== undefined && { body: sent }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiFailure(0, 'unreachable', 'The server does not answer.');
    } finally {
      this.#count(-1);
    }
  }

  #count(change: 1 | -1): void {
    this.#pending += change;
    this.onPending(this.#pending);
  }
}

export const api = new ApiClient();

/** @param text body of an error answer, possibly written by a proxy */
function failureOf(status: number, text: string): ApiFailure {
  const { code, message } = objectOf(parseJson(text));
  if (typeof code === 'string' && typeof message === 'string')
    return new ApiFailure(status, code, message);
  return new ApiFailure(status, 'unknown', `The server answered with status ${status}.`);
}
