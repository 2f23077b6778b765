/**
 * Order-preserving keys: tuples of strings and whole numbers whose bytes compare like the tuples.
 *
 *   string   0x01, UTF-8 bytes with 00 written as 00 FF, then 00        (code point order; a prefix sorts first)
 *   number   0x02, 7 bytes big-endian                                   (0 … 2⁵³−1)
 *
 * A string sorts before a number at the same place.
 */

export type KeyPart = string | number;

const STRING_TAG = 1;
const NUMBER_TAG = 2;
const NUMBER_BYTES = 7;
const ASCII_MAX = 0x7f;
const utf8 = new TextEncoder();
const utf8Decoder = new TextDecoder();

export function encodeKey(...parts: readonly KeyPart[]): Uint8Array {
  const out: number[] = [];
  for (const part of parts) {
    if (typeof part === 'string') appendString(out, part);
    else appendNumber(out, part);
  }
  return new Uint8Array(out);
}

function appendString(out: number[], text: string): void {
  out.push(STRING_TAG);
  // Names of kinds are ASCII; an encoder takes longer than they do.
  let at = 0;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0 || code > ASCII_MAX) break;
    out.push(code);
  }
  if (at < text.length)
    for (const byte of utf8.encode(text.slice(at))) {
      out.push(byte);
      if (byte === 0) out.push(0xff);
    }
  out.push(0);
}

function appendNumber(out: number[], value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`a number in a key must be an integer ≥ 0, not ${value}`);
  const high = Math.floor(value / 2 ** 32);
  out.push(NUMBER_TAG, (high >>> 16) & 0xff, (high >>> 8) & 0xff, high & 0xff);
  out.push((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

export function decodeKey(key: Uint8Array): KeyPart[] {
  const parts: KeyPart[] = [];
  let at = 0;
  while (at < key.length) {
    const tag = key[at++];
    if (tag === NUMBER_TAG) {
      let value = 0;
      const end = Math.min(at + NUMBER_BYTES, key.length);
      for (; at < end; at++) value = value * 256 + (key[at] as number);
      parts.push(value);
    } else if (tag === STRING_TAG) {
      const { text, end } = readString(key, at);
      parts.push(text);
      at = end;
    } else {
      throw new RangeError(`unknown tag ${tag} in a key`);
    }
  }
  return parts;
}

function readString(key: Uint8Array, start: number): { text: string; end: number } {
  const bytes: number[] = [];
  let at = start;
  for (;;) {
    const byte = key[at++];
    if (byte === undefined) throw new RangeError('a key ends within a string');
    if (byte === 0) {
      if (key[at] !== 0xff) return { text: textOf(bytes), end: at };
      at++;
    }
    bytes.push(byte);
  }
}

const textOf = (bytes: readonly number[]): string =>
  bytes.every((byte) => byte <= ASCII_MAX)
    ? String.fromCharCode(...bytes)
    : utf8Decoder.decode(new Uint8Array(bytes));

/** The range of all keys that begin with these parts and have more parts. */
export function keyRange(...parts: readonly KeyPart[]): { gte: Uint8Array; lt: Uint8Array } {
  const prefix = encodeKey(...parts);
  return { gte: prefix, lt: Uint8Array.from([...prefix, 0xff]) };
}

/** Byte order, the sort order of the store. */
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
