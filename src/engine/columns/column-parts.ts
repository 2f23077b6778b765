/**
 * The bytes of one column: parts at multiples of 8, found by a table in front.
 *
 *   u32 × 2 × PART_COUNT   offset and byte length of each part; both 0 when it is empty
 *   …                      the parts, in order, zero bytes between
 */
import { assert } from '../../core/assert.ts';

export type NumberArray = Uint8Array | Uint16Array | Uint32Array;
export type PartData = NumberArray | Float64Array;

export const Part = {
  /**
   * u32: numbers, layout of their rows, strings, layout of their rows, bytes of a spelling choice.
   */
  meta: 0,
  existing: 1,
  nulls: 2,
  empties: 3,
  numbers: 4,
  numberRows: 5,
  numberStarts: 6,
  numberOrdinals: 7,
  numberOffsets: 8,
  numberRanks: 9,
  stringRows: 10,
  stringStarts: 11,
  stringOrdinals: 12,
  stringOffsets: 13,
  stringRanks: 14,
  textGroups: 15,
  text: 16,
  spellingGroups: 17,
  spellings: 18,
  spellingChoices: 19,
} as const;
export type Part = (typeof Part)[keyof typeof Part];

const PART_COUNT = 20;
const TABLE_BYTES = PART_COUNT * 8;

const alignedTo8 = (length: number): number => (length + 7) & ~7;

export function columnBytes(parts: ReadonlyMap<Part, PartData>): Uint8Array {
  let length = TABLE_BYTES;
  for (const data of parts.values()) length += alignedTo8(data.byteLength);
  const bytes = new Uint8Array(length);
  const table = new Uint32Array(bytes.buffer, 0, PART_COUNT * 2);
  let at = TABLE_BYTES;
  for (let part = 0; part < PART_COUNT; part++) {
    const data = parts.get(part as Part);
    if (data === undefined || data.byteLength === 0) continue;
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    table[part * 2] = at;
    table[part * 2 + 1] = data.byteLength;
    at += alignedTo8(data.byteLength);
  }
  return bytes;
}

export class ColumnParts {
  readonly #bytes: Uint8Array;
  readonly #table: Uint32Array;

  /** Throws a plain error when the parts do not lie within the bytes. */
  constructor(bytes: Uint8Array) {
    assert(bytes.length >= TABLE_BYTES, 'a column has a table of its parts');
    this.#bytes = bytes;
    this.#table = new Uint32Array(bytes.buffer, bytes.byteOffset, PART_COUNT * 2);
    for (let part = 0; part < PART_COUNT; part++) {
      const start = this.#table[part * 2]!;
      const inside = start % 8 === 0 && start + this.#table[part * 2 + 1]! <= bytes.length;
      assert(inside, `part ${part} of a column lies within it`);
    }
  }

  bytes(part: Part): Uint8Array {
    const start = this.#table[part * 2]!;
    return this.#bytes.subarray(start, start + this.#table[part * 2 + 1]!);
  }

  words(part: Part): Uint32Array {
    return this.#view(part, 4) as Uint32Array;
  }

  floats(part: Part): Float64Array {
    const bytes = this.bytes(part);
    assert(bytes.length % 8 === 0, `part ${part} of a column has whole numbers`);
    return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  }

  /** Elements just wide enough for `max`. */
  numbers(part: Part, max: number): NumberArray {
    return this.#view(part, widthFor(max));
  }

  #view(part: Part, width: number): NumberArray {
    const bytes = this.bytes(part);
    assert(bytes.length % width === 0, `part ${part} of a column has whole numbers`);
    if (width === 1) return bytes;
    const length = bytes.length / width;
    return width === 2
      ? new Uint16Array(bytes.buffer, bytes.byteOffset, length)
      : new Uint32Array(bytes.buffer, bytes.byteOffset, length);
  }
}

const widthFor = (max: number): 1 | 2 | 4 => (max <= 0xff ? 1 : max <= 0xffff ? 2 : 4);

/** Array for numbers up to `max`. */
export function numberArray(length: number, max: number): NumberArray {
  const width = widthFor(max);
  if (width === 1) return new Uint8Array(length);
  return width === 2 ? new Uint16Array(length) : new Uint32Array(length);
}
