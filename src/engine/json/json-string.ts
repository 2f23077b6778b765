/** Reads string nodes of a tape: their text without escapes, and comparison with known names. */

import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { decodeUtf8, encodeUtf8, writeCodePoint } from '../bytes/utf8.ts';
import { ESCAPED, type JsonTape } from './json-tape.ts';

const REPLACEMENT = 0xfffd;

const hexValue = (byte: number): number => (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);

function codeUnit(bytes: Uint8Array, at: number): number {
  return (
    (hexValue(bytes[at]!) << 12) |
    (hexValue(bytes[at + 1]!) << 8) |
    (hexValue(bytes[at + 2]!) << 4) |
    hexValue(bytes[at + 3]!)
  );
}

function pushCodePoint(out: ByteBuffer, point: number): void {
  out.reserve(4);
  out.length = writeCodePoint(point, out.bytes, out.length);
}

/**
 * Appends the character of the `\u` escape whose digits start at `at`; returns the offset after it,
 * or after both of a pair.
 */
function pushUnicodeEscape(bytes: Uint8Array, at: number, end: number, out: ByteBuffer): number {
  const unit = codeUnit(bytes, at);
  if (unit < 0xd800 || unit > 0xdfff) {
    pushCodePoint(out, unit);
    return at + 4;
  }
  if (unit < 0xdc00 && at + 10 <= end && bytes[at + 4] === 0x5c && bytes[at + 5] === 0x75) {
    const low = codeUnit(bytes, at + 6);
    if (low >= 0xdc00 && low <= 0xdfff) {
      pushCodePoint(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
      return at + 10;
    }
  }
  pushCodePoint(out, REPLACEMENT);
  return at + 4;
}

const simpleEscape = (letter: number): number => {
  if (letter === 0x6e) return 0x0a;
  if (letter === 0x74) return 0x09;
  if (letter === 0x72) return 0x0d;
  if (letter === 0x62) return 0x08;
  return letter === 0x66 ? 0x0c : letter;
};

/**
 * Appends the UTF-8 text of checked string content `[start, end)` (without its quotes); lone
 * surrogates become U+FFFD.
 */
export function unescapeInto(bytes: Uint8Array, start: number, end: number, out: ByteBuffer): void {
  let at = start;
  while (at < end) {
    let plain = at;
    while (plain < end && bytes[plain] !== 0x5c) plain += 1;
    out.pushRange(bytes, at, plain);
    if (plain === end) return;
    const letter = bytes[plain + 1]!;
    if (letter === 0x75) {
      at = pushUnicodeEscape(bytes, plain + 2, end, out);
    } else {
      out.pushByte(simpleEscape(letter));
      at = plain + 2;
    }
  }
}

/** Escapes by byte: 0 = none, 1 = `\\u00…`, else the letter behind the backslash. */
const ESCAPES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const escaped = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
  if (escaped.length === 1) return 0;
  return escaped.length === 2 ? escaped.charCodeAt(1) : 1;
});
const HEX = encodeUtf8('0123456789abcdef');
const UNICODE_ESCAPE = encodeUtf8('\\u00');

/** Appends the UTF-8 text `[start, end)` as the inside of a JSON string, as `JSON.stringify` does. */
export function escapeInto(utf8: Uint8Array, start: number, end: number, out: ByteBuffer): void {
  let written = start;
  for (let at = start; at < end; at++) {
    const letter = ESCAPES[utf8[at]!]!;
    if (letter === 0) continue;
    out.pushRange(utf8, written, at);
    written = at + 1;
    if (letter === 1) {
      out.pushBytes(UNICODE_ESCAPE);
      out.pushByte(HEX[utf8[at]! >> 4]!);
      out.pushByte(HEX[utf8[at]! & 15]!);
    } else {
      out.pushByte(0x5c);
      out.pushByte(letter);
    }
  }
  out.pushRange(utf8, written, end);
}

/** The text of a string node. */
export function stringText(tape: JsonTape, node: number): string {
  const { bytes } = tape;
  const start = tape.start(node);
  const end = tape.end(node);
  if ((tape.flags(node) & ESCAPED) === 0) return decodeUtf8(bytes, start + 1, end - 1);
  const text = new ByteBuffer();
  unescapeInto(bytes, start + 1, end - 1, text);
  return decodeUtf8(text.bytes, 0, text.length);
}

const scratch = new ByteBuffer();

/** True when the string node's text is `name` (UTF-8). */
export function stringEquals(tape: JsonTape, node: number, name: Uint8Array): boolean {
  const start = tape.start(node) + 1;
  const end = tape.end(node) - 1;
  if ((tape.flags(node) & ESCAPED) !== 0) {
    scratch.clear();
    unescapeInto(tape.bytes, start, end, scratch);
    return rangeEquals(scratch.bytes, 0, scratch.length, name);
  }
  return rangeEquals(tape.bytes, start, end, name);
}

export function rangeEquals(
  bytes: Uint8Array,
  start: number,
  end: number,
  other: Uint8Array,
): boolean {
  const length = end - start;
  if (length !== other.length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== other[i]) return false;
  return true;
}
