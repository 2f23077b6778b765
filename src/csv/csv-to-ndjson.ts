/** Converts CSV (RFC 4180 with typed headers) to NDJSON, bytes to bytes, in bounded chunks. */
import { isDecimal } from '../core/decimal-text.ts';
import { doubled } from '../core/doubled.ts';
import { limits } from '../core/limits.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { utf8SequenceLength } from '../engine/bytes/utf8.ts';
import { JsonError } from '../engine/json/json-error.ts';
import { numberText } from '../engine/json/number-text.ts';

/** Malformed CSV; the reason names the row. */
export class CsvError extends JsonError {}

type ColumnType = 'string' | 'number' | 'boolean';
interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** `"name":` as JSON. */
  readonly prefix: Uint8Array;
}

const CHUNK_BYTES = 1 << 20;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NULL_TEXT = 'null';
const SIGNED_MIN = -(2n ** 63n);
const SIGNED_MAX = 2n ** 63n - 1n;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const utf8 = new TextEncoder();
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const NOT_FINITE = /^[+-]?(nan|inf|infinity)$/i;
const WHOLE = /^[+-]?\d+$/;
/** An integer, so 0; as JSON it would be the float −0. */
const NEGATIVE_ZERO = '-0';
/**
 * Longer digits cannot be 64-bit integers unless they have leading zeros; they are read as floats.
 */
const INTEGER_LENGTH_MAX = 40;

/**
 * @param delimiter one ASCII character's code
 * @param write receives the NDJSON in order; each chunk is valid during the call only
 * @param rowsBefore rows of the file between the header and the next row of `bytes`, for messages
 * @returns number of documents
 * @throws CsvError naming the row; the header is row 1
 */
export function convertCsv(
  bytes: Uint8Array,
  delimiter: number,
  write: (chunk: Uint8Array) => void,
  rowsBefore = 0,
): number {
  const rows = new CsvReader(bytes, delimiter);
  if (!rows.next()) return 0;
  const columns = readHeader(rows);
  rows.row += rowsBefore;
  const out = new ByteBuffer();
  let documents = 0;
  while (rows.next()) {
    if (rows.cellCount !== columns.length) {
      throw new CsvError(
        rows.rowStart,
        `row ${rows.row} has ${rows.cellCount} cells, the header has ${columns.length}`,
      );
    }
    out.pushByte(0x7b);
    for (let i = 0; i < columns.length; i++) {
      if (i > 0) out.pushByte(0x2c);
      const column = columns[i]!;
      out.pushRange(column.prefix, 0, column.prefix.length);
      writeCell(rows, i, column, out);
    }
    out.pushByte(0x7d);
    out.pushByte(LINE_FEED);
    documents += 1;
    if (out.length >= CHUNK_BYTES) {
      write(out.view());
      out.clear();
    }
  }
  if (out.length > 0) write(out.view());
  return documents;
}

function readHeader(rows: CsvReader): Column[] {
  const columns: Column[] = [];
  for (let i = 0; i < rows.cellCount; i++) {
    rows.requireText(i);
    const header = decoder.decode(rows.cell(i));
    const typed = /^(.*):(string|number|boolean)$/s.exec(header);
    const name = typed?.[1] ?? header;
    columns.push({
      name,
      type: (typed?.[2] ?? 'string') as ColumnType,
      prefix: utf8.encode(`${JSON.stringify(name)}:`),
    });
  }
  return columns;
}

function writeCell(rows: CsvReader, index: number, column: Column, out: ByteBuffer): void {
  const cell = rows.cell(index);
  if (cell.length === 0) {
    out.pushText(NULL_TEXT);
  } else if (column.type === 'string') {
    rows.requireText(index);
    writeString(cell, out);
  } else {
    const text = decoder.decode(cell).trim();
    const value = column.type === 'number' ? numberCell(text) : booleanCell(text);
    if (value === null) {
      throw new CsvError(
        rows.rowStart,
        `row ${rows.row}: ${JSON.stringify(text.slice(0, 100))} in column \`${column.name}\` is no ${column.type}`,
      );
    }
    out.pushText(value);
  }
}

const booleanCell = (text: string): string | null => {
  if (text === '') return NULL_TEXT;
  return text === 'true' || text === 'false' ? text : null;
};

/**
 * The number as JSON text, or null when the text is not a number. JSON has no infinity and no NaN:
 * they are JSON null.
 */
