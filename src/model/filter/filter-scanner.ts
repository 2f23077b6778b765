/** Scans a filter's text: blanks, keywords, words, quoted values; errors name the position. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';

/** Operators and functions; must be quoted as a name or a value. */
const RESERVED: ReadonlySet<string> = new Set([
  'AND',
  'OR',
  'IN',
  'NOT',
  'TO',
  'EXISTS',
  'IS',
  'NULL',
  'EMPTY',
  'CONTAINS',
  'STARTS',
  'WITH',
  '_geoRadius',
  '_geoBoundingBox',
]);

/** Names with a meaning in sorts or answers, never in filters. */
const NEVER_IN_FILTERS: ReadonlySet<string> = new Set(['_geo', '_geoPoint', '_geoDistance']);

const SHOWN_CHARACTERS_MAX = 60;
const WIDE_WORD_CHARACTER = /[\p{Alphabetic}\p{N}]/u;
const WHITE_SPACE = /\p{White_Space}*/uy;

const wordCharacters = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9_.-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
};

/** Hexadecimal code after the `\x` or `\u` of an escape. */
const CODE_ESCAPES: Readonly<Record<string, RegExp>> = {
  x: /([0-9A-Fa-f]{2})/y,
  u: /(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{4}))/y,
};

const isBlank = (code: number): boolean =>
  code === 0x20 || (code >= 9 && code <= 13 && code !== 11 && code !== 12);

export interface ScannedWord {
  readonly text: string;
  readonly at: number;
  readonly isQuoted: boolean;
}

export class FilterScanner {
  readonly text: string;
  at = 0;
  readonly #code: ErrorCode;
  readonly #name: string;

  constructor(text: string, code: ErrorCode, name: string) {
    this.text = text;
    this.#code = code;
    this.#name = name;
  }

  fail(expected: string, at = this.at): never {
    const column = at + 1;
    const rest = this.text.slice(at).trimEnd();
    const found =
      rest === '' ? 'the filter ends' : `\`${rest.slice(0, SHOWN_CHARACTERS_MAX)}\` was found`;
    throw new ApiError(
      this.#code,
      `${this.#name} has invalid syntax at column ${column}: expected ${expected}, but ${found}.`,
    );
  }

  skipBlanks(): void {
    while (isBlank(this.text.charCodeAt(this.at))) this.at += 1;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** True if the text from here matches; consumes nothing. @param sticky has the flag `y` */
  isBefore(sticky: RegExp): boolean {
    sticky.lastIndex = this.at;
    return sticky.test(this.text);
  }

  /** Consumes a sign such as `(` or `<=` after blanks. */
  takeSign(sign: string): boolean {
    this.skipBlanks();
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  expectSign(sign: string): void {
    if (!this.takeSign(sign)) this.fail(`\`${sign}\``);
  }

  /** Consumes a keyword that is followed by blanks, a parenthesis, a bracket, a quote or the end. */
  takeKeyword(keyword: string): boolean {
    this.skipBlanks();
    if (!this.text.startsWith(keyword, this.at)) return false;
    const next = this.text.charCodeAt(this.at + keyword.length);
    const isWhole =
      Number.isNaN(next) || isBlank(next) || '()[]"\''.includes(String.fromCharCode(next));
    if (isWhole) this.at += keyword.length;
    return isWhole;
  }

  takeKeywordAndBlanks(keyword: string): boolean {
    this.skipBlanks();
    const end = this.at + keyword.length;
    if (!this.text.startsWith(keyword, this.at) || !isBlank(this.text.charCodeAt(end)))
      return false;
    this.at = end;
    this.skipBlanks();
    return true;
  }

  /**
   * A name or value, quoted or not. White space of any kind may precede it: pasted text has no-break
   * spaces.
   */
  readWord(expected: string): ScannedWord {
    WHITE_SPACE.lastIndex = this.at;
    WHITE_SPACE.test(this.text);
    this.at = WHITE_SPACE.lastIndex;
    const { at, text } = this;
    const quote = text[at];
    if (quote === '"' || quote === "'")
      return { text: this.#readQuoted(quote), at, isQuoted: true };
    const end = this.#wordEnd(at);
    if (end === at) this.fail(expected);
    this.at = end;
    return { text: text.slice(at, end), at, isQuoted: false };
  }

  /** Like `readWord`, without reserved words. */
  readPlainWord(expected: string): ScannedWord {
    const word = this.readWord(expected);
    if (!word.isQuoted) this.refuseReserved(word, expected);
    return word;
  }

  refuseReserved({ text, at }: ScannedWord, expected: string): void {
    if (RESERVED.has(text))
      this.fail(`${expected} (\`${text}\` is a reserved word: quote it to use it so)`, at);
    if (NEVER_IN_FILTERS.has(text)) {
      this.fail(
        `${expected} (\`${text}\` cannot be used in filters; use _geoRadius(latitude, longitude, metres) or _geoBoundingBox([latitude, longitude], [latitude, longitude]))`,
        at,
      );
    }
  }

  #wordEnd(start: number): number {
    const { text } = this;
    let at = start;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code < 128) {
        if (wordCharacters[code] === 0) return at;
        at += 1;
      } else if (code >= 128) {
        const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
        if (!WIDE_WORD_CHARACTER.test(character)) return at;
        at += character.length;
      } else return at;
    }
  }

  #readQuoted(quote: string): string {
    const { text } = this;
    const start = this.at + 1;
    const parts: string[] = [];
    let from = start;
    let at = start;
    for (; text[at] !== quote; at++) {
      if (at >= text.length) this.fail(`a closing ${quote}`, start - 1);
      if (text[at] !== '\\') continue;
      parts.push(text.slice(from, at));
      const sequence = this.#readEscape(at, start - 1);
      parts.push(sequence.character);
      at = sequence.last;
      from = at + 1;
    }
    this.at = at + 1;
    const last = text.slice(from, at);
    return parts.length === 0 ? last : parts.join('') + last;
  }

  /** The character of the escape at the backslash `at`, and the position of its last character. */
  #readEscape(at: number, quoteAt: number): { character: string; last: number } {
    const name = this.text[at + 1];
    if (name === undefined) this.fail('a closing quote', quoteAt);
    const simple = SIMPLE_ESCAPES[name];
    if (simple !== undefined) return { character: simple, last: at + 1 };
    const pattern = CODE_ESCAPES[name];
    if (pattern !== undefined) {
      pattern.lastIndex = at + 2;
      const match = pattern.exec(this.text);
      const code = Number.parseInt(match?.[1] ?? match?.[2] ?? '', 16);
      const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      if (isCharacter)
        return { character: String.fromCodePoint(code), last: pattern.lastIndex - 1 };
    }
    return this.fail('one of the escapes \\n \\t \\r \\b \\f \\\\ \\\' \\" \\xNN \\u{…}', at);
  }
}
