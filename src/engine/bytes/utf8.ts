/**
 * UTF-8 at the level of single code points, and text of whole byte runs. A malformed byte is a
 * character of its own.
 */

/** Malformed bytes become U+DC00 + byte, which no well-formed text holds, and count as one byte. */
const MALFORMED = 0xdc00;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

export function codePointAt(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return first;
  if (first >= 0xc2 && first < 0xe0) {
    if (at + 1 < end && isContinuation(bytes[at + 1]!))
      return ((first & 0x1f) << 6) | (bytes[at + 1]! & 0x3f);
  } else if (first >= 0xe0 && first < 0xf0) return threeBytePoint(bytes, at, end);
  else if (first >= 0xf0 && first < 0xf5) return fourBytePoint(bytes, at, end);
  return MALFORMED | first;
}

function threeBytePoint(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (at + 2 >= end) return MALFORMED | first;
  const [b, c] = [bytes[at + 1]!, bytes[at + 2]!];
  if (!isContinuation(b) || !isContinuation(c)) return MALFORMED | first;
  const point = ((first & 0x0f) << 12) | ((b & 0x3f) << 6) | (c & 0x3f);
  return point >= 0x800 && (point < 0xd800 || point > 0xdfff) ? point : MALFORMED | first;
}

function fourBytePoint(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (at + 3 >= end) return MALFORMED | first;
  const [b, c, d] = [bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!];
  if (!isContinuation(b) || !isContinuation(c) || !isContinuation(d)) return MALFORMED | first;
  const point = ((first & 0x07) << 18) | ((b & 0x3f) << 12) | ((c & 0x3f) << 6) | (d & 0x3f);
  return point >= 0x10000 && point <= 0x10ffff ? point : MALFORMED | first;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Bytes that `codePointAt` consumed for this result. */
export function codePointBytes(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  if (point >= 0x10000) return 4;
  return point >= 0xd800 && point <= 0xdfff ? 1 : 3;
}

/** Writes the code point to `target` at `at`; returns the place after it. */
export function writeCodePoint(codePoint: number, target: Uint8Array, at: number): number {
  let out = at;
  if (codePoint < 0x80) {
    target[out++] = codePoint;
    return out;
  }
  if (codePoint < 0x800) {
    target[out++] = 0xc0 | (codePoint >> 6);
  } else {
    if (codePoint < 0x10000) {
      target[out++] = 0xe0 | (codePoint >> 12);
    } else {
      target[out++] = 0xf0 | (codePoint >> 18);
      target[out++] = 0x80 | ((codePoint >> 12) & 63);
    }
    target[out++] = 0x80 | ((codePoint >> 6) & 63);
  }
  target[out++] = 0x80 | (codePoint & 63);
  return out;
}

/** Length of the sequence at `at`, whose first byte is ≥ 0x80; 0 when it is not well formed. */
export function utf8SequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (first < 0xe0) return first >= 0xc2 && at + 1 < end && isContinuation(bytes[at + 1]!) ? 2 : 0;
  const second = bytes[at + 1]!;
  if (at + 2 >= end || !isContinuation(second) || !isContinuation(bytes[at + 2]!)) return 0;
  if (!mayFollow(first, second)) return 0;
  if (first < 0xf0) return 3;
  return first <= 0xf4 && at + 3 < end && isContinuation(bytes[at + 3]!) ? 4 : 0;
}

/**
 * Whether `second` may follow the first byte of a long sequence: the sequence is not overlong, not
 * a surrogate, and not beyond U+10FFFF.
 */
function mayFollow(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second <= 0x9f;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second <= 0x8f;
}

export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** Ascending order of bytes; a prefix sorts first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
