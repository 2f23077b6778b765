/**
 * The frame of a segment file: header, table of contents, sections, trailer. The content of a
 * section is described in its writer.
 *
 *   0    "GANNETSG"                            magic, 8 bytes
 *   8    u32 format version, u32 section count
 *   16   section count × entry                 ascending section numbers
 *          u32 section, u32 CRC-32C of the section, u32 offset low, u32 offset high, u32 length
 *          low, u32 length high
 *   …    u32 CRC-32C of all bytes before it, u32 zero
 *   …    sections, each at a multiple of 8, in table order, zero bytes between
 *   end  u32 file length low, u32 file length high, "GANNETND"      at a multiple of 8
 *
 * All integers are little-endian and sections are read as typed-array views, so big-endian
 * machines cannot open segments.
 */
import { CorruptionError } from '../../core/errors.ts';
import { crc32c } from '../bytes/crc32c.ts';
import { decodeUtf8 } from '../bytes/utf8.ts';

export const FORMAT_VERSION = 1;

/** Numbers of the sections; never reused. 24 to 27 were digests before 2026-12. */
export const Section = {
  meta: 1,
  fields: 2,
  shapes: 3,
  docIds: 4,
  documentShapes: 5,
  termText: 6,
  termGroups: 7,
  trieLabels: 8,
  trieInner: 9,
  postings: 10,
  postingOffsets: 11,
  fieldMasks: 12,
  wordCountLists: 13,
  wordCountIndex: 14,
  idText: 15,
  idOffsets: 16,
  idTable: 17,
  storedText: 18,
  storedOffsets: 19,
  storedTokens: 20,
  triePoints: 21,
  longCountLists: 22,
  longCountIndex: 23,
  storedSkips: 28,
  storedSkipOffsets: 29,
  forwardTerms: 30,
  forwardOffsets: 31,
  forwardCodes: 32,
  joinedWords: 33,
  joinedIndex: 34,
  joinedDocuments: 35,
  chunkGrams: 36,
  chunkGramLists: 37,
  digestRanges: 40,
  digestClasses: 41,
  digestOffsets: 42,
  digestLists: 43,
  pairWords: 44,
  pairIndex: 45,
  pairDocuments: 46,
} as const;
export type Section = (typeof Section)[keyof typeof Section];

const MAGIC = asciiBytes('GANNETSG');
const END_MAGIC = asciiBytes('GANNETND');
const ENTRY_BYTES = 24;
const HEADER_BYTES = 16;
const TRAILER_BYTES = 16;
const TWO_32 = 2 ** 32;

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const alignedTo8 = (length: number): number => Math.ceil(length / 8) * 8;

export type SectionData = Uint8Array | Uint16Array | Uint32Array;

const partsOf = (data: SectionData | readonly Uint8Array[]): readonly Uint8Array[] =>
  ArrayBuffer.isView(data) ? [new Uint8Array(data.buffer, data.byteOffset, data.byteLength)] : data;

/**
 * The parts of a file in order, given its sections in ascending order of their numbers, each as one
 * piece or in parts.
 * @param magic first 8 bytes: other kinds of files in the same frame have their own magic and
 * section numbers
 */
export function frameSections(
  sections: readonly (readonly [number, SectionData | readonly Uint8Array[]])[],
  magic = MAGIC,
): Uint8Array[] {
  const tableEnd = HEADER_BYTES + sections.length * ENTRY_BYTES;
  const header = new Uint8Array(tableEnd + 8);
  const view = new DataView(header.buffer);
  header.set(magic);
  view.setUint32(8, FORMAT_VERSION, true);
  view.setUint32(12, sections.length, true);
  const parts: Uint8Array[] = [header];
  let offset = header.length;
  for (const [index, [section, data]] of sections.entries()) {
    const sectionParts = partsOf(data);
    let length = 0;
    let checksum = 0;
    for (const part of sectionParts) {
      checksum = crc32c(part, 0, part.length, checksum);
      length += part.length;
      parts.push(part);
    }
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    view.setUint32(entry, section, true);
    view.setUint32(entry + 4, checksum, true);
    setUint64(view, entry + 8, offset);
    setUint64(view, entry + 16, length);
    const padded = alignedTo8(length);
    if (padded > length) parts.push(new Uint8Array(padded - length));
    offset += padded;
  }
  view.setUint32(tableEnd, crc32c(header, 0, tableEnd), true);
  const trailer = new Uint8Array(TRAILER_BYTES);
  setUint64(new DataView(trailer.buffer), 0, offset + TRAILER_BYTES);
  trailer.set(END_MAGIC, 8);
  parts.push(trailer);
  return parts;
}

function setUint64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % TWO_32, true);
  view.setUint32(at + 4, Math.floor(value / TWO_32), true);
}

const getUint64 = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * TWO_32;

interface SectionEntry {
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/** An opened frame: header, table and trailer are verified, sections are not. */
export class SegmentFrame {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly #entries = new Map<number, SectionEntry>();

  /** @param bytes the whole file; copied when it is not aligned to 8 bytes */
  constructor(file: string, bytes: Uint8Array, magic = MAGIC) {
    this.file = file;
    this.bytes = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    this.#readTable(magic);
  }

