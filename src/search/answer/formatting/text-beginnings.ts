/**
 * Finds prefixes of lemmas anywhere in a text: a lemma of plain ASCII is a substring of its
 * lower-cased text.
 */
import { encodeUtf8 } from '../../../engine/bytes/utf8.ts';

const PLAIN_MIN = 0x20;
const PLAIN_MAX = 0x7e;
const BACKSLASH = 0x5c;
/** A byte that needs a complete analysis of the text. */
const DOUBT = -1;

export class TextBeginnings {
  /**
   * For each byte, in either case: 0 = no prefix starts with it, `DOUBT`, or 1 + its index in the
   * lists.
   */
  readonly #places = new Int16Array(256);
  readonly #byFirst: SameFirstByte[] = [];

  constructor(beginnings: readonly string[]) {
    for (let byte = 0; byte < 256; byte++) {
      if (byte < PLAIN_MIN || byte > PLAIN_MAX || byte === BACKSLASH) this.#places[byte] = DOUBT;
    }
    for (const beginning of new Set(beginnings)) {
      const bytes = encodeUtf8(beginning);
      const [first] = bytes;
      if (first === undefined || this.#places[first] === DOUBT) continue;
      if (this.#places[first] === 0) {
        this.#places[first] = this.#byFirst.push({ seconds: new Uint8Array(256), beginnings: [] });
        if (lowerCased(first - 0x20) === first) this.#places[first - 0x20] = this.#places[first]!;
      }
      addBeginning(this.#byFirst[this.#places[first]! - 1]!, bytes);
    }
  }

  mayOccurIn(utf8: Uint8Array, start: number, end: number): boolean {
    const places = this.#places;
    for (let at = start; at < end; at++)
      if (places[utf8[at]!] !== 0 && this.beginsAt(utf8, at, end)) return true;
    return false;
  }

  /** True if the text at `at` may start with one of the prefixes. */
  beginsAt(utf8: Uint8Array, at: number, end: number): boolean {
    const place = this.#places[utf8[at]!]!;
    if (place <= 0) return place === DOUBT;
    const { seconds, beginnings } = this.#byFirst[place - 1]!;
    if (at + 1 < end && seconds[utf8[at + 1]!] === 0) return false;
    for (const bytes of beginnings) if (occursAt(bytes, utf8, at, end)) return true;
    return false;
  }
}

/** Prefixes with the same first byte. */
interface SameFirstByte {
  readonly beginnings: Uint8Array[];
  /** 1 for each byte that may follow, in either case. */
  readonly seconds: Uint8Array;
}

function addBeginning({ beginnings, seconds }: SameFirstByte, bytes: Uint8Array): void {
  beginnings.push(bytes);
  const second = bytes[1];
  if (second === undefined) {
    seconds.fill(1);
    return;
  }
  seconds[second] = 1;
  if (lowerCased(second - 0x20) === second) seconds[second - 0x20] = 1;
}

function occursAt(lower: Uint8Array, utf8: Uint8Array, at: number, end: number): boolean {
  if (at + lower.length > end) return false;
  for (let i = 1; i < lower.length; i++) if (lowerCased(utf8[at + i]!) !== lower[i]) return false;
  return true;
}

const lowerCased = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
