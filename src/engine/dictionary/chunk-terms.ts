/**
 * Terms of chunks. A chunk is a part of a value between white space, normalised as a whole: `AB-1234`
 * is one chunk and two words. Its term is the byte 0xff followed by the chunk's UTF-8, so that chunks
 * come after all words of a dictionary and no word equals one. Only attributes of the setting
 * `substringAttributes` have chunks.
 */
import { limits } from '../../core/limits.ts';

/** First byte of the terms of chunks: it occurs in no UTF-8 text. */
export const CHUNK_LEAD = 0xff;

/** Longest term of a chunk. */
export const CHUNK_TERM_BYTES_MAX = 1 + limits.chunkBytesMax;

/** Bytes of the shortest part of a chunk that is looked up. */
export const GRAM_BYTES = 3;
