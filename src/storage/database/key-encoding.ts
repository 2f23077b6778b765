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
const utf8 = new TextEncoder();
const utf8Decoder = new TextDecoder();

export function encodeKey(...parts: readonly KeyPart[]): Uint8Array {
  const out: number[] = [];
  for (const part of parts) {
    if (typeof part === 'string') appendString(out, part);
    else appendNumber(out, part);
  }
  return Uint8Array.from(out);
}

function appendString(out: number[], text: string): void {
  out.push(STRING_TAG);
  for (const byte of utf8.encode(text)) {
    out.push(byte);
    if (byte === 0) out.push(0xff);
  }
  out.push(0);
}

function appendNumber(out: number[], value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`a number in a key must be an integer ≥ 0, not ${value}`);
  out.push(NUMBER_TAG);
  for (let shift = NUMBER_BYTES - 1; shift >= 0; shift--)
    out.push(Math.floor(value / 2 ** (8 * shift)) % 256);
}

export function decodeKey(key: Uint8Array): KeyPart[] {
  const parts: KeyPart[] = [];
  let at = 0;
  while (at < key.length) {
    const tag = key[at++];
    if (tag === NUMBER_TAG) {
      let value = 0;
      for (const byte of key.subarray(at, at + NUMBER_BYTES)) value = value * 256 + byte;
      parts.push(value);
      at += NUMBER_BYTES;
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
      if (key[at] !== 0xff) return { text: utf8Decoder.decode(Uint8Array.from(bytes)), end: at };
      at++;
    }
    bytes.push(byte);
  }
}

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
