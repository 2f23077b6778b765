/** One request and its answer: the port between the pipeline and the HTTP libraries. */

import type { AnswerChunk } from '../api/contract/answer.ts';
import { NODE_HEADERS, ROUTE_HEADERS, type RouteHeaders } from '../api/contract/route.ts';
import type { Caller } from '../core/caller.ts';
import type { TlsMaterial } from './tls.ts';

/** Values as sent; an absent header is '' unless said otherwise. */
export interface RequestHeaders {
  readonly authorization: string;
  /** null = absent. */
  readonly contentType: string | null;
  readonly contentEncoding: string;
  readonly contentLength: string;
  readonly acceptEncoding: string;
  readonly origin: string;
  readonly requestedMethod: string;
  readonly requestedHeaders: string;
  /** Client name: `X-Meilisearch-Client`, else `User-Agent`. */
  readonly client: string;
  readonly minTask: string;
  readonly forwarded: string;
  readonly forRoutes: RouteHeaders;
}

/** Header with the name of a client library; browsers set `User-Agent` themselves. */
export const CLIENT_HEADER = 'x-meilisearch-client';

const routeHeaders = Object.entries(ROUTE_HEADERS) as [keyof RouteHeaders, string][];

/** @param read returns the first value of a header, by its name in lower case; undefined = absent */
export function readHeaders(read: (name: string) => string | undefined): RequestHeaders {
  const forRoutes: Partial<Record<keyof RouteHeaders, string>> = {};
  for (const [member, name] of routeHeaders) forRoutes[member] = read(name) ?? '';
  return {
    authorization: read('authorization') ?? '',
    contentType: read('content-type') ?? null,
    contentEncoding: read('content-encoding') ?? '',
    contentLength: read('content-length') ?? '',
    acceptEncoding: read('accept-encoding') ?? '',
    origin: read('origin') ?? '',
    requestedMethod: read('access-control-request-method') ?? '',
    requestedHeaders: read('access-control-request-headers') ?? '',
    client: read(CLIENT_HEADER) || (read('user-agent') ?? ''),
    minTask: read(NODE_HEADERS.minTask) ?? '',
    forwarded: read(NODE_HEADERS.forwarded) ?? '',
    forRoutes: forRoutes as RouteHeaders,
  };
}

export interface AnswerHead {
  readonly status: number;
  /** Names and values, alternating. The adapter adds the headers about the body's length. */
  readonly headers: readonly string[];
}

export interface RawAnswer extends AnswerHead {
  /** A list holds the parts of a large body. */
  readonly body: AnswerChunk | readonly Uint8Array[] | null;
  /**
   * Called once when the body is no longer held: it has been written, or the client has left. Only
   * for a list.
   */
  readonly onReleased?: () => void;
}

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** Such an answer has no body and no `Content-Length`. */
export const isBodiless = ({ status }: AnswerHead): boolean =>
  status === NO_CONTENT || status === NOT_MODIFIED;

export interface BodyWriterEvents {
  /** The written chunks were sent. */
  drained(): void;
  /** The client disconnected, or the server is closing. */
  stop(): void;
}

/** Writes a body in chunks; does nothing after the client disconnected. */
export interface BodyWriter {
  /** False if the client is slow: the next chunk should wait for `drained`. */
  write(chunk: AnswerChunk): boolean;
  end(): void;
  /** Closes the connection, so that the client detects the incomplete body. */
  cut(): void;
}

export interface BodyReceiver {
  /** `chunk` is valid only during the call. */
  chunk(chunk: Uint8Array): void;
  end(): void;
  abort(): void;
}

export interface Exchange extends Caller {
  /** As sent: methods are case-sensitive. */
  readonly method: string;
  /** As sent, without the query string. */
  readonly path: string;
  /** Without the question mark. */
  readonly queryString: string;
  readonly headers: RequestHeaders;
  /**
   * Address of the client or of the load balancer; callable until the request's handler returns.
   */
  remoteAddress(): string;
  /** Starts the delivery of the body. Callable once, before the request's handler returns. */
  receive(receiver: BodyReceiver): void;
  /**
   * Calls back once if the client disconnects before the answer is written. Callable several times:
   * requests of the server to itself share the exchange.
   */
  whenAborted(listener: () => void): void;
  /** Requests a pause of the delivery; some chunks may still arrive. */
  pause(): void;
  resume(): void;
  /** Callable once; does nothing after an abort. */
  send(answer: RawAnswer): void;
  /**
   * Instead of `send`, for an answer of unknown length. The head may be sent with the first chunk.
   */
  open(head: AnswerHead, events: BodyWriterEvents): BodyWriter;
}

export type ExchangeHandler = (exchange: Exchange) => void;

export interface HttpServer {
  readonly port: number;
  /**
   * Stops accepting, finishes running requests, and ends the remaining ones after `graceMs`. May be
   * called several times.
   */
  close(graceMs: number): Promise<void>;
  /** Uses these files for new connections. Does nothing without TLS. */
  renewTls(material: TlsMaterial): void;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
}
