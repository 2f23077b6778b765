/**
 * The chunks of one value as terms (dictionary/chunk-terms.ts), each at the position of its first word
 * (relevance.md 2.9). Chunks without words are left out, and so is the end of a long chunk.
 */
import { hashBytes } from '../../../core/hash.ts';
import { CHUNK_LEAD, CHUNK_TERM_BYTES_MAX } from '../../dictionary/chunk-terms.ts';
import { decodeShortUtf8, writeUtf8 } from '../characters/word-codec.ts';
import type { DisplayTokens } from '../tokens/display-tokens.ts';
import { TokenKind, type WordSink } from '../tokens/token.ts';
import { HARD_GAP, POSITION_MAX } from './word-emitter.ts';

/** Bytes of a chunk that are normalised: marks that normalisation drops count, too. */
const READ_BYTES_MAX = 4 * CHUNK_TERM_BYTES_MAX;

/** A value as UTF-8 in `[start, end)`. */
interface ChunkedValue {
  readonly utf8: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly base: number;
  readonly sink: WordSink;
}

/** White space between chunks: that of ASCII. */
export const isBetweenChunks = (unit: number): boolean =>
  unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);

export class ChunkEmitter {
  readonly #scratch = new Uint8Array(CHUNK_TERM_BYTES_MAX);
  readonly #normalize: (text: string) => string;

  /** @param normalize of a text that is not plain ASCII */
  constructor(normalize: (text: string) => string) {
    this.#normalize = normalize;
    this.#scratch[0] = CHUNK_LEAD;
  }

  /** @param tokenize returns the tokens of the value; not called for a value of one chunk */
  run(value: ChunkedValue, tokenize: () => DisplayTokens): void {
    const { utf8, start, end, base } = value;
    const first = afterSpace(utf8, start, end);
    const firstEnd = chunkEnd(utf8, first, end);
    if (afterSpace(utf8, firstEnd, end) === end) {
      if (first < firstEnd) this.#emit(value, first, firstEnd, base);
      return;
    }
    const places = new WordPlaces(tokenize(), base);
    let last = -1;
    for (let at = first; at < end; ) {
      const until = chunkEnd(utf8, at, end);
      const position = places.firstWordIn(at, until);
      if (position > POSITION_MAX) return;
      if (position > last) {
        this.#emit(value, at, until, position);
        last = position;
      }
      at = afterSpace(utf8, until, end);
    }
  }

  #emit({ utf8, sink }: ChunkedValue, start: number, end: number, position: number): void {
    const length = this.#write(utf8, start, end);
    sink.word(this.#scratch, length, hashBytes(this.#scratch, 0, length), position);
  }

  /** Puts the term of the chunk into the scratch space; returns its length. */
  #write(utf8: Uint8Array, start: number, end: number): number {
    const scratch = this.#scratch;
    let length = 1;
    for (let at = start; at < end && length < scratch.length; at++) {
      const byte = utf8[at]!;
      if (byte >= 0x80) return this.#writeNormalized(utf8, start, end);
      scratch[length++] = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    }
    return length;
  }

  #writeNormalized(utf8: Uint8Array, start: number, end: number): number {
    let until = Math.min(end, start + READ_BYTES_MAX);
    while (until < end && (utf8[until]! & 0xc0) === 0x80) until--;
    let length = 1;
    for (const character of this.#normalize(decodeShortUtf8(utf8, start, until))) {
      const more = writeUtf8(character, this.#scratch, length, CHUNK_TERM_BYTES_MAX - length);
      if (more < 0) break;
      length += more;
    }
    return length;
  }
}

/** Positions of the words of a value, read from its start to its end (relevance.md 1.3). */
class WordPlaces {
  readonly #tokens: DisplayTokens;
  #token = 0;
  #position: number;
  /** Step to the next word; 0 before the first. */
  #step = 0;

  constructor(tokens: DisplayTokens, base: number) {
    this.#tokens = tokens;
    this.#position = base;
  }

  /** Position of the first word that begins in `[start, end)`, or −1. */
  firstWordIn(start: number, end: number): number {
    const tokens = this.#tokens;
    let first = -1;
    for (; this.#token < tokens.length && tokens.start(this.#token) < end; this.#token++) {
      if (tokens.isEmpty(this.#token)) continue;
      const kind = tokens.kind(this.#token);
      if (kind === TokenKind.hardSeparator && this.#step > 0) this.#step = HARD_GAP;
      if (kind >= TokenKind.softSeparator) continue;
      this.#position += this.#step;
      this.#step = 1;
      if (first < 0 && tokens.start(this.#token) >= start) first = this.#position;
    }
    return first;
  }
}

function afterSpace(utf8: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isBetweenChunks(utf8[at]!)) at++;
  return at;
}

function chunkEnd(utf8: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && !isBetweenChunks(utf8[at]!)) at++;
  return at;
}
