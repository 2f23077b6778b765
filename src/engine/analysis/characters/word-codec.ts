/** Converts short runs of UTF-8 to strings and back, without the cost of a TextDecoder call. */
import { decodeUtf8, writeCodePoint } from '../../bytes/utf8.ts';

const SHORT_BYTES = 48;

/**
 * Number of bytes that a sequence beginning with `lead` has; 1 for a byte that cannot begin one.
 */
export function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

const REPLACEMENT = 0xfffd;

/**
 * Code point of the sequence at `at`; U+FFFD when it is cut off by `end` or begins with a
 * continuation byte.
 */
export function codePointOrReplacement(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return lead;
  if (lead < 0xc0 || at + sequenceLength(lead) > end) return REPLACEMENT;
  if (lead < 0xe0) return ((lead & 31) << 6) | (bytes[at + 1]! & 63);
  if (lead < 0xf0)
    return ((lead & 15) << 12) | ((bytes[at + 1]! & 63) << 6) | (bytes[at + 2]! & 63);
  const codePoint =
    ((lead & 7) << 18) |
    ((bytes[at + 1]! & 63) << 12) |
    ((bytes[at + 2]! & 63) << 6) |
    (bytes[at + 3]! & 63);
  return codePoint > 0x10ffff ? REPLACEMENT : codePoint;
}

/** Keeps a byte-order mark; replaces malformed UTF-8 by U+FFFD. */
export function decodeShortUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT_BYTES) return decodeUtf8(bytes, start, end);
  let text = '';
  for (let at = start; at < end; at += sequenceLength(bytes[at]!)) {
    text += String.fromCodePoint(codePointOrReplacement(bytes, at, end));
  }
  return text;
}

/** UTF-8 length of one code point. */
const byteLengthOf = (codePoint: number): number => {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
};

export function utf8Length(text: string, start: number, end: number): number {
  let length = 0;
  for (let i = start; i < end; i++) {
    const codePoint = text.codePointAt(i)!;
    length += byteLengthOf(codePoint);
    if (codePoint > 0xffff) i++;
  }
  return length;
}

/** UTF-16 units of well-formed UTF-8. */
export function utf16Length(utf8: Uint8Array, start: number, end: number): number {
  let length = 0;
  for (let i = start; i < end; i++) {
    if ((utf8[i]! & 0xc0) !== 0x80) length++;
    if (utf8[i]! >= 0xf0) length++;
  }
  return length;
}

/**
 * Writes `text` to `target` from `at`; returns the bytes written, or −1 when it takes more than
 * `bytesMax`.
 */
export function writeUtf8(text: string, target: Uint8Array, at: number, bytesMax: number): number {
  if (text.length > bytesMax) return -1;
  let out = at;
  for (let i = 0; i < text.length; i++) {
    const codePoint = text.codePointAt(i)!;
    if (out + byteLengthOf(codePoint) - at > bytesMax) return -1;
    if (codePoint > 0xffff) i++;
    out = writeCodePoint(codePoint, target, out);
  }
  return out - at;
}
