/**
 * One request and its answer as an adapter hands them to the pipeline: the port between the
 * pipeline and the HTTP libraries.
 */

import type { AnswerChunk } from '../api/contract/answer.ts';
import { ROUTE_HEADERS, type RouteHeaders } from '../api/contract/route.ts';
import type { Caller } from '../core/caller.ts';
import type { TlsMaterial } from './tls.ts';

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
  /** Product that asks: what a library says of itself, else `User-Agent`. */
  readonly client: string;
  readonly forRoutes: RouteHeaders;
}

/** Header by which libraries name themselves, also where a browser sets `User-Agent`. */
export const CLIENT_HEADER = 'x-meilisearch-client';

const routeHeaders = Object.entries(ROUTE_HEADERS) as [keyof RouteHeaders, string][];

/** @param read value of a header whose name is given in lower case */
export function readRouteHeaders(read: (name: string) => string): RouteHeaders {
  const headers: Partial<Record<keyof RouteHeaders, string>> = {};
  for (const [member, name] of routeHeaders) headers[member] = read(name);
  return headers as RouteHeaders;
}

export interface AnswerHead {
  readonly status: number;
  /** Names and values in turn. Those about the length of the body are the adapter's. */
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

/** What is told to whoever writes a body piece by piece. */
export interface BodyWriterEvents {
  /** What was written has gone out. */
  drained(): void;
  /** The client has left, or the server is closing. */
  stop(): void;
}

/** Takes a body piece by piece; does nothing once the client has left. */
export interface BodyWriter {
  /** False when the client is behind: the next chunk should wait for `drained`. */
  write(chunk: AnswerChunk): boolean;
  end(): void;
  /** Ends the connection, so that the client sees that something is missing. */
  cut(): void;
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
  /** Of the client, or of the balancer in front; legal before the handler of the request has returned. */
  remoteAddress(): string;
  /**
   * Starts the delivery of the body. Legal once, and only before the handler of the request has
   * returned.
   */
  receive(receiver: BodyReceiver): void;
  /** Asks for a break in the delivery; some chunks may still come. */
  pause(): void;
  resume(): void;
  /** Legal once; does nothing after an abort. */
  send(answer: RawAnswer): void;
  /** In place of `send`: an answer whose length nobody knows yet. The head may wait for a chunk. */
  open(head: AnswerHead, events: BodyWriterEvents): BodyWriter;
}

export type ExchangeHandler = (exchange: Exchange) => void;

export interface HttpServer {
  readonly port: number;
  /**
   * Stops accepting, answers what was accepted, and ends the rest after `graceMs`. Legal more than
   * once.
   */
  close(graceMs: number): Promise<void>;
  /** Connections to come use these files; those that are open go on. Does nothing without TLS. */
  renewTls(material: TlsMaterial): void;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
}
