/**
 * Sections of `_geo` and `_geojson`, which are read without copying: u32 × 4 header, then parts of f64,
 * then parts of u32, little-endian. The first number of the header is the format.
 */
import { assert } from '../../core/assert.ts';

const HEADER_WORDS = 4;
const HEADER_BYTES = HEADER_WORDS * 4;

type Header = readonly [format: number, number, number, number];

export function packSection(
  header: Header,
  floats: readonly Float64Array[],
  words: readonly ArrayLike<number>[],
): Uint8Array {
  const floatBytes = floats.reduce((sum, part) => sum + part.byteLength, 0);
  const wordCount = words.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(HEADER_BYTES + floatBytes + wordCount * 4);
  new Uint32Array(bytes.buffer, 0, HEADER_WORDS).set(header);
  let at = HEADER_BYTES;
  for (const part of floats) {
    new Float64Array(bytes.buffer, at, part.length).set(part);
    at += part.byteLength;
  }
  for (const part of words) {
    new Uint32Array(bytes.buffer, at, part.length).set(part);
    at += part.length * 4;
  }
  return bytes;
}

/**
 * The parts of a section. Throws a plain error when it is malformed.
 * @param content named in errors @param lengthsOf lengths of the parts by the header
 */
export function unpackSection(
  section: Uint8Array,
  content: string,
  format: number,
  lengthsOf: (header: Header) => {
    readonly floats: readonly number[];
    readonly words: readonly number[];
  },
): { readonly floats: readonly Float64Array[]; readonly words: readonly Uint32Array[] } {
  const { buffer, byteOffset, length } = section.byteOffset % 8 === 0 ? section : section.slice();
  assert(length >= HEADER_BYTES, `a section of ${content} has a header`);
  const header = new Uint32Array(buffer, byteOffset, HEADER_WORDS) as unknown as Header;
  assert(header[0] === format, `a section of ${content} is of a known format`);
  const lengths = lengthsOf(header);
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
  const expected = HEADER_BYTES + sum(lengths.floats) * 8 + sum(lengths.words) * 4;
  assert(length === expected, `a section of ${content} has its length`);
  let at = byteOffset + HEADER_BYTES;
  const floats = lengths.floats.map((count) => {
    at += count * 8;
    return new Float64Array(buffer, at - count * 8, count);
  });
  const words = lengths.words.map((count) => {
    at += count * 4;
    return new Uint32Array(buffer, at - count * 4, count);
  });
  return { floats, words };
}
