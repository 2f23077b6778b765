/**
 * Adapter over uWebSockets.js; the only file that imports it.
 * - The library reads its header limit from the environment when it is loaded, so it is loaded
 *   after that is set.
 * - A request object is invalid after its handler returns, a response after it is ended or aborted,
 *   a chunk after its callback returns; all three stay inside this file.
 * - A connection that is paused when its response ends would stay paused for the next request.
 * - An ended response may not be sent yet, so closing waits for connections that had a request.
 * - To close the connection after a stream, the library would write the header into the body, so
 *   each stream announces at its start that it is the last answer.
 * - The library closes a connection whose next request arrives before a slow answer; clients that
 *   pipeline must resend.
 * - The library is lenient with chunks: it reads a size without digits as 0, and skips two bytes of any
 *   kind after a chunk. A proxy may see the end of the body elsewhere, so the connection is closed
 *   after a request with chunks, as the answer says.
 * - The library handles all requests of a packet, 15,000 at most, and `end` copies what the client does
 *   not read. So an answer that the socket does not take whole stays open, and so do the answers to
 *   requests of a crowded turn until the turn is over: the next request closes the connection.
 */

import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
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
import { Framing, framingRefusal } from './framing.ts';
import { InFlight } from './in-flight.ts';

/**
 * Why an address cannot be bound. uWebSockets.js does not report it, so the system is asked. Returns
 * an error without a code if the address is free now.
 */
function listenError({ host, port }: ListenOptions): Promise<Error> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () =>
      server.close(() => resolve(new Error(`${host}:${port} was not to be had for a moment`))),
    );
  });
}

export type UwsLibrary = typeof import('uWebSockets.js');

const POLL_MS = 5;
/** Requests of one turn of the event loop that may be answered within it. */
const TURN_REQUESTS_MAX = 100;
const NOTHING = new Uint8Array(0);
/** `LIBUS_LISTEN_EXCLUSIVE_PORT` of the library. */
const EXCLUSIVE_PORT = 1;

const statusLines = new Map(
  Object.entries(STATUS_CODES).map(([status, reason]) => [Number(status), `${status} ${reason}`]),
);

interface ReceivedHead {
  readonly headers: RequestHeaders;
  readonly isChunked: boolean;
  /** The reason for refusing the request; null = none. */
  readonly fault: string | null;
}

/** One walk of the headers: a look-up by name in the library takes as long as a step of the walk. */
function readHead(request: HttpRequest): ReceivedHead {
  const framing = new Framing();
  const values = new Map<string, string>();
  request.forEach((name, value) => {
    framing.header(name, value);
    if (!values.has(name)) values.set(name, value);
  });
  return {
    headers: readHeaders((name) => values.get(name)),
    isChunked: framing.isChunked,
    fault: framing.fault(),
  };
}

/**
 * Answers after a turn of the event loop: at once, the library would still handle requests of the
 * same packet. It closes connections on which a request arrives before the answer.
 */
function refuse(response: HttpResponse, fault: string): void {
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
  });
  setImmediate(() => {
    if (isAborted) return;
    const { status, headers, body } = framingRefusal(fault);
    response.cork(() => {
      writeHead(response, { status, headers });
      response.end(body, true);
    });
  });
}

function writeHead(response: HttpResponse, { status, headers }: AnswerHead): void {
  response.writeStatus(statusLines.get(status) ?? String(status));
  for (let i = 0; i + 1 < headers.length; i += 2)
    response.writeHeader(headers[i] ?? '', headers[i + 1] ?? '');
}

interface ExchangeParts {
  /** Of the request. */
  readonly head: ReceivedHead;
  readonly inFlight: InFlight;
  /** Its turn of the event loop has more than `TURN_REQUESTS_MAX`. */
  readonly isCrowded: boolean;
}

class UwsExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly queryString: string;
  readonly headers: RequestHeaders;
  readonly #response: HttpResponse;
  readonly #inFlight: InFlight;
  readonly #isCrowded: boolean;
  readonly #isChunked: boolean;
  #receiver: BodyReceiver | null = null;
  #stream: BodyWriterEvents | null = null;
  #onAborted: (() => void)[] = [];
  #isPaused = false;
  /** Of an answer that is being written. */
  #onReleased: (() => void) | undefined;
  #state: 'open' | 'streaming' | 'answered' | 'aborted' = 'open';

  constructor(
    request: HttpRequest,
    response: HttpResponse,
    { head, inFlight, isCrowded }: ExchangeParts,
  ) {
    this.#response = response;
    this.#inFlight = inFlight;
    this.#isCrowded = isCrowded;
    this.#isChunked = head.isChunked;
    inFlight.enter();
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    const queryString: string | undefined = request.getQuery();
    this.queryString = queryString ?? '';
    this.headers = head.headers;
    response.onAborted(() => this.#abort());
  }

  get isAborted(): boolean {
    return this.#state === 'aborted';
  }

  remoteAddress(): string {
    return Buffer.from(this.#response.getRemoteAddressAsText()).toString();
  }

  receive(receiver: BodyReceiver): void {
    this.#receiver = receiver;
    this.#response.onData((chunk, isLast) => {
      if (this.#state !== 'open') return;
      if (chunk.byteLength > 0) receiver.chunk(new Uint8Array(chunk));
      if (isLast) receiver.end();
    });
  }

  whenAborted(listener: () => void): void {
    this.#onAborted.push(listener);
  }

  pause(): void {
    if (this.#state !== 'open') return;
    this.#isPaused = true;
    this.#response.pause();
  }

  resume(): void {
    if (this.#state !== 'open' || !this.#isPaused) return;
    this.#isPaused = false;
    this.#response.resume();
  }

  send(answer: RawAnswer): void {
    if (this.#isCrowded || this.#isChunked) setImmediate(() => this.#send(answer));
    else this.#send(answer);
  }

  #send({ body, onReleased, ...head }: RawAnswer): void {
    if (this.#state !== 'open') {
      onReleased?.();
      return;
    }
    this.#onReleased = onReleased;
    this.resume();
    const isWhole = body === null || typeof body === 'string' || body instanceof Uint8Array;
    if (!isWhole) this.#sendSlices(head, body);
    else if (this.#isLast) this.#sendLast(head, body);
    else if (isBodiless(head)) this.#sendBodiless(head);
    else this.#sendWhole(head, body);
  }

  /** True if the connection is closed after the answer. */
  get #isLast(): boolean {
    return this.#isChunked || this.#inFlight.isClosing;
  }

  /** The library cannot close the connection after an answer without a length. */
  #sendBodiless(head: AnswerHead): void {
    const response = this.#response;
    response.cork(() => {
      writeHead(response, head);
      response.endWithoutBody();
    });
    this.#leave('answered');
  }

  #sendLast(head: AnswerHead, body: AnswerChunk | null): void {
    const response = this.#response;
    response.cork(() => {
      writeHead(response, head);
      response.end(body ?? undefined, true);
    });
    this.#leave('answered');
  }

  #sendWhole(head: AnswerHead, body: AnswerChunk | null): void {
    const response = this.#response;
    const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? NOTHING);
    let isDone = false;
    response.cork(() => {
      writeHead(response, head);
      [, isDone] = response.tryEnd(bytes, bytes.length);
    });
    if (isDone) {
      this.#leave('answered');
      return;
    }
    this.#state = 'streaming';
    response.onWritable((offset) => {
      const [isTaken, isEnd] = response.tryEnd(bytes.subarray(offset), bytes.length);
      if (isEnd) this.#leave('answered');
      return isTaken;
    });
  }

  /**
   * One slice per turn of the event loop, no faster than the client reads: `end` would copy what
   * the socket does not take.
   */
  #sendSlices(head: AnswerHead, parts: readonly Uint8Array[]): void {
    const response = this.#response;
    const bytes = byteLengthOf(parts);
    const slices = slicesOf(parts);
    let slice = slices.next().value ?? NOTHING;
    /** Bytes of the body before the slice. */
    let start = 0;
    let isScheduled = false;
    /** Returns false when the socket has not taken the whole slice. */
    const write = (): boolean => {
      if (this.#state !== 'streaming') return true;
      const [isTaken, isDone] = response.tryEnd(slice, bytes);
      if (isDone) this.#leave('answered');
      if (!isTaken || isDone) return isTaken;
      start += slice.length;
      slice = slices.next().value ?? NOTHING;
      if (isScheduled) return true;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        if (this.#state === 'streaming') response.cork(write);
      });
      return true;
    };
    this.#state = 'streaming';
    response.onWritable((offset) => {
      slice = slice.subarray(offset - start);
      start = offset;
      return write();
    });
    response.cork(() => {
      writeHead(response, head);
      if (this.#isLast) response.writeHeader('Connection', 'close');
      write();
    });
  }

  open(head: AnswerHead, events: BodyWriterEvents): BodyWriter {
    const writer: BodyWriter = {
      write: (chunk) => this.#state !== 'streaming' || this.#write(chunk),
      end: () => this.#end(),
      cut: () => {
        if (this.#state === 'streaming') this.#response.close();
      },
    };
    if (this.#state !== 'open') return writer;
    this.resume();
    this.#state = 'streaming';
    this.#stream = events;
    this.#inFlight.addStream(events);
    const response = this.#response;
    response.onWritable(() => {
      events.drained();
      return true;
    });
    response.cork(() => {
      writeHead(response, head);
      response.writeHeader('Connection', 'close');
    });
    return writer;
  }

  /** False if a part waits in memory for the client. */
  #write(chunk: AnswerChunk): boolean {
    let isTaken = false;
    this.#response.cork(() => {
      isTaken = this.#response.write(chunk);
    });
    return isTaken;
  }

  #end(): void {
    if (this.#state !== 'streaming') return;
    this.#response.cork(() => this.#response.end());
    this.#leave('answered');
  }

  #abort(): void {
    if (this.#state !== 'open' && this.#state !== 'streaming') return;
    this.#leave('aborted');
    this.#receiver?.abort();
    this.#stream?.stop();
    for (const listener of this.#onAborted.splice(0)) listener();
  }

  #leave(state: 'answered' | 'aborted'): void {
    this.#state = state;
    this.#onReleased?.();
    this.#inFlight.leave(this.#stream);
  }
}

