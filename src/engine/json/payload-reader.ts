/**
 * Reads the documents of a JSON or NDJSON payload one after the other, each on the reader's tape.
 */
import { JsonError } from './json-error.ts';
import { isJsonSpace, JsonKind, JsonTape } from './json-tape.ts';

const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/**
 * `json`: one array of objects, or one object. `ndjson`: objects separated by white space.
 * After `next()` returned true, the tape holds the document and `[start, end)` are its bytes in the
 * payload.
 */
export class PayloadReader {
  readonly tape: JsonTape;
  /** Documents read so far. */
  count = 0;
  start = 0;
  end = 0;
  readonly #bytes: Uint8Array;
  readonly #isArray: boolean;
  readonly #isSingle: boolean;
  #at: number;
  #done = false;

  constructor(bytes: Uint8Array, format: 'json' | 'ndjson', tape = new JsonTape()) {
    this.tape = tape;
    this.#bytes = bytes;
    this.#at = skipSpace(bytes, 0);
    this.#isArray = format === 'json' && bytes[this.#at] === OPEN_BRACKET;
    this.#isSingle = format === 'json' && !this.#isArray;
    if (this.#isArray) this.#at = skipSpace(bytes, this.#at + 1);
  }

  /**
   * Reads the next document; false at the end of the payload. @throws JsonError that names the
   * document
   */
  next(): boolean {
    if (this.#done) return false;
    if (this.#atEnd()) {
      this.#done = true;
      return false;
    }
    const at = this.#at;
    try {
      this.end = this.tape.scan(this.#bytes, at, this.#bytes.length);
    } catch (error) {
      if (error instanceof JsonError)
        throw new JsonError(error.offset, `document ${this.count + 1}: ${error.reason}`);
      throw error;
    }
    this.start = this.tape.start(0);
    if (this.tape.kind(0) !== JsonKind.object)
      throw new JsonError(this.start, `document ${this.count + 1} is not an object`);
    if (this.tape.infiniteAt >= 0)
      throw new JsonError(
        this.tape.infiniteAt,
        `document ${this.count + 1}: the number is out of range of a 64-bit float`,
      );
    this.count += 1;
    this.#at = skipSpace(this.#bytes, this.end);
    return true;
  }

  #atEnd(): boolean {
    const bytes = this.#bytes;
    if (this.#isArray) return this.#atEndOfArray();
    if (this.#isSingle && this.count === 1) {
      if (this.#at < bytes.length)
        throw new JsonError(this.#at, 'expected the end of the text after the document');
      return true;
    }
    return !this.#isSingle && this.#at >= bytes.length;
  }

  #atEndOfArray(): boolean {
    const bytes = this.#bytes;
    if (bytes[this.#at] === CLOSE_BRACKET) {
      const after = skipSpace(bytes, this.#at + 1);
      if (after < bytes.length)
        throw new JsonError(after, 'expected the end of the text after the array of documents');
      return true;
    }
    if (this.count === 0) return false;
    if (bytes[this.#at] !== COMMA)
      throw new JsonError(this.#at, `expected \`,\` or \`]\` after document ${this.count}`);
    this.#at = skipSpace(bytes, this.#at + 1);
    return false;
  }
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isJsonSpace(bytes[at])) at += 1;
  return at;
}