function numberCell(text: string): string | null {
  if (text === '' || NOT_FINITE.test(text)) return NULL_TEXT;
  if (JSON_NUMBER.test(text) && text !== NEGATIVE_ZERO)
    return Number.isFinite(Number(text)) ? text : NULL_TEXT;
  if (!isDecimal(text)) return null;
  if (WHOLE.test(text) && text.length <= INTEGER_LENGTH_MAX) {
    const value = BigInt(text.replace('+', ''));
    if (value >= SIGNED_MIN && value <= SIGNED_MAX) return String(value);
  }
  const value = Number(text);
  return Number.isFinite(value) ? numberText(`${value}`) : NULL_TEXT;
}

function writeString(cell: Uint8Array, out: ByteBuffer): void {
  out.reserve(cell.length + 2);
  out.pushByte(QUOTE);
  for (let i = 0; i < cell.length; i++) {
    const byte = cell[i]!;
    if (byte === QUOTE || byte === 0x5c) {
      out.pushByte(0x5c);
      out.pushByte(byte);
    } else if (byte < 0x20) {
      out.pushText(JSON.stringify(String.fromCharCode(byte)).slice(1, -1));
    } else {
      out.pushByte(byte);
    }
  }
  out.pushByte(QUOTE);
}

/** Cuts CSV into rows of cells, quotes resolved; rows without any character are skipped. */
class CsvReader {
  /** Number of the current row, counted from 1, blank rows left out. */
  row = 0;
  rowStart = 0;
  cellCount = 0;
  readonly #bytes: Uint8Array;
  readonly #delimiter: number;
  readonly #text = new ByteBuffer();
  #cellEnds = new Uint32Array(64);
  #at: number;

  constructor(bytes: Uint8Array, delimiter: number) {
    this.#bytes = bytes;
    this.#delimiter = delimiter;
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  cell(index: number): Uint8Array {
    return this.#text.bytes.subarray(
      index === 0 ? 0 : this.#cellEnds[index - 1]!,
      this.#cellEnds[index]!,
    );
  }

  requireText(index: number): void {
    const cell = this.cell(index);
    for (let at = 0; at < cell.length; ) {
      const length = cell[at]! < 0x80 ? 1 : utf8SequenceLength(cell, at, cell.length);
      if (length === 0)
        throw new CsvError(this.rowStart, `row ${this.row}: cell ${index + 1} is not valid UTF-8`);
      at += length;
    }
  }

  next(): boolean {
    const bytes = this.#bytes;
    while (
      this.#at < bytes.length &&
      (bytes[this.#at] === LINE_FEED || bytes[this.#at] === CARRIAGE_RETURN)
    )
      this.#at += 1;
    if (this.#at >= bytes.length) return false;
    this.row += 1;
    this.rowStart = this.#at;
    this.cellCount = 0;
    this.#text.clear();
    while (this.#readCell()) this.#at += 1;
    return true;
  }

  /** Reads one cell; true when a delimiter follows it. @throws CsvError */
  #readCell(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    if (bytes[at] === QUOTE) at = this.#readQuoted(at);
    const start = at;
    while (
      at < bytes.length &&
      bytes[at] !== this.#delimiter &&
      bytes[at] !== LINE_FEED &&
      bytes[at] !== CARRIAGE_RETURN
    )
      at += 1;
    this.#text.pushRange(bytes, start, at);
    this.#at = at;
    if (this.cellCount === limits.fieldsPerIndexMax)
      throw new CsvError(
        this.rowStart,
        `row ${this.row} has more than ${limits.fieldsPerIndexMax} cells, the maximum of field names of an index`,
      );
    if (this.cellCount === this.#cellEnds.length) this.#cellEnds = doubled(this.#cellEnds);
    this.#cellEnds[this.cellCount++] = this.#text.length;
    return at < bytes.length && bytes[at] === this.#delimiter;
  }

  /** Appends the text between quotes; returns the offset after the closing one. */
  #readQuoted(from: number): number {
    const bytes = this.#bytes;
    let at = from + 1;
    for (;;) {
      const quote = bytes.indexOf(QUOTE, at);
      if (quote < 0)
        throw new CsvError(
          from,
          `row ${this.row}: the quoted cell ${this.cellCount + 1} does not end`,
        );
      this.#text.pushRange(bytes, at, quote);
      if (bytes[quote + 1] !== QUOTE) return quote + 1;
      this.#text.pushByte(QUOTE);
      at = quote + 2;
    }
  }
}
