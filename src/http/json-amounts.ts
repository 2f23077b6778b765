/**
 * Counts the values of a JSON text while it arrives, so that a text with more than a body may hold is
 * refused before it is joined, scanned and parsed.
 */
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** 1 for the bytes `:`, `[` and `{`. */
const STRUCTURE = new Uint8Array(256);
for (const character of ':[{') STRUCTURE[character.charCodeAt(0)] = 1;
/** By how much a byte changes the number of open arrays and objects. */
const LEVELS = new Int8Array(256);
for (const character of '[{') LEVELS[character.charCodeAt(0)] = 1;
for (const character of ']}') LEVELS[character.charCodeAt(0)] = -1;

const tooMuch = (what: string): ApiError =>
  new ApiError(
    'payload_too_large',
    `The body holds more than the ${what} that this instance accepts in one.`,
  );

export class JsonAmounts {
  /** Chunks of a text that is too short to exceed a limit; empty once it is longer. */
  #short: Uint8Array[] = [];
  #bytes = 0;
  #isInString = false;
  /** Bytes of the next chunk that a backslash escapes: 0 or 1. */
  #skipped = 0;
  #commas = 0;
  #strings = 0;
  /** Arrays, objects and members. */
  #structures = 0;
  /** Open arrays and objects. */
  #level = 0;
  #deepest = 0;

  /** @param chunk must stay unchanged. @throws ApiError `payload_too_large` */
  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#short.push(chunk);
    if (this.#bytes <= limits.jsonStructuresMax) return;
    for (const each of this.#short.splice(0)) this.#count(each);
    const { jsonDepthMax, jsonStringsMax, jsonStructuresMax, jsonValuesMax } = limits;
    // The parser refuses the text at that level, before it has met all of its values.
    if (this.#deepest > jsonDepthMax) return;
    if (this.#structures > jsonStructuresMax)
      throw tooMuch(`${jsonStructuresMax} arrays, objects and members`);
    if (this.#strings > jsonStringsMax) throw tooMuch(`${jsonStringsMax} strings`);
    if (this.#commas + this.#structures > jsonValuesMax) throw tooMuch(`${jsonValuesMax} values`);
  }

  #count(bytes: Uint8Array): void {
    const { length } = bytes;
    let isInString = this.#isInString;
    let commas = 0;
    let strings = 0;
    let structures = 0;
    let level = this.#level;
    let deepest = this.#deepest;
    let at = this.#skipped;
    while (at < length) {
      const byte = bytes[at++] as number;
      if (isInString) {
        if (byte === BACKSLASH) at += 1;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === COMMA) commas += 1;
      else if (byte === QUOTE) {
        isInString = true;
        strings += 1;
      } else {
        structures += STRUCTURE[byte] as number;
        level += LEVELS[byte] as number;
        deepest = Math.max(deepest, level);
      }
    }
    this.#skipped = at - length;
    this.#isInString = isInString;
    this.#commas += commas;
    this.#strings += strings;
    this.#structures += structures;
    this.#level = level;
    this.#deepest = deepest;
  }
}
