/** An exchange without a network, for requests that the server sends to itself. */

import type { BodyReceiver, Exchange, RawAnswer, RequestHeaders } from './exchange.ts';
import { readRouteHeaders } from './exchange.ts';

const HEADERS: RequestHeaders = {
  authorization: '',
  contentType: 'application/json',
  contentEncoding: '',
  contentLength: '',
  acceptEncoding: '',
  origin: '',
  requestedMethod: '',
  requestedHeaders: '',
  client: '',
  minTask: '',
  forwarded: '',
  forRoutes: readRouteHeaders(() => ''),
};

const utf8 = new TextEncoder();

/** A POST request with a JSON body. */
export class MemoryExchange implements Exchange {
  readonly method = 'POST';
  readonly path: string;
  readonly queryString = '';
  readonly headers = HEADERS;
  readonly isAborted = false;
  readonly #body: string;
  readonly #answered: (answer: RawAnswer) => void;

  /** @param answered called once with the answer */
  constructor(path: string, body: string, answered: (answer: RawAnswer) => void) {
    this.path = path;
    this.#body = body;
    this.#answered = answered;
  }

  remoteAddress(): string {
    return '';
  }

  receive(receiver: BodyReceiver): void {
    receiver.chunk(utf8.encode(this.#body));
    receiver.end();
  }

  whenAborted(): void {
    // The caller does not leave.
  }

  pause(): void {
    // The body arrives in one piece.
  }

  resume(): void {
    // Nothing is ever paused.
  }

  send(answer: RawAnswer): void {
    this.#answered(answer);
  }

  open(): never {
    throw new Error(`${this.path} answers with a stream, which has no reader`);
  }
}
