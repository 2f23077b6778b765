/**
 * Byte-level JSON scanner: validates one value (RFC 8259, UTF-8) and notes its nodes on a flat
 * tape, without JavaScript objects.
 *
 * A node is four words: kind and flags, start, end (offsets in the scanned bytes, half open), and
 * the number of the node that follows it and everything below it. An object's children are key,
 * value, key, value …; an array's are its elements. Containers are tracked on a fixed stack, so
 * depth costs no call stack. The tape is reused by every scan.
 */

import { doubled } from '../../core/doubled.ts';
import { limits } from '../../core/limits.ts';
import { decodeUtf8, utf8SequenceLength } from '../bytes/utf8.ts';
import { JsonError, TooManyValues } from './json-error.ts';

export const JsonKind = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  array: 5,
  object: 6,
} as const;
export type JsonKind = (typeof JsonKind)[keyof typeof JsonKind];

/** The string holds a backslash. */
export const ESCAPED = 0x100;
/** The string holds a `\u` escape of half a surrogate pair. */
export const LONE_SURROGATE = 0x200;
/** The number has an exponent. */
export const EXPONENT = 0x400;

/** Nesting of one document, the document's own object included. */
export const JSON_DEPTH_MAX = limits.jsonDepthMax;
/** Bounds the tape at 256 MB. */
export const JSON_NODES_MAX = 1 << 24;

/** A number without exponent in as many characters is finite as a double. */
const FINITE_CHARS = 308;

const NODE_WORDS = 4;
const INITIAL_WORDS = NODE_WORDS * 256;
/**
 * A longer tape is freed before the next scan, so one huge document does not hold memory for ever.
 */
const KEPT_WORDS_MAX = 1 << 18;

/** Class of a byte inside a string: 0 plain, 1 ends the plain run. */
const STRING_STOP = new Uint8Array(256);
STRING_STOP.fill(1, 0, 0x20);
STRING_STOP.fill(1, 0x80);
STRING_STOP[0x22] = 1;
STRING_STOP[0x5c] = 1;

const HEX = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

export const isJsonSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

export class JsonTape {
  #words = new Uint32Array(INITIAL_WORDS);
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  #length = 0;
  /** Of the string, and of the number, read last. */
  #stringFlags = 0;
  #numberFlags = 0;
  /** Bytes of insignificant white space inside the value last scanned. */
  whitespace = 0;
  /** Some string of the value last scanned has `LONE_SURROGATE`. */
  hasLoneSurrogate = false;
  /** Offset of a number that is infinite as a double, in the value last scanned; -1 = none. */
  infiniteAt = -1;
  readonly #open = new Uint32Array(JSON_DEPTH_MAX + 1);

  /** The scanned bytes; node offsets point into them. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }
  get length(): number {
    return this.#length;
  }
  kind(node: number): JsonKind {
    return (this.#words[node << 2]! & 0xff) as JsonKind;
  }
  flags(node: number): number {
    return this.#words[node << 2]! & 0xff00;
  }
  start(node: number): number {
    return this.#words[(node << 2) + 1]!;
  }
  end(node: number): number {
    return this.#words[(node << 2) + 2]!;
  }
  /** The node after this one and its descendants: its next sibling while inside the parent. */
  next(node: number): number {
    return this.#words[(node << 2) + 3]!;
  }

