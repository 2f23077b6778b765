/**
 * Typed requests, replies and events over a socket. Frames keep their order in each direction: an
 * event sent before a reply is handled before it. Only handshake messages pass until the handshake
 * is done (`handshake.ts`).
 *
 * Messages: `{q, n, a}` request · `{r, d}` reply · `{r, e}` failed reply · `{n, d}` event.
 */
import type { Socket } from 'node:net';
import { ApiError, fromWire, toWire, type WireError } from '../../core/errors.ts';
import { encodeFrame, FrameReader, ProtocolError } from './frames.ts';
import { Handshake, type HandshakeMessage, type Side } from './handshake.ts';

/** Name → [argument, reply]. */
export type RequestMap<R> = { [K in keyof R]: [unknown, unknown] };
export type Handlers<R extends RequestMap<R>> = {
  readonly [K in keyof R]: (argument: R[K][0]) => R[K][1] | Promise<R[K][1]>;
};

export interface ChannelLimits {
  readonly frameBytesMax: number;
  /** Requests without a reply, in each direction. */
  readonly outstandingMax: number;
  /** Bytes written to the socket that the peer has not read. */
  readonly bufferedBytesMax: number;
}

/** A frame may carry a whole request body (100 MB by default) as base64 or JSON text. */
export const DEFAULT_LIMITS: ChannelLimits = {
  frameBytesMax: 256 * 1024 ** 2,
  outstandingMax: 20_000,
  bufferedBytesMax: 512 * 1024 ** 2,
};

export interface ChannelOptions<Serves extends RequestMap<Serves>, Receives> {
  readonly socket: Socket;
  readonly side: Side;
  /** The connection is accepted only if the peer holds the same one. */
  readonly secret: string;
  readonly handlers: Handlers<Serves>;
  /** The handshake is done: requests and events may pass. */
  readonly onOpen: () => void;
  readonly onEvent: <K extends keyof Receives & string>(name: K, data: Receives[K]) => void;
  /** Called once; the error is null after an orderly end. */
  readonly onClose: (reason: Error | null) => void;
  /** A handler failed with an error that is not an `ApiError`. */
  readonly onBug: (error: unknown, request: string) => void;
  readonly limits?: Partial<ChannelLimits>;
}

/**
 * Limits for an unauthenticated peer: bytes buffered, and time until the handshake must be done.
 */
const HANDSHAKE_FRAME_BYTES_MAX = 1024;
const HANDSHAKE_MS_MAX = 5000;

interface Waiting {
  readonly resolve: (reply: never) => void;
  readonly reject: (error: ApiError) => void;
  readonly timer: NodeJS.Timeout;
}

interface Message extends HandshakeMessage {
  readonly q?: number;
  readonly r?: number;
  readonly n?: string;
  readonly a?: unknown;
  readonly d?: unknown;
  readonly e?: WireError;
}

export class Channel<
  Calls extends RequestMap<Calls>,
  Serves extends RequestMap<Serves>,
  Emits,
  Receives,
