/**
 * Words with their frequencies, looked up in the bytes of their list: lines of `word frequency …`,
 * sorted by the bytes of the words.
 */

import { codePointAt } from '../../bytes/utf8.ts';

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const ZERO = 0x30;
const NONE = 0;
/** Words that begin with a greater code point are searched in the whole list. */
const FIRST_MAX = 0xffff;

/** Called with each word at the start of the text: where it ends, and its frequency. */
export type VisitPrefix = (end: number, frequency: number) => void;

interface LineRange {
  readonly start: number;
  readonly end: number;
}

export class WordFrequencies {
  readonly #utf8: Uint8Array;
  readonly #lineStarts: Uint32Array;
  /** For each code point the first line whose word begins with it or with a greater one. */
  readonly #firstLines = new Uint32Array(FIRST_MAX + 2);
  /** Sum of the frequencies of all words. */
  readonly total: number;

  constructor(utf8: Uint8Array) {
    this.#utf8 = utf8;
    let lines = 0;
    for (const byte of utf8) if (byte === LINE_FEED) lines++;
    this.#lineStarts = new Uint32Array(lines);
    this.total = this.#read();
  }

  /** Frequency of the word equal to this text; 0 when there is none. */
  of(text: Uint8Array, start: number, end: number): number {
    const lines = this.#linesFrom(codePointAt(text, start, end));
    const line = this.#firstFrom(text, start, end, lines);
    return line < lines.end ? this.#ifExact(line, text, start, end) : NONE;
  }

  /**
   * Visits the words of `text` that start at `ends[from]`, shortest first; each ends at one of the
   * following `ends`.
   */
  forEachAt(text: Uint8Array, ends: Uint32Array, from: number, visit: VisitPrefix): void {
    const start = ends[from]!;
    const lines = this.#linesFrom(codePointAt(text, start, ends[from + 1]!));
    for (let to = from + 1; to < ends.length; to++) {
      const line = this.#firstFrom(text, start, ends[to]!, lines);
      if (line === lines.end || !this.#begins(line, text, start, ends[to]!)) return;
      lines.start = line;
      const frequency = this.#ifExact(line, text, start, ends[to]!);
      if (frequency > NONE) visit(to, frequency);
    }
  }

  #read(): number {
    const utf8 = this.#utf8;
    let total = 0;
    let at = 0;
    let first = 0;
    for (let line = 0; line < this.#lineStarts.length; line++) {
      this.#lineStarts[line] = at;
      const character = Math.min(FIRST_MAX + 1, codePointAt(utf8, at, utf8.length));
      while (first < character) this.#firstLines[++first] = line;
      while (utf8[at] !== SPACE && utf8[at] !== LINE_FEED) at++;
      if (utf8[at] === SPACE) total += this.#numberAt(at + 1);
      while (utf8[at] !== LINE_FEED) at++;
      at++;
    }
    this.#firstLines.fill(this.#lineStarts.length, first + 1);
    return total;
  }

  #linesFrom(first: number): { start: number; readonly end: number } {
    if (first > FIRST_MAX)
      return { start: this.#firstLines[FIRST_MAX + 1]!, end: this.#lineStarts.length };
    return { start: this.#firstLines[first]!, end: this.#firstLines[first + 1]! };
  }

  #numberAt(start: number): number {
    let value = 0;
    for (let at = start; ; at++) {
      const digit = this.#utf8[at]! - ZERO;
      if (!(digit >= 0 && digit <= 9)) return value;
      value = value * 10 + digit;
    }
  }

  /** The first line whose word is not less than the text. */
  #firstFrom(text: Uint8Array, start: number, end: number, lines: LineRange): number {
    let low = lines.start;
    let high = lines.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(middle, text, start, end)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(line: number, text: Uint8Array, start: number, end: number): boolean {
    const utf8 = this.#utf8;
    let at = this.#lineStarts[line]!;
    for (let i = start; i < end; i++, at++) {
      const byte = utf8[at]!;
      if (byte !== text[i]) return byte < text[i]!;
    }
    return false;
  }

  #begins(line: number, text: Uint8Array, start: number, end: number): boolean {
    const from = this.#lineStarts[line]!;
    for (let i = start; i < end; i++) if (this.#utf8[from + i - start] !== text[i]) return false;
    return true;
  }

  #ifExact(line: number, text: Uint8Array, start: number, end: number): number {
    const after = this.#lineStarts[line]! + end - start;
    if (this.#utf8[after] !== SPACE || !this.#begins(line, text, start, end)) return NONE;
    return this.#numberAt(after + 1);
  }
}