/** The second library has binaries for more Node versions; optional. */
const LIBRARIES = ['uWebSockets.js', '@btc-vision/uwebsockets.js'];

/**
 * Loads the first library with a binary for this platform and Node version; rejects if none has
 * one.
 */
export async function loadUws(names: readonly string[] = LIBRARIES): Promise<UwsLibrary> {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(limits.requestHeadBytesMax);
  const reasons: string[] = [];
  for (const name of names) {
    try {
      return (await import(name)) as UwsLibrary;
    } catch (error) {
      reasons.push(String(error).replace(/\s+/g, ' '));
    }
  }
  throw new Error(reasons.join(' '));
}

/** Resolves when the condition holds, checked every few milliseconds, or after `graceMs`. */
async function settle(isSettled: () => boolean, graceMs: number): Promise<void> {
  const endMs = performance.now() + graceMs;
  while (!isSettled() && performance.now() < endMs)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

type Listen = (
  host: string,
  port: number,
  options: number,
  callback: (token: us_listen_socket | false) => void,
) => void;

/** Binds exclusively: otherwise a second process would silently receive some of the connections. */
function listen(app: TemplatedApp, { host, port }: ListenOptions): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    const listenOn: Listen = (app.listen as unknown as Listen).bind(app);
    listenOn(host, port, EXCLUSIVE_PORT, (token) => {
      if (token) resolve(token);
      else void listenError({ host, port }).then(reject);
    });
  });
}

export async function startUwsServer(
  library: UwsLibrary,
  options: ListenOptions,
  handle: ExchangeHandler,
): Promise<HttpServer> {
  const inFlight = new InFlight();
  let connectionCount = 0;
  let counted = 0;
  /** True for each request after `TURN_REQUESTS_MAX` until the turn of the event loop is over. */
  const isCrowded = (): boolean => {
    counted += 1;
    if (counted === TURN_REQUESTS_MAX + 1)
      setImmediate(() => {
        counted = 0;
      });
    return counted > TURN_REQUESTS_MAX;
  };
  /** Called with 1 when a connection opens and with -1 when it closes. */
  const countConnection = (_response: HttpResponse, change: number) => {
    connectionCount += change;
  };
  const app = library
    .App()
    .filter(countConnection)
    .any('/*', (response, request) => {
      const head = readHead(request);
      if (head.fault !== null) return refuse(response, head.fault);
      handle(new UwsExchange(request, response, { head, inFlight, isCrowded: isCrowded() }));
    });
  const socket = await listen(app, options);
  return {
    port: library.us_socket_local_port(socket),
    renewTls: () => undefined,
    async close(graceMs) {
      if (!inFlight.isClosing) library.us_listen_socket_close(socket);
      const idleCount = Math.max(0, connectionCount - inFlight.count);
      const startedAtMs = performance.now();
      await inFlight.close(graceMs);
      const leftMs = graceMs - (performance.now() - startedAtMs);
      await settle(() => connectionCount <= idleCount, leftMs);
      app.close();
    },
  };
}