> {
  readonly #socket: Socket;
  readonly #options: ChannelOptions<Serves, Receives>;
  readonly #limits: ChannelLimits;
  readonly #handshake: Handshake;
  readonly #handshakeTimer: NodeJS.Timeout;
  readonly #reader: FrameReader;
  readonly #waiting = new Map<number, Waiting>();
  #lastRequestId = 0;
  #servingCount = 0;
  #closed = false;
  /** No more frames may be written. */
  #ended = false;
  #corked = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: ChannelOptions<Serves, Receives>) {
    this.#options = options;
    this.#socket = options.socket;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#handshake = new Handshake(options.side, options.secret);
    this.#handshakeTimer = setTimeout(() => this.#socket.destroy(), HANDSHAKE_MS_MAX);
    this.#reader = new FrameReader(HANDSHAKE_FRAME_BYTES_MAX);
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => this.#shut(error));
    this.#socket.on('close', () => this.#shut(null));
    this.#send(this.#handshake.hello);
  }

  /**
   * Rejects with `indexer_unavailable` when the reply does not come within `timeoutMs` or the
   * connection ends; the peer may or may not have done the work.
   */
  request<K extends keyof Calls & string>(
    name: K,
    argument: Calls[K][0],
    { timeoutMs }: { readonly timeoutMs: number },
  ): Promise<Calls[K][1]> {
    if (this.#closed || this.#ended) return Promise.reject(new ConnectionLost());
    if (this.#waiting.size >= this.#limits.outstandingMax) return Promise.reject(overloaded());
    if (this.#socket.writableLength > this.#limits.bufferedBytesMax)
      return Promise.reject(overloaded());
    const id = ++this.#lastRequestId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(
          new ApiError(
            'indexer_unavailable',
            `The indexer did not answer \`${name}\` within ${timeoutMs} ms.`,
          ),
        );
      }, timeoutMs);
      this.#waiting.set(id, { resolve: resolve as (reply: never) => void, reject, timer });
      try {
        this.#send({ q: id, n: name, a: argument });
      } catch (error) {
        clearTimeout(timer);
        this.#waiting.delete(id);
        reject(error as Error);
      }
    });
  }

  emit<K extends keyof Emits & string>(name: K, data: Emits[K]): void {
    this.#send({ n: name, d: data });
  }

  /**
   * Replies to the requests being handled, then ends the connection; cuts it after `graceMs`, however
   * long their handlers take.
   */
  async drain(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#socket.destroy(), graceMs);
    if (this.#servingCount > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    this.#ended = true;
    await new Promise<void>((resolve) => {
      if (this.#socket.destroyed) resolve();
      else this.#socket.once('close', () => resolve()).end();
    });
    clearTimeout(timer);
  }

  /** Cuts the connection now; every request without a reply fails. */
  destroy(): void {
    this.#socket.destroy();
    this.#shut(null);
  }

  /** Frames of one event loop turn leave in one write. */
  #send(message: Message): void {
    if (this.#closed || this.#ended) return;
    const frame = encodeFrame(message);
    if (frame.length > this.#limits.frameBytesMax) {
      throw new ApiError(
        'internal',
        `A message of ${frame.length} bytes is too large for the indexer.`,
      );
    }
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(frame);
  }

  #read(chunk: Buffer): void {
    try {
      for (const message of this.#reader.push(chunk)) {
        if (this.#closed) return;
        this.#receive(message);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) this.#options.onBug(error, 'event');
      this.#socket.destroy();
      this.#shut(error as Error);
    }
  }

  #receive(received: unknown): void {
    if (typeof received !== 'object' || received === null)
      throw new ProtocolError('a message is no object');
    const message = received as Message;
    if (!this.#handshake.isDone) {
      this.#greet(message);
    } else if (typeof message.r === 'number') {
      this.#settle(message.r, message);
    } else if (typeof message.q === 'number' && typeof message.n === 'string') {
      void this.#serve(message.q, message.n, message.a);
    } else if (typeof message.n === 'string') {
      this.#options.onEvent(
        message.n as keyof Receives & string,
        message.d as Receives[keyof Receives & string],
      );
    } else {
      throw new ProtocolError('a message of unknown kind');
    }
  }

  #greet(message: Message): void {
    const reply = this.#handshake.receive(message);
    if (reply !== null) this.#send(reply);
    if (!this.#handshake.isDone) return;
    clearTimeout(this.#handshakeTimer);
    this.#reader.frameBytesMax = this.#limits.frameBytesMax;
    this.#options.onOpen();
  }

  #settle(id: number, message: Message): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (message.e === undefined) waiting.resolve(message.d as never);
    else waiting.reject(fromWire(message.e));
  }

  async #serve(id: number, name: string, argument: unknown): Promise<void> {
    this.#servingCount += 1;
    try {
      if (this.#servingCount > this.#limits.outstandingMax) throw overloaded();
      if (!Object.hasOwn(this.#options.handlers, name))
        throw new ApiError('internal', `unknown request \`${name}\``);
      const handler = this.#options.handlers[name as keyof Serves];
      const reply = await handler(argument as Serves[keyof Serves][0]);
      this.#send({ r: id, d: reply ?? null });
    } catch (error) {
      if (!(error instanceof ApiError)) this.#options.onBug(error, name);
      this.#send({ r: id, e: toWire(error) });
    } finally {
      this.#servingCount -= 1;
      if (this.#servingCount === 0) for (const idle of this.#whenIdle.splice(0)) idle();
    }
  }

  #shut(reason: Error | null): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#handshakeTimer);
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new ConnectionLost());
    }
    this.#waiting.clear();
    for (const idle of this.#whenIdle.splice(0)) idle();
    this.#options.onClose(reason);
  }
}

/** The connection ended before the reply: the peer may or may not have done the work. */
export class ConnectionLost extends ApiError {
  constructor() {
    super(
      'indexer_unavailable',
      'The connection to the indexer was lost before it answered; the request may have been done.',
    );
  }
}

const overloaded = (): ApiError =>
  new ApiError(
    'too_many_search_requests',
    'Too many requests are waiting for the indexer. Please retry later.',
  );
