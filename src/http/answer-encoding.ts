/**
 * Compresses answers by `Accept-Encoding`: br before gzip before deflate, at levels that cost less
 * time than they save.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflate,
  deflateSync,
  gzip,
  gzipSync,
} from 'node:zlib';
import type { AnswerChunk } from '../api/contract/answer.ts';
import { limits } from '../core/limits.ts';
import { MemoMap } from '../core/memo-map.ts';

export type AnswerEncoding = 'br' | 'gzip' | 'deflate';

const PREFERENCE: readonly AnswerEncoding[] = ['br', 'gzip', 'deflate'];
/** Larger answers are compressed on another thread. */
const SYNC_BYTES_MAX = 32_768;

/** Bytes of a chunk of compressed output. */
const CHUNK_BYTES = 65_536;

const zlibOptions = { level: 1 };
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

/** A window of a quarter of a megabyte. */
const brotliStreamOptions = {
  chunkSize: CHUNK_BYTES,
  params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

const sync: Readonly<Record<AnswerEncoding, (body: Uint8Array) => Uint8Array>> = {
  br: (body) => brotliCompressSync(body, brotliOptions),
  gzip: (body) => gzipSync(body, zlibOptions),
  deflate: (body) => deflateSync(body, zlibOptions),
};
const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
const deflateAsync = promisify(deflate);
const async: Readonly<Record<AnswerEncoding, (body: Uint8Array) => Promise<Uint8Array>>> = {
  br: (body) => brotliAsync(body, brotliOptions),
  gzip: (body) => gzipAsync(body, zlibOptions),
  deflate: (body) => deflateAsync(body, zlibOptions),
};

interface Choice {
  readonly encoding: AnswerEncoding;
  /** True if the client accepts only this coding, not even uncompressed answers. */
  readonly isOnly: boolean;
}

/** Bounds the cache; real clients send few different values. */
const choices = new MemoMap<string, Choice | null>(256);

function choose(acceptEncoding: string): Choice | null {
  const accepted = new Set<string>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  const encoding = PREFERENCE.find((known) => accepted.has(known));
  return encoding === undefined ? null : { encoding, isOnly: accepted.size === 1 };
}

function choiceFor(acceptEncoding: string): Choice | null {
  if (acceptEncoding === '') return null;
  return choices.getOrCompute(acceptEncoding, choose);
}

/**
 * null = uncompressed. A client that accepts exactly one coding gets it for any size, because some
 * clients decode unconditionally.
 */
export function encodingFor(acceptEncoding: string, bodyLength: number): AnswerEncoding | null {
  const choice = choiceFor(acceptEncoding);
  if (choice === null) return null;
  return choice.isOnly || bodyLength >= limits.compressedAnswerBytesMin ? choice.encoding : null;
}

const coders: Readonly<Record<AnswerEncoding, () => Transform>> = {
  br: () => createBrotliCompress(brotliStreamOptions),
  gzip: () => createGzip({ ...zlibOptions, chunkSize: CHUNK_BYTES }),
  deflate: () => createDeflate({ ...zlibOptions, chunkSize: CHUNK_BYTES }),
};

/** Chunks of the compressed body, at the pace of the reader. */
export function encodeChunks(
  encoding: AnswerEncoding,
  chunks: AsyncIterable<AnswerChunk> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const coder = coders[encoding]();
  // Errors are thrown to the reader of `coder`.
  pipeline(Readable.from(chunks), coder, () => undefined);
  return coder;
}

export const encodeBody = (
  encoding: AnswerEncoding,
  body: Uint8Array,
): Uint8Array | Promise<Uint8Array> =>
  body.length <= SYNC_BYTES_MAX ? sync[encoding](body) : async[encoding](body);