  #readTable(magic: Uint8Array): void {
    const { bytes } = this;
    const length = bytes.length;
    if (length < HEADER_BYTES + 8 + TRAILER_BYTES)
      throw this.#damageAt(0, 'a whole segment file', `${length} bytes`);
    this.#checkText(0, magic);
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    const version = view.getUint32(8, true);
    if (version !== FORMAT_VERSION)
      throw this.#damageAt(8, `format version ${FORMAT_VERSION}`, String(version));
    const count = view.getUint32(12, true);
    const tableEnd = HEADER_BYTES + count * ENTRY_BYTES;
    if (tableEnd + 8 + TRAILER_BYTES > length)
      throw this.#damageAt(12, 'a table within the file', `${count} sections`);
    this.#checkChecksum(0, tableEnd, view.getUint32(tableEnd, true));
    this.#checkText(length - 8, END_MAGIC);
    const written = getUint64(view, length - TRAILER_BYTES);
    if (written !== length)
      throw this.#damageAt(length - TRAILER_BYTES, `file length ${length}`, String(written));
    for (let entry = HEADER_BYTES; entry < tableEnd; entry += ENTRY_BYTES) {
      const offset = getUint64(view, entry + 8);
      const size = getUint64(view, entry + 16);
      if (offset % 8 !== 0 || offset + size > length - TRAILER_BYTES)
        throw this.#damageAt(entry, 'a section within the file', `${size} bytes at ${offset}`);
      this.#entries.set(view.getUint32(entry, true), {
        offset,
        length: size,
        checksum: view.getUint32(entry + 4, true),
      });
    }
  }

  #checkText(at: number, expected: Uint8Array): void {
    for (let i = 0; i < expected.length; i++) {
      if (this.bytes[at + i] === expected[i]) continue;
      const got = Array.from(this.bytes.subarray(at, at + expected.length), (byte) =>
        byte.toString(16),
      ).join(' ');
      throw this.#damageAt(at, String.fromCharCode(...expected), got);
    }
  }

  #checkChecksum(start: number, end: number, expected: number): void {
    const got = crc32c(this.bytes, start, end);
    if (got !== expected)
      throw this.#damageAt(start, `checksum ${expected.toString(16)}`, got.toString(16));
  }

  #entry(section: number): SectionEntry {
    const entry = this.#entries.get(section);
    if (entry === undefined)
      throw this.#damageAt(HEADER_BYTES, `section ${section}`, 'no such section');
    return entry;
  }

  has(section: number): boolean {
    return this.#entries.has(section);
  }

  damage(section: number, expected: string, got: string): CorruptionError {
    return this.#damageAt(this.#entry(section).offset, expected, got);
  }

  #damageAt(offset: number, expected: string, got: string): CorruptionError {
    return new CorruptionError(this.file, offset, expected, got);
  }

  section(section: number): Uint8Array {
    const { offset, length } = this.#entry(section);
    return this.bytes.subarray(offset, offset + length);
  }

  /** @param length expected number of words, when it is known */
  words(section: number, length?: number): Uint32Array {
    const { buffer, byteOffset } = this.bytes;
    const { offset, length: byteLength } = this.#entry(section);
    if (byteLength % 4 !== 0 || (length !== undefined && byteLength !== length * 4)) {
      const expected = `section ${section} of ${length ?? 'whole'} words`;
      throw this.#damageAt(offset, expected, `${byteLength} bytes`);
    }
    return new Uint32Array(buffer, byteOffset + offset, byteLength / 4);
  }

  /** A section of 16-bit numbers. */
  halfWords(section: number): Uint16Array {
    const { offset, length } = this.#entry(section);
    if (length % 2 !== 0)
      throw this.#damageAt(offset, `section ${section} of 16-bit numbers`, 'another');
    return new Uint16Array(this.bytes.buffer, this.bytes.byteOffset + offset, length / 2);
  }

  /** A section whose checksum is verified now: for sections that are parsed, not read as views. */
  checkedSection(section: number): Uint8Array {
    const { offset, length, checksum } = this.#entry(section);
    this.#checkChecksum(offset, offset + length, checksum);
    return this.section(section);
  }

  /** The value of a section of JSON, whose checksum is verified. */
  json(section: number): unknown {
    const bytes = this.checkedSection(section);
    return JSON.parse(decodeUtf8(bytes, 0, bytes.length));
  }

  /** Verifies every section, and that only zeros are between them. */
  verifyChecksums(): void {
    let end = HEADER_BYTES + this.#entries.size * ENTRY_BYTES + 4;
    for (const { offset, length, checksum } of this.#entries.values()) {
      this.#checkZeros(end, offset);
      this.#checkChecksum(offset, offset + length, checksum);
      end = offset + length;
    }
    this.#checkZeros(end, this.bytes.length - TRAILER_BYTES);
  }

  #checkZeros(start: number, end: number): void {
    for (let at = start; at < end; at++) {
      if (this.bytes[at] !== 0)
        throw this.#damageAt(at, 'padding of zeros', String(this.bytes[at]));
    }
  }
}
