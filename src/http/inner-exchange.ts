/** A request of the server to itself, in the process, under the key of the request that needs it. */
import type { AnswerChunk } from '../api/contract/answer.ts';
import type { AskedRoute, RouteRequest } from '../api/contract/route.ts';
import { byteLengthOf } from './body-slices.ts';
import {
  type BodyReceiver,
  type BodyWriter,
  type Exchange,
  type RawAnswer,
  type RequestHeaders,
  readHeaders,
} from './exchange.ts';

type Answered = Awaited<ReturnType<RouteRequest<unknown, unknown, unknown>['ask']>>;

const BARE_HEADERS: RequestHeaders = {
  ...readHeaders(() => undefined),
  contentType: 'application/json',
};

/** The headers of the outer request that the inner one has too. */
const passedHeaders = ({ authorization, client, forRoutes }: RequestHeaders) => ({
  authorization,
  client,
  forRoutes: { ...forRoutes, ifNoneMatch: '' },
});

const bytesOf = (chunk: AnswerChunk): Uint8Array =>
  typeof chunk === 'string' ? Buffer.from(chunk) : chunk;

export class InnerExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly queryString: string;
  readonly headers: RequestHeaders;
  readonly #outer: Exchange | null;
  readonly #body: Uint8Array;
  readonly #answered: (answer: Answered) => void;

  /**
   * @param outer null = a request without a client and a key
   * @param answered called once, unless the client leaves earlier
   */
  constructor(outer: Exchange | null, asked: AskedRoute, answered: (answer: Answered) => void) {
    const [path = '', queryString = ''] = asked.target.split('?', 2);
    this.method = asked.method;
    this.path = path;
    this.queryString = queryString;
    this.#outer = outer;
    this.#body = Buffer.from(asked.body === undefined ? '' : JSON.stringify(asked.body));
    this.#answered = answered;
    this.headers = {
      ...BARE_HEADERS,
      ...(outer && passedHeaders(outer.headers)),
      contentLength: String(this.#body.length),
    };
  }

  get isAborted(): boolean {
    return this.#outer?.isAborted ?? false;
  }

  /** The key was valid when the outer request came, so no wrong key is counted. */
  remoteAddress(): string {
    return '';
  }

  receive(receiver: BodyReceiver): void {
    queueMicrotask(() => {
      if (this.#body.length > 0) receiver.chunk(this.#body);
      receiver.end();
    });
  }

  whenAborted(listener: () => void): void {
    this.#outer?.whenAborted(listener);
  }

  pause(): void {
    // The entire body is delivered at once.
  }

  resume(): void {
    // See `pause`.
  }

  send({ status, body, onReleased }: RawAnswer): void {
    const parts = body === null ? [] : Array.isArray(body) ? body : [body as AnswerChunk];
    this.#answered({ status, bytes: Buffer.concat(parts.map(bytesOf)) });
    onReleased?.();
  }

  open({ status }: { readonly status: number }): BodyWriter {
    const parts: Uint8Array[] = [];
    return {
      write: (chunk) => {
        parts.push(bytesOf(chunk));
        return true;
      },
      end: () => this.#answered({ status, bytes: Buffer.concat(parts, byteLengthOf(parts)) }),
      cut: () => this.#answered({ status, bytes: Buffer.alloc(0) }),
    };
  }
}
