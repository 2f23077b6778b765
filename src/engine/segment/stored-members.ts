/**
 * Selected top-level members of a stored document, decoded step by step: stops when all are found,
 * and skips long values of other members (member-skips.ts).
 */

import type { ByteBuffer } from '../bytes/byte-buffer.ts';
import type { TokenDecoder } from '../bytes/token-decoder.ts';
import { VarintCursor } from '../bytes/varint.ts';
import type { MemberNames } from '../json/member-names.ts';
import { ValueEnd } from '../json/value-end.ts';
import { LONG_VALUE_BYTES } from './member-skips.ts';

/** Size of the first step; each following step in one stretch of text is twice as long. */
const FIRST_STEP_CODES = 64;

const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

export interface ChosenMembers {
  readonly names: MemberNames;
  /** Number of selected members that the document has. */
  readonly count: number;
}

export class StoredMembers {
  /** null = codes are the text itself. */
  readonly #decoder: TokenDecoder | null;
  readonly #valueEnd = new ValueEnd();
  readonly #skips = new VarintCursor(new Uint8Array(0));
  #hasSkips = false;
  #codes: Uint8Array = new Uint8Array(0);
  /** Codes before this one are decoded. */
  #codeEnd = 0;
  #stepCodes = 0;
  /** Codes before the last skip read. */
  #skippedCodes = 0;
  /** Text in use: `#text[0, #length)`. */
  #text: Uint8Array = new Uint8Array(0);
  #length = 0;

  constructor(decoder: TokenDecoder | null) {
    this.#decoder = decoder;
  }

  /**
   * Appends an object.
   * @param skips null if they are unknown
   */
  write(
    codes: Uint8Array,
    skips: Uint8Array | null,
    { names, count }: ChosenMembers,
    out: ByteBuffer,
  ): void {
    this.#open(codes, skips);
    let separator = OPENING_BRACE;
    let left = count;
    for (let key = 1; left > 0; ) {
      const value = this.#endOf(key) + 1;
      if (value === 0) break;
      const isChosen = names.has(this.#text, key + 1, value - 2);
      if (isChosen || !this.#canPass(value)) {
        const end = this.#endOf(value);
        if (end < 0) break;
        if (isChosen) {
          this.#copy(separator, key, end, out);
          separator = COMMA;
          left--;
        }
        key = this.#keyBehind(value, end);
      } else key = this.#skip();
      if (key < 0) break;
    }
    if (separator === OPENING_BRACE) out.pushByte(OPENING_BRACE);
    out.pushByte(CLOSING_BRACE);
  }

  #copy(separator: number, key: number, end: number, out: ByteBuffer): void {
    out.pushByte(separator);
    out.pushRange(this.#text, key, end);
  }

  /** The start of the key after a decoded value; −1 if there is none. */
  #keyBehind(value: number, end: number): number {
    if (this.#text[end] !== COMMA) return -1;
    if (this.#hasSkips && end - value >= LONG_VALUE_BYTES) this.#passSkip();
    return end + 1;
  }

  #open(codes: Uint8Array, skips: Uint8Array | null): void {
    this.#codes = codes;
    this.#hasSkips = skips !== null;
    if (skips !== null) this.#skips.bytes = skips;
    this.#skips.position = 0;
    this.#skippedCodes = 0;
    if (this.#decoder === null) {
      this.#text = codes;
      this.#length = codes.length;
    } else this.#begin(0);
  }

  /** Starts a stretch of text with a code. */
  #begin(code: number): void {
    this.#decoder?.clear();
    this.#codeEnd = code;
    this.#stepCodes = FIRST_STEP_CODES;
    this.#length = 0;
    this.#decode();
  }

  /** Decodes the next step. False at the end of the document. */
  #decode(): boolean {
    const decoder = this.#decoder;
    if (decoder === null || this.#codeEnd >= this.#codes.length) return false;
    const stop = Math.min(this.#codes.length, this.#codeEnd + this.#stepCodes);
    this.#codeEnd = decoder.append(this.#codes, this.#codeEnd, stop);
    this.#stepCodes *= 2;
    this.#text = decoder.bytes;
    this.#length = decoder.length;
    return true;
  }

  /**
   * The offset after a value, with the byte that follows it decoded; −1 if the value does not end.
   */
  #endOf(start: number): number {
    this.#valueEnd.begin(start);
    for (;;) {
      const end = this.#valueEnd.find(this.#text, this.#length);
      if (end >= 0 && (end < this.#length || this.#decode())) return end;
      if (end >= 0 || !this.#decode()) return -1;
    }
  }

  /** Whether a value has `LONG_VALUE_BYTES` or more, and thus a skip. */
  #canPass(start: number): boolean {
    if (!this.#hasSkips) return false;
    while (this.#length < start + LONG_VALUE_BYTES && this.#decode());
    const stop = Math.min(this.#length, start + LONG_VALUE_BYTES);
    this.#valueEnd.begin(start);
    const end = this.#valueEnd.find(this.#text, stop);
    return end < 0 || end - start >= LONG_VALUE_BYTES;
  }

  /** Moves after a long value. Returns the start of the next key; −1 if there is none. */
  #skip(): number {
    const lead = this.#passSkip();
    if (lead < 0) return -1;
    this.#begin(this.#skippedCodes);
    return lead;
  }

  /** Reads the next skip: bytes of its first token that lie before the member; −1 if there is none. */
  #passSkip(): number {
    const skips = this.#skips;
    if (skips.position >= skips.bytes.length) return -1;
    this.#skippedCodes += skips.next();
    return skips.next();
  }
}
