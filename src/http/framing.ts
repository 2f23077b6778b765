/**
 * Validates the headers that delimit a request. Ambiguous requests are refused and their connection
 * is closed, because a proxy may delimit them differently (request smuggling; RFC 9112, 6.3 and
 * 11.2).
 */
import { ApiError, toEnvelope, toWire } from '../core/errors.ts';

/** More digits than any valid body length, few enough for an exact number. */
const LENGTH = /^\d{1,15}$/;

/** Checks the headers of one request, in any order. */
export class Framing {
  #lengths = 0;
  #encodings = 0;
  #hosts = 0;
  #fault: string | null = null;

  /** @param name in lower case */
  header(name: string, value: string): void {
    if (name === 'content-length') {
      this.#lengths += 1;
      if (!LENGTH.test(value)) this.#fault = 'A `Content-Length` header is not a number of bytes.';
    } else if (name === 'transfer-encoding') {
      this.#encodings += 1;
      if (value.trim().toLowerCase() !== 'chunked')
        this.#fault = 'The `Transfer-Encoding` is not supported, expected `chunked`.';
    } else if (name === 'host') this.#hosts += 1;
  }

  /** True if the body comes in chunks. */
  get isChunked(): boolean {
    return this.#encodings > 0;
  }

  /** The fault, or null. Callable after the last header. */
  fault(): string | null {
    if (this.#lengths > 1) return 'The request has several `Content-Length` headers, expected one.';
    if (this.#encodings > 1)
      return 'The request has several `Transfer-Encoding` headers, expected one.';
    if (this.#lengths > 0 && this.#encodings > 0)
      return 'The request has both `Content-Length` and `Transfer-Encoding`, expected one of them.';
    if (this.#hosts > 1) return 'The request has several `Host` headers, expected one.';
    return this.#fault;
  }
}

export interface Refusal {
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** The answer to a request with a fault. The connection must be closed after it. */
export const framingRefusal = (fault: string): Refusal => ({
  status: 400,
  headers: ['Content-Type', 'application/json', 'Connection', 'close'],
  body: JSON.stringify(toEnvelope(toWire(new ApiError('bad_request', fault)))),
});
