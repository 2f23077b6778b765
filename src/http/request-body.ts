/**
 * Receives request bodies: decompresses, counts decoded bytes against the limit and kept bytes
 * against the shared budget, stops at the first fault.
 */
import zlib, { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { BodyShare } from '../api/contract/body-memory.ts';
import { ApiError } from '../core/errors.ts';
import type { BodySource } from './held-body.ts';

export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

type Decoder = ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;

/** Absent in older Node versions. */
const { createZstdDecompress } = zlib as {
  readonly createZstdDecompress?: (options: object) => Decoder;
};
/** `ZSTD_d_windowLogMax`: the 8 MiB that RFC 8878 recommends; the library would take 128 MiB. */
const zstdOptions = { params: { 100: 23 } };

const decoders: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ...(createZstdDecompress === undefined
    ? []
    : [['zstd', () => createZstdDecompress(zstdOptions)] as const]),
]);

/** Encoded bytes that may wait for decompression before the sender is paused. */
const BACKLOG_BYTES_MAX = 1_048_576;

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError(
    'payload_too_large',
    `The body is larger than the ${bytesMax} bytes that this instance accepts.`,
  );

const corrupt = (reason: string, cause?: Error): ApiError =>
  new ApiError(
    'bad_request',
    `The body cannot be decompressed as its \`Content-Encoding\` says: ${reason}.`,
    { cause },
  );

interface Outcome {
  resolve(): void;
  reject(error: unknown): void;
}

export interface BodyBounds {
  /** Maximum decoded size. */
  readonly bytesMax: number;
  /** Maximum decoded bytes that stay in memory. */
  readonly keptBytesMax: number;
  readonly share: BodyShare;
}

/** Passes decoded bytes on until they exceed the limit or the shared budget. */
class Counter {
  readonly #bounds: BodyBounds;
  readonly #onChunk: (chunk: Uint8Array) => void;
  #bytes = 0;
  #encodedBytes = 0;
  constructor(bounds: BodyBounds, onChunk: (chunk: Uint8Array) => void) {
    this.#bounds = bounds;
    this.#onChunk = onChunk;
  }
  /** @throws ApiError `payload_too_large`, `payload_memory_exhausted` */
  announce(contentLength: number): void {
    const { bytesMax, keptBytesMax, share } = this.#bounds;
    if (contentLength > bytesMax) throw tooLarge(bytesMax);
    if (contentLength > 0) share.holdAtLeast(Math.min(contentLength, keptBytesMax));
  }
  take(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bounds.bytesMax) throw tooLarge(this.#bounds.bytesMax);
    this.#hold();
    if (chunk.length > 0) this.#onChunk(chunk);
  }
  /** Counts bytes that wait for decompression. */
  takeEncoded(chunk: Uint8Array): void {
    this.#encodedBytes += chunk.length;
    if (this.#encodedBytes > this.#bounds.bytesMax) throw tooLarge(this.#bounds.bytesMax);
    this.#hold();
  }
  #hold(): void {
    const { keptBytesMax, share } = this.#bounds;
    const waitingBytes = Math.min(this.#encodedBytes, BACKLOG_BYTES_MAX);
    share.holdAtLeast(waitingBytes + Math.min(this.#bytes, keptBytesMax));
  }
}

function receivePlain(exchange: BodySource, counter: Counter, { resolve, reject }: Outcome): void {
  let isDone = false;
  exchange.receive({
    chunk(chunk) {
      if (isDone) return;
      try {
        counter.take(chunk);
      } catch (error) {
        isDone = true;
        reject(error);
      }
    },
    end: resolve,
    abort: () => reject(new ClientGone()),
  });
}

function receiveEncoded(
  exchange: BodySource,
  decoder: Decoder,
  counter: Counter,
  outcome: Outcome,
): void {
  let isDone = false;
  let isPaused = false;
  let receivedBytes = 0;
  let isReceived = false;
  let isDecoded = false;
  const fail = (error: unknown) => {
    if (isDone) return;
    isDone = true;
    decoder.destroy();
    outcome.reject(error);
  };
  decoder.on('data', (chunk: Uint8Array) => {
    try {
      if (!isDone) counter.take(chunk);
    } catch (error) {
      fail(error);
    }
  });
  /** The decoder ends with the compressed data, whatever follows: more bytes are a fault. */
  const finish = () => {
    if (receivedBytes > decoder.bytesWritten) return fail(corrupt('more data follows its end'));
    if (isDone || !isReceived) return;
    isDone = true;
    outcome.resolve();
  };
  decoder.on('end', () => {
    isDecoded = true;
    finish();
  });
  decoder.on('error', (error: Error) => fail(corrupt(error.message, error)));
  exchange.receive({
    chunk(chunk) {
      if (isDone) return;
      try {
        counter.takeEncoded(chunk);
      } catch (error) {
        fail(error);
        return;
      }
      receivedBytes += chunk.length;
      if (isDecoded) return finish();
      decoder.write(Buffer.from(chunk));
      if (isPaused || decoder.writableLength <= BACKLOG_BYTES_MAX) return;
      isPaused = true;
      exchange.pause();
      decoder.once('drain', () => {
        isPaused = false;
        exchange.resume();
      });
    },
    end: () => {
      isReceived = true;
      if (isDecoded) finish();
      else if (!isDone) decoder.end();
    },
    abort: () => fail(new ClientGone()),
  });
}

/**
 * Resolves with `atEnd()` at the end of the body. Rejects with `payload_too_large`, `payload_memory_exhausted`,
 * `bad_request` (corrupt compression), errors of `onChunk`, or `ClientGone`; a body whose announced
 * length is too large is not read. An exchange must be passed before its handler returns; `chunk` is
 * valid only during the call.
 */
export function receiveBody<Value>(
  exchange: BodySource,
  bounds: BodyBounds,
  onChunk: (chunk: Uint8Array) => void,
  atEnd: () => Value,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const createDecoder = decoders.get(exchange.headers.contentEncoding.trim().toLowerCase());
    const counter = new Counter(bounds, onChunk);
    counter.announce(Number(exchange.headers.contentLength));
    const outcome = { resolve: () => resolve(atEnd()), reject };
    if (createDecoder === undefined) receivePlain(exchange, counter, outcome);
    else receiveEncoded(exchange, createDecoder(), counter, outcome);
  });
}

/**
 * The entire body in memory, which counts against `share`.
 * @param onCopy called with each part; its errors end the reading
 */
export function readBody(
  exchange: BodySource,
  bytesMax: number,
  share: BodyShare,
  onCopy: (part: Uint8Array) => void = () => undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const bounds = { bytesMax, keptBytesMax: bytesMax, share };
  return receiveBody(
    exchange,
    bounds,
    (chunk) => {
      const copy = Buffer.from(chunk);
      onCopy(copy);
      chunks.push(copy);
    },
    () => (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
  );
}
