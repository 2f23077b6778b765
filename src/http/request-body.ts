/**
 * Receives request bodies: decodes their compression, counts the decoded bytes against the limit,
 * stops at the first fault.
 */
import zlib, { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError } from '../core/errors.ts';
import type { Exchange } from './exchange.ts';

/** The client went away: nobody waits for an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

type Decoder = ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;

/** Absent from older versions of Node. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Decoder };

const decoders: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ...(createZstdDecompress === undefined ? [] : [['zstd', createZstdDecompress] as const]),
]);

/** Encoded bytes that may wait for the decoder before the sender is asked to pause. */
const BACKLOG_BYTES_MAX = 1_048_576;

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError(
    'payload_too_large',
    `The body is larger than the ${bytesMax} bytes that this instance accepts.`,
  );

interface Outcome {
  resolve(): void;
  reject(error: unknown): void;
}

/** Hands decoded bytes on until they are too many. */
class Counter {
  readonly #bytesMax: number;
  readonly #onChunk: (chunk: Uint8Array) => void;
  #bytes = 0;
  constructor(bytesMax: number, onChunk: (chunk: Uint8Array) => void) {
    this.#bytesMax = bytesMax;
    this.#onChunk = onChunk;
  }
  take(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) throw tooLarge(this.#bytesMax);
    if (chunk.length > 0) this.#onChunk(chunk);
  }
}

function receivePlain(exchange: Exchange, counter: Counter, { resolve, reject }: Outcome): void {
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
  exchange: Exchange,
  decoder: Decoder,
  counter: Counter,
  bytesMax: number,
  outcome: Outcome,
): void {
  let isDone = false;
  let encodedBytes = 0;
  let isPaused = false;
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
  decoder.on('end', () => {
    if (!isDone) outcome.resolve();
    isDone = true;
  });
  decoder.on('error', (error: Error) =>
    fail(
      new ApiError(
        'bad_request',
        `The body cannot be decompressed as its \`Content-Encoding\` says: ${error.message}.`,
        { cause: error },
      ),
    ),
  );
  exchange.receive({
    chunk(chunk) {
      encodedBytes += chunk.length;
      if (isDone) return;
      if (encodedBytes > bytesMax) {
        fail(tooLarge(bytesMax));
        return;
      }
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
      if (!isDone) decoder.end();
    },
    abort: () => fail(new ClientGone()),
  });
}

/**
 * Resolves at the end of the body. Rejects with `payload_too_large`, `bad_request` (corrupted
 * compression), whatever `onChunk` throws, or `ClientGone`. Must be called before the exchange's
 * handler returns; `chunk` is valid during the call only.
 */
export function receiveBody(
  exchange: Exchange,
  bytesMax: number,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const createDecoder = decoders.get(exchange.headers.contentEncoding.trim().toLowerCase());
    const counter = new Counter(bytesMax, onChunk);
    if (Number(exchange.headers.contentLength) > bytesMax) reject(tooLarge(bytesMax));
    else if (createDecoder === undefined) receivePlain(exchange, counter, { resolve, reject });
    else receiveEncoded(exchange, createDecoder(), counter, bytesMax, { resolve, reject });
  });
}

/** The whole body in memory. */
export async function readBody(exchange: Exchange, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  await receiveBody(exchange, bytesMax, (chunk) => chunks.push(Buffer.from(chunk)));
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
