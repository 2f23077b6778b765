/** One request and its answer as an adapter hands them to the pipeline: the port between the pipeline and the HTTP libraries. */

import { ROUTE_HEADERS, type RouteHeaders } from '../api/route.ts';
import type { Caller } from '../core/caller.ts';

/** Values as sent; an absent header is ''. */
export interface RequestHeaders {
  readonly authorization: string;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly contentLength: string;
  readonly acceptEncoding: string;
  readonly origin: string;
  readonly requestedMethod: string;
  readonly requestedHeaders: string;
  readonly forRoutes: RouteHeaders;
}

const routeHeaders = Object.entries(ROUTE_HEADERS) as [keyof RouteHeaders, string][];

/** @param read value of a header whose name is given in lower case */
export function readRouteHeaders(read: (name: string) => string): RouteHeaders {
  const headers: Partial<Record<keyof RouteHeaders, string>> = {};
  for (const [member, name] of routeHeaders) headers[member] = read(name);
  return headers as RouteHeaders;
}

export interface RawAnswer {
  readonly status: number;
  /** Names and values in turn. Content-Length is the adapter's. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | string | null;
}

export interface BodyReceiver {
  /** `chunk` is valid during the call only. */
  chunk(chunk: Uint8Array): void;
  end(): void;
  abort(): void;
}

export interface Exchange extends Caller {
  /** Upper case. */
  readonly method: string;
  /** As sent, without the query string. */
  readonly path: string;
  /** Without the question mark. */
  readonly queryString: string;
  readonly headers: RequestHeaders;
  /** Starts the delivery of the body. Legal once, and only before the handler of the request has returned. */
  receive(receiver: BodyReceiver): void;
  /** Asks for a break in the delivery; some chunks may still come. */
  pause(): void;
  resume(): void;
  /** Legal once; does nothing after an abort. */
  send(answer: RawAnswer): void;
}

export type ExchangeHandler = (exchange: Exchange) => void;

export interface HttpServer {
  readonly port: number;
  /** Stops accepting, answers what was accepted, and ends the rest after `graceMs`. Legal more than once. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
}
