/**
 * Rows of stored vectors, all of one length in bytes; dimensions are padded to a multiple of 8
 * with zeros:
 *
 *   float   f32 × dimensions
 *   byte    f32 step, i8 × dimensions; value = i8 × step
 *   bit     u32 × dimensions / 32 rounded up; bit `i & 31` of word `i >>> 5` = value i is > 0
 *
 * A byte is positive if and only if its value was.
 */
import type { VectorPrecision } from './vectors.ts';

const BYTE_MAX = 127;

/** Dimensions of a row of floats or bytes. */
export const rowDimensions = (dimensions: number): number => Math.ceil(dimensions / 8) * 8;

export function rowBytesOf(precision: VectorPrecision, dimensions: number): number {
  switch (precision) {
    case 'float':
      return rowDimensions(dimensions) * 4;
    case 'byte':
      return 4 + rowDimensions(dimensions);
    case 'bit':
      return Math.ceil(dimensions / 32) * 4;
  }
}

/** Writes `vector` as the row that starts at `at`, a multiple of 4; its bytes are zero before. */
export function writeRow(
  precision: VectorPrecision,
  vector: Float32Array,
  into: Uint8Array,
  at: number,
): void {
  const start = into.byteOffset + at;
  if (precision === 'float') new Float32Array(into.buffer, start, vector.length).set(vector);
  else if (precision === 'byte') writeByteRow(vector, into, at);
  else writeBits(vector, new Uint32Array(into.buffer, start, Math.ceil(vector.length / 32)));
}

function writeByteRow(vector: Float32Array, into: Uint8Array, at: number): void {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const step = Math.fround(largest / BYTE_MAX);
  new Float32Array(into.buffer, into.byteOffset + at, 1)[0] = step;
  const levels = new Int8Array(into.buffer, into.byteOffset + at + 4, vector.length);
  if (step === 0) return;
  for (let i = 0; i < vector.length; i++) {
    const level = Math.round(vector[i]! / step);
    levels[i] = vector[i]! > 0 ? Math.min(BYTE_MAX, Math.max(1, level)) : level;
  }
}

/** The signs of `vector` as a row of bits; `words` are zero before. */
export function writeBits(vector: Float32Array, words: Uint32Array): void {
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) words[i >>> 5]! |= 1 << (i & 31);
}

/** Read access to rows, without copying. */
export class VectorRows {
  readonly precision: VectorPrecision;
  readonly dimensions: number;
  readonly rowBytes: number;
  readonly bytes: Uint8Array;
  /** The rows as words: a row starts at ordinal × `rowWords`. */
  readonly words: Uint32Array;
  readonly rowWords: number;

  /** @param bytes starts at a multiple of 4 of its buffer */
  constructor(precision: VectorPrecision, dimensions: number, bytes: Uint8Array) {
    this.precision = precision;
    this.dimensions = dimensions;
    this.rowBytes = rowBytesOf(precision, dimensions);
    this.bytes = bytes;
    this.rowWords = this.rowBytes / 4;
    this.words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }

  /** The bytes of `count` rows from `ordinal` on. */
  rowsAt(ordinal: number, count: number): Uint8Array {
    return this.bytes.subarray(ordinal * this.rowBytes, (ordinal + count) * this.rowBytes);
  }

  /** The vector as floats, without the zeros above its dimensions. */
  read(ordinal: number, into: Float32Array): void {
    const start = this.bytes.byteOffset + ordinal * this.rowBytes;
    const { buffer } = this.bytes;
    if (this.precision === 'float') {
      into.set(new Float32Array(buffer, start, this.dimensions));
    } else if (this.precision === 'byte') {
      const step = new Float32Array(buffer, start, 1)[0]!;
      const levels = new Int8Array(buffer, start + 4, this.dimensions);
      for (let i = 0; i < this.dimensions; i++) into[i] = levels[i]! * step;
    } else {
      const first = ordinal * this.rowWords;
      for (let i = 0; i < this.dimensions; i++)
        into[i] = (this.words[first + (i >>> 5)]! >>> (i & 31)) & 1;
    }
  }
}
