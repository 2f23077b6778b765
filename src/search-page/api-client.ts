/** Requests of the page to the server that it came from, with the key that was given. */

/** What the API answers with when it refuses. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether another key may help. */
  get isAboutKey(): boolean {
    return this.code === 'missing_authorization_header' || this.code === 'invalid_api_key';
  }
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Until the browser's tab is closed; nothing is kept on disk. */
const KEY_ITEM = 'gannet-key';

export class ApiClient {
  #key = sessionStorage.getItem(KEY_ITEM) ?? '';

  get key(): string {
    return this.#key;
  }

  set key(key: string) {
    this.#key = key;
    if (key === '') sessionStorage.removeItem(KEY_ITEM);
    else sessionStorage.setItem(KEY_ITEM, key);
  }

  get authorization(): Readonly<Record<string, string>> {
    return this.#key === '' ? {} : { Authorization: `Bearer ${this.#key}` };
  }

  /**
   * @param path with its query, from the root of the server
   * @throws ApiFailure also when nobody answers (code `unreachable`); an aborted request throws as
   * `fetch` does
   */
  async request<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { body, signal }: RequestOptions = {},
  ): Promise<Answer> {
    const headers = {
      ...this.authorization,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    let response: Response;
    try {
      response = await fetch(path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiFailure(0, 'unreachable', 'The server does not answer.');
    }
    const text = await response.text();
    if (!response.ok) throw failureOf(response.status, text);
    return (text === '' ? null : JSON.parse(text)) as Answer;
  }
}

/** @param text body of an answer with an error, which a proxy on the way may have written */
export function failureOf(status: number, text: string): ApiFailure {
  try {
    const { code, message } = JSON.parse(text) as { code?: unknown; message?: unknown };
    if (typeof code === 'string' && typeof message === 'string')
      return new ApiFailure(status, code, message);
  } catch {
    // Not the API's.
  }
  return new ApiFailure(status, 'unknown', `The server answered with status ${status}.`);
}