  /**
   * Scans the value that starts at or after `start` (white space before it is skipped); node 0 is
   * its root.
   * @returns offset just after the value
   * @throws JsonError
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes;
    this.#end = end;
    this.#length = 0;
    if (this.#words.length > KEPT_WORDS_MAX) this.#words = new Uint32Array(INITIAL_WORDS);
    let at = this.#skipSpace(start);
    this.whitespace = 0;
    this.hasLoneSurrogate = false;
    this.infiniteAt = -1;
    let depth = 0;
    for (;;) {
      const first = at < end ? bytes[at]! : 0;
      if (first === 0x7b || first === 0x5b) {
        depth = this.#openContainer(first, at, depth);
        at = this.#skipSpace(at + 1);
        if (first === 0x5b) at = this.#numbers(at);
        if (at >= end || bytes[at]! !== (first === 0x7b ? 0x7d : 0x5d)) {
          if (first === 0x7b) at = this.#memberKey(at);
          continue;
        }
      } else {
        at = this.#scalar(first, at);
        if (depth === 0) return at;
        at = this.#skipSpace(at);
      }
      for (;;) {
        const container = this.#open[depth - 1]!;
        const isObject = (this.#words[container << 2]! & 0xff) === JsonKind.object;
        const byte = at < end ? bytes[at]! : 0;
        if (byte === 0x2c) {
          at = this.#skipSpace(at + 1);
          if (isObject) at = this.#memberKey(at);
          break;
        }
        if (byte !== (isObject ? 0x7d : 0x5d))
          throw this.#unexpected(at, isObject ? '`,` or `}`' : '`,` or `]`');
        at += 1;
        this.#words[(container << 2) + 2] = at;
        this.#words[(container << 2) + 3] = this.#length;
        depth -= 1;
        if (depth === 0) return at;
        at = this.#skipSpace(at);
      }
    }
  }

  #openContainer(first: number, at: number, depth: number): number {
    if (depth === JSON_DEPTH_MAX) {
      throw new JsonError(at, `values are nested deeper than ${JSON_DEPTH_MAX} levels`);
    }
    this.#open[depth] = this.#push(first === 0x7b ? JsonKind.object : JsonKind.array, at, at);
    return depth + 1;
  }

  #push(kindAndFlags: number, start: number, end: number): number {
    const node = this.#length;
    const word = node << 2;
    if (word === this.#words.length) this.#grow(start);
    const words = this.#words;
    words[word] = kindAndFlags;
    words[word + 1] = start;
    words[word + 2] = end;
    words[word + 3] = node + 1;
    this.#length = node + 1;
    return node;
  }

  #grow(at: number): void {
    if (this.#length >= JSON_NODES_MAX) throw new TooManyValues(at, JSON_NODES_MAX);
    this.#words = doubled(this.#words);
  }

  #skipSpace(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = from;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
      at += 1;
    }
    this.whitespace += at - from;
    return at;
  }

  /** Key, colon and the space around them; returns the start of the value. */
  #memberKey(at: number): number {
    if (at >= this.#end || this.#bytes[at] !== 0x22)
      throw this.#unexpected(at, 'a `"` that starts a member name');
    const end = this.#string(at);
    this.#push(JsonKind.string | this.#stringFlags, at, end);
    const colon = this.#skipSpace(end);
    if (colon >= this.#end || this.#bytes[colon] !== 0x3a) throw this.#unexpected(colon, '`:`');
    return this.#skipSpace(colon + 1);
  }

  #scalar(first: number, at: number): number {
    if (first === 0x22) {
      const end = this.#string(at);
      this.#push(JsonKind.string | this.#stringFlags, at, end);
      return end;
    }
    if (first === 0x2d || isDigit(first)) {
      const end = this.#number(at);
      this.#push(JsonKind.number | this.#numberFlags, at, end);
      return end;
    }
    if (first === 0x74) return this.#literal(at, 'true', JsonKind.true);
    if (first === 0x66) return this.#literal(at, 'false', JsonKind.false);
    if (first === 0x6e) return this.#literal(at, 'null', JsonKind.null);
    throw this.#unexpected(at, 'a value');
  }

  #literal(at: number, word: string, kind: JsonKind): number {
    for (let i = 1; i < word.length; i++) {
      if (at + i >= this.#end || this.#bytes[at + i] !== word.charCodeAt(i))
        throw this.#unexpected(at + i, `\`${word}\``);
    }
    this.#push(kind, at, at + word.length);
    return at + word.length;
  }

