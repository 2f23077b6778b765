/** Compresses answers as the client accepts: br before gzip before deflate, at levels that cost less than they save. */
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, deflate, deflateSync, gzip, gzipSync } from 'node:zlib';
import { limits } from '../core/limits.ts';

export type AnswerEncoding = 'br' | 'gzip' | 'deflate';

const PREFERENCE: readonly AnswerEncoding[] = ['br', 'gzip', 'deflate'];
/** Larger answers are compressed off this thread. */
const SYNC_BYTES_MAX = 32_768;
/** The header has few spellings; the bound only guards against invented ones. */
const CACHE_ENTRIES_MAX = 256;

const zlibOptions = { level: 1 };
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

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

const cache = new Map<string, AnswerEncoding | null>();

function choose(acceptEncoding: string): AnswerEncoding | null {
  const accepted = new Set<string>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return PREFERENCE.find((encoding) => accepted.has(encoding)) ?? null;
}

/** null = plain. */
export function encodingFor(acceptEncoding: string): AnswerEncoding | null {
  if (acceptEncoding === '') return null;
  let encoding = cache.get(acceptEncoding);
  if (encoding === undefined) {
    encoding = choose(acceptEncoding);
    if (cache.size < CACHE_ENTRIES_MAX) cache.set(acceptEncoding, encoding);
  }
  return encoding;
}

export const isWorthEncoding = (body: Uint8Array | string): boolean => body.length >= limits.compressedAnswerBytesMin;

export const encodeBody = (encoding: AnswerEncoding, body: Uint8Array): Uint8Array | Promise<Uint8Array> =>
  body.length <= SYNC_BYTES_MAX ? sync[encoding](body) : async[encoding](body);
