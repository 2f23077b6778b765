/**
 * CRC-32C (Castagnoli), eight bytes a step by the slicing tables. Used by every section of a
 * segment and by the id table.
 */

const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

function makeTables(): Uint32Array {
  const tables = new Uint32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let i = 256; i < tables.length; i++) {
    const previous = tables[i - 256]!;
    tables[i] = (previous >>> 8) ^ tables[previous & 0xff]!;
  }
  return tables;
}

const TABLES = makeTables();

/** Checksum of `bytes[start, end)`; pass an earlier result as `seed` to continue it. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, seed = 0): number {
  const tables = TABLES;
  let crc = ~seed;
  let at = start;
  for (const last = end - SLICES; at <= last; at += SLICES) {
    const low =
      crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      tables[1792 + (low & 0xff)]! ^
      tables[1536 + ((low >>> 8) & 0xff)]! ^
      tables[1280 + ((low >>> 16) & 0xff)]! ^
      tables[1024 + (low >>> 24)]! ^
      tables[768 + bytes[at + 4]!]! ^
      tables[512 + bytes[at + 5]!]! ^
      tables[256 + bytes[at + 6]!]! ^
      tables[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