  #number(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = bytes[from] === 0x2d ? from + 1 : from;
    if (at >= end || !isDigit(bytes[at])) throw this.#unexpected(at, 'a digit');
    if (bytes[at] === 0x30) at += 1;
    else at = this.#digits(at);
    if (at < end && bytes[at] === 0x2e) at = this.#digits(at + 1);
    const hasExponent = at < end && (bytes[at]! | 0x20) === 0x65;
    const isLarge = hasExponent && bytes[at + 1] !== 0x2d;
    if (hasExponent) at = this.#exponent(at + 1);
    this.#numberFlags = hasExponent ? EXPONENT : 0;
    if (isLarge || at - from > FINITE_CHARS) this.#checkFinite(from, at);
    return at;
  }

  #exponent(from: number): number {
    const sign = from < this.#end ? this.#bytes[from] : 0;
    return this.#digits(sign === 0x2b || sign === 0x2d ? from + 1 : from);
  }

  #checkFinite(from: number, to: number): void {
    if (!Number.isFinite(Number(decodeUtf8(this.#bytes, from, to)))) this.infiniteAt = from;
  }

  /**
   * The leading numbers of an array, as long as they have no exponent and a comma and another
   * number follow, which covers most of a vector: one loop without calls. The remaining elements
   * are read one by one.
   */
  #numbers(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let words = this.#words;
    let word = this.#length << 2;
    let spaces = 0;
    let start = from;
    for (let at = from; ; start = at) {
      if (bytes[at] === 0x2d) at += 1;
      const whole = at;
      while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at += 1;
      if (at === whole || (bytes[whole] === 0x30 && at > whole + 1)) break;
      if (at - whole > FINITE_CHARS) break;
      if (bytes[at] === 0x2e) {
        const point = at++;
        while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at += 1;
        if (at === point + 1) break;
      }
      const comma = at++;
      const isSpaced = bytes[at] === 0x20;
      if (isSpaced) at += 1;
      if (at >= end || bytes[comma] !== 0x2c || (bytes[at] !== 0x2d && !isDigit(bytes[at]))) break;
      if (isSpaced) spaces += 1;
      if (word === words.length) {
        this.#length = word >>> 2;
        this.#grow(start);
        words = this.#words;
      }
      words[word] = JsonKind.number;
      words[word + 1] = start;
      words[word + 2] = comma;
      word += NODE_WORDS;
      words[word - 1] = word >>> 2;
    }
    this.whitespace += spaces;
    this.#length = word >>> 2;
    return start;
  }

  #digits(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = from;
    while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at += 1;
    if (at === from) throw this.#unexpected(at, 'a digit');
    return at;
  }

  /**
   * `at` is the opening quote; returns the offset after the closing one and sets the flags of the
   * string.
   */
  #string(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = from + 1;
    let flags = 0;
    for (;;) {
      while (at < end && STRING_STOP[bytes[at]!] === 0) at += 1;
      if (at >= end)
        throw new JsonError(end, `the string that starts at byte ${from} does not end`);
      const byte = bytes[at]!;
      if (byte === 0x22) {
        this.#stringFlags = flags;
        return at + 1;
      }
      if (byte === 0x5c) {
        this.#stringFlags = 0;
        at = this.#escape(at);
        flags |= this.#stringFlags | ESCAPED;
      } else if (byte < 0x20) {
        throw this.#unexpected(at, 'control characters inside strings to be escaped');
      } else {
        const length = utf8SequenceLength(bytes, at, end);
        if (length === 0) throw new JsonError(at, 'the text is not valid UTF-8');
        at += length;
      }
    }
  }

  /**
   * `at` is the backslash; returns the offset after the escape (after both halves of a surrogate
   * pair).
   */
  #escape(at: number): number {
    const letter = at + 1 < this.#end ? this.#bytes[at + 1]! : 0;
    if (letter === 0x75) {
      const unit = this.#hex(at + 2);
      if (unit < 0xd800 || unit > 0xdfff) return at + 6;
      const paired =
        unit < 0xdc00 &&
        this.#bytes[at + 6] === 0x5c &&
        this.#bytes[at + 7] === 0x75 &&
        at + 8 <= this.#end;
      if (paired) {
        const low = this.#hex(at + 8);
        if (low >= 0xdc00 && low <= 0xdfff) return at + 12;
      }
      this.#stringFlags = LONE_SURROGATE;
      this.hasLoneSurrogate = true;
      return at + 6;
    }
    // " \ / b f n r t
    const known =
      letter === 0x22 || letter === 0x5c || letter === 0x2f || letter === 0x62 || letter === 0x66;
    if (known || letter === 0x6e || letter === 0x72 || letter === 0x74) return at + 2;
    throw this.#unexpected(
      at + 1,
      'one of `"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t`, `u` after a backslash',
    );
  }

  #hex(at: number): number {
    if (at + 4 > this.#end) throw this.#unexpected(this.#end, 'four hexadecimal digits');
    const bytes = this.#bytes;
    let unit = 0;
    for (let i = at; i < at + 4; i++) {
      const digit = HEX[bytes[i]!]!;
      if (digit < 0) throw this.#unexpected(i, 'a hexadecimal digit');
      unit = unit * 16 + digit;
    }
    return unit;
  }

  #unexpected(at: number, expected: string): JsonError {
    if (at >= this.#end)
      return new JsonError(this.#end, `expected ${expected}, found the end of the text`);
    const byte = this.#bytes[at]!;
    const found =
      byte > 0x20 && byte < 0x7f
        ? `\`${String.fromCharCode(byte)}\``
        : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    return new JsonError(at, `expected ${expected}, found ${found}`);
  }
}
