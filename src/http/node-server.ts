/** Adapter over node:http, for platforms and Node versions that uWebSockets.js has no binary for. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '../core/limits.ts';
import {
  type BodyReceiver,
  type Exchange,
  type ExchangeHandler,
  type HttpServer,
  type ListenOptions,
  type RawAnswer,
  type RequestHeaders,
  readRouteHeaders,
} from './exchange.ts';
import { InFlight } from './in-flight.ts';

const KEEP_ALIVE_MS = 65_000;

const first = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.[0] ?? '');

const headersOf = ({ headers }: IncomingMessage): RequestHeaders => ({
  authorization: headers.authorization ?? '',
  contentType: headers['content-type'] ?? '',
  contentEncoding: headers['content-encoding'] ?? '',
  contentLength: headers['content-length'] ?? '',
  acceptEncoding: first(headers['accept-encoding']),
  origin: headers.origin ?? '',
  requestedMethod: headers['access-control-request-method'] ?? '',
  requestedHeaders: headers['access-control-request-headers'] ?? '',
  forRoutes: readRouteHeaders((name) => first(headers[name])),
});

class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly queryString: string;
  readonly headers: RequestHeaders;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #closesConnection: () => boolean;
  #receiver: BodyReceiver | null = null;
  #isAborted = false;

  constructor(request: IncomingMessage, response: ServerResponse, closesConnection: () => boolean) {
    this.#request = request;
    this.#response = response;
    this.#closesConnection = closesConnection;
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

  receive(receiver: BodyReceiver): void {
    this.#receiver = receiver;
    this.#request.on('data', (chunk: Uint8Array) => receiver.chunk(chunk));
    this.#request.on('end', () => receiver.end());
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  send({ status, headers, body }: RawAnswer): void {
    if (this.isAborted || this.#response.headersSent) return;
    const fields = [...headers, 'Content-Length', String(body === null ? 0 : Buffer.byteLength(body))];
    if (this.#closesConnection()) fields.push('Connection', 'close');
    this.#response.writeHead(status, fields);
    this.#response.end(body ?? undefined);
    this.#request.resume();
  }

  /** The connection is gone, or the answer has been written. */
  close(): void {
    if (this.#response.writableFinished) return;
    this.#isAborted = true;
    this.#receiver?.abort();
  }
}

export async function startNodeServer({ host, port }: ListenOptions, handle: ExchangeHandler): Promise<HttpServer> {
  const inFlight = new InFlight();
  let isClosing = false;
  const server = createServer(
    { maxHeaderSize: limits.requestHeadBytesMax, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      const exchange = new NodeExchange(request, response, () => isClosing);
      inFlight.enter();
      response.once('close', () => {
        exchange.close();
        inFlight.leave();
      });
      handle(exchange);
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      isClosing = true;
      if (!server.listening) return inFlight.drained(graceMs);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await inFlight.drained(graceMs);
      server.closeAllConnections();
      await closed;
    },
  };
}
