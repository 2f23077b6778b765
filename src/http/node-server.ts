/** Adapter over node:http, for platforms and Node versions without a uWebSockets.js binary. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { AnswerChunk } from '../api/contract/answer.ts';
import { limits } from '../core/limits.ts';
import { byteLengthOf, slicesOf } from './body-slices.ts';
import {
  type AnswerHead,
  type BodyReceiver,
  type BodyWriter,
  type BodyWriterEvents,
  type Exchange,
  type ExchangeHandler,
  type HttpServer,
  isBodiless,
  type ListenOptions,
  type RawAnswer,
  type RequestHeaders,
  readHeaders,
} from './exchange.ts';
import { Framing, framingRefusal, type Refusal } from './framing.ts';
import { InFlight } from './in-flight.ts';
import { SlowBodies } from './slow-bodies.ts';
import {
  prepareTls,
  secureContext,
  secureServerOptions,
  type TlsMaterial,
  type TlsOptions,
} from './tls.ts';

const KEEP_ALIVE_MS = 65_000;
const HEAD_MS_MAX = 10_000;
/** Unanswered requests of one connection; the library begins all that a packet holds. */
const PIPELINED_MAX = 16;
const LIMITS = {
  maxHeaderSize: limits.requestHeadBytesMax,
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: HEAD_MS_MAX,
  connectionsCheckingInterval: HEAD_MS_MAX / 4,
  // `SlowBodies` limits slow bodies, because a large body may take long.
  requestTimeout: 0,
};

const headersOf = ({ headers }: IncomingMessage): RequestHeaders =>
  readHeaders((name) => {
    const value = headers[name];
    return typeof value === 'object' ? value[0] : value;
  });

/** The reason for refusing the request, as in the other adapter; else null. */
function refusalOf({ rawHeaders, httpVersion }: IncomingMessage): Refusal | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return plainRefusal(505);
  if (rawHeaders.length > 2 * limits.requestHeadersMax) return plainRefusal(431);
  const framing = new Framing();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    framing.header((rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '');
  const fault = framing.fault();
  return fault === null ? null : framingRefusal(fault);
}

const plainRefusal = (status: number): Refusal => ({
  status,
  headers: ['Connection', 'close'],
  body: '',
});

class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly queryString: string;
  readonly headers: RequestHeaders;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #inFlight: InFlight;
  #receiver: BodyReceiver | null = null;
  #stream: BodyWriterEvents | null = null;
  #onAborted: (() => void)[] = [];
  #isAborted = false;

  constructor(request: IncomingMessage, response: ServerResponse, inFlight: InFlight) {
    this.#request = request;
    this.#response = response;
    this.#inFlight = inFlight;
    inFlight.enter();
    response.once('close', () => this.#close());
    const url = request.url ?? '/';
    const question = url.indexOf('?');
    this.method = request.method ?? '';
    this.path = question < 0 ? url : url.slice(0, question);
    this.queryString = question < 0 ? '' : url.slice(question + 1);
    this.headers = headersOf(request);
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  receive(receiver: BodyReceiver): void {
    this.#receiver = receiver;
    this.#request.on('data', (chunk: Uint8Array) => receiver.chunk(chunk));
    this.#request.on('end', () => receiver.end());
  }

  whenAborted(listener: () => void): void {
    this.#onAborted.push(listener);
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  send({ body, onReleased, ...head }: RawAnswer): void {
    const response = this.#response;
    if (this.isAborted || response.headersSent) {
      onReleased?.();
      return;
    }
    const isWhole = body === null || typeof body === 'string' || body instanceof Uint8Array;
    const bytes = isWhole ? Buffer.byteLength(body ?? '') : byteLengthOf(body);
    const length = isBodiless(head) ? [] : ['Content-Length', String(bytes)];
    this.#writeHead({ status: head.status, headers: [...head.headers, ...length] });
    if (isWhole) response.end(body ?? undefined);
    else {
      if (onReleased !== undefined) response.once('close', onReleased);
      this.#writeSlices(slicesOf(body));
    }
    this.#request.resume();
  }

  /** Writes until the client is behind, then waits for it. */
  #writeSlices(slices: Iterator<Uint8Array, void>): void {
    const response = this.#response;
    for (let slice = slices.next(); slice.value !== undefined; slice = slices.next()) {
      if (response.write(slice.value)) continue;
      response.once('drain', () => this.#writeSlices(slices));
      return;
    }
    response.end();
  }

  open(head: AnswerHead, events: BodyWriterEvents): BodyWriter {
    const response = this.#response;
    const writer: BodyWriter = {
      write: (chunk: AnswerChunk) => response.write(chunk),
      end: () => void response.end(),
      cut: () => void response.destroy(),
    };
    // The exchange has left, so nothing would remove the stream.
    if (this.isAborted) return writer;
    this.#stream = events;
    this.#inFlight.addStream(events);
    response.on('drain', () => events.drained());
    this.#writeHead(head);
    this.#request.resume();
    return writer;
  }

  #writeHead({ status, headers }: AnswerHead): void {
    const closing = this.#inFlight.isClosing ? ['Connection', 'close'] : [];
    this.#response.writeHead(status, [...headers, ...closing]);
  }

  /** Called when the connection is closed or the answer is written. */
  #close(): void {
    this.#isAborted = !this.#response.writableFinished;
    if (this.#isAborted) {
      this.#receiver?.abort();
      this.#stream?.stop();
      for (const listener of this.#onAborted.splice(0)) listener();
    }
    this.#inFlight.leave(this.#stream);
  }
}

function secureServer(
  tls: TlsOptions,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = createSecureServer({ ...LIMITS, ...secureServerOptions(tls) }, onRequest);
  let { material } = tls;
  prepareTls(server, tls, () => material.ocspResponse);
  const renew = (newer: TlsMaterial): void => {
    server.setSecureContext(secureContext(newer, tls.tickets));
    material = newer;
  };
  return { server, renew };
}

export async function startNodeServer(
  { host, port }: ListenOptions,
  handle: ExchangeHandler,
  tls?: TlsOptions,
): Promise<HttpServer> {
  const inFlight = new InFlight();
  const slowBodies = new SlowBodies();
  /** Connections that are closing; requests after the refused one are ignored. */
  const refused = new WeakSet<Socket>();
  const unanswered = new WeakMap<Socket, number>();
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (refused.has(socket)) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > PIPELINED_MAX) {
      refused.add(socket);
      socket.destroy();
      return;
    }
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    const refusal = refusalOf(request);
    if (refusal === null) {
      if (!request.complete) slowBodies.watch(request);
      handle(new NodeExchange(request, response, inFlight));
      return;
    }
    refused.add(socket);
    response.writeHead(refusal.status, [...refusal.headers]);
    response.end(refusal.body, () => socket.destroySoon());
  };
  const secured = tls === undefined ? null : secureServer(tls, onRequest);
  const server = secured?.server ?? createServer(LIMITS, onRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    renewTls: (material) => secured?.renew(material),
    async close(graceMs) {
      slowBodies.close();
      const answered = inFlight.close(graceMs);
      if (!server.listening) return answered;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await answered;
      server.closeAllConnections();
      await closed;
    },
  };
}
