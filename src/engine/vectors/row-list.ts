/** A growable list of stored vectors (vector-rows.ts) in parts: growing copies nothing. */
import { rowBytesOf, VectorRows, writeRow } from './vector-rows.ts';
import type { VectorSpace } from './vectors.ts';

/** Parts that this list fills are of about this size. */
const PART_BYTES = 1 << 20;
/** Rows from elsewhere of at least this size are stored as a view, not copied. */
const VIEW_BYTES_MIN = 1 << 16;

interface Part {
  /** Ordinal of its first row. */
  readonly start: number;
  readonly rows: VectorRows;
}

export class RowList {
  readonly #space: VectorSpace;
  readonly #rowBytes: number;
  readonly #rowsInPart: number;
  readonly #parts: Part[] = [];
  /** Rows written in the last part; all other parts are full. */
  #inLast = 0;
  #ownBytes = 0;

  constructor(space: VectorSpace) {
    this.#space = space;
    this.#rowBytes = rowBytesOf(space.precision, space.dimensions);
    this.#rowsInPart = Math.max(1, Math.floor(PART_BYTES / this.#rowBytes));
  }

  get count(): number {
    return (this.#parts.at(-1)?.start ?? 0) + this.#inLast;
  }

  /** Bytes that the list owns. */
  get memoryBytes(): number {
    return this.#ownBytes;
  }

  add(vector: Float32Array): void {
    const at = this.#nextRow();
    writeRow(this.#space.precision, vector, this.#parts.at(-1)!.rows.bytes, at);
  }

  /** Whole rows of the list's space; large runs are kept as a view and must not change. */
  addRows(rows: Uint8Array): void {
    const count = rows.length / this.#rowBytes;
    if (rows.length >= VIEW_BYTES_MIN) {
      this.#trimLast();
      this.#addPart(rows);
      this.#inLast = count;
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = rows.subarray(i * this.#rowBytes, (i + 1) * this.#rowBytes);
      const at = this.#nextRow();
      this.#parts.at(-1)!.rows.bytes.set(row, at);
    }
  }

  read(ordinal: number, into: Float32Array): void {
    let low = 0;
    for (let high = this.#parts.length; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      if (this.#parts[middle]!.start <= ordinal) low = middle;
      else high = middle;
    }
    const { start, rows } = this.#parts[low]!;
    rows.read(ordinal - start, into);
  }

  /** The rows' bytes in order. */
  parts(): Uint8Array[] {
    this.#trimLast();
    return this.#parts.map(({ rows }) => rows.bytes);
  }

  /** Makes room for a row in the last part and returns its offset there in bytes. */
  #nextRow(): number {
    const last = this.#parts.at(-1);
    if (last === undefined || (this.#inLast + 1) * this.#rowBytes > last.rows.bytes.length) {
      const bytes = new Uint8Array(this.#rowsInPart * this.#rowBytes);
      this.#addPart(bytes);
      this.#ownBytes += bytes.length;
    }
    return this.#inLast++ * this.#rowBytes;
  }

  #addPart(bytes: Uint8Array): void {
    const { precision, dimensions } = this.#space;
    const start = this.count;
    this.#parts.push({ start, rows: new VectorRows(precision, dimensions, bytes) });
    this.#inLast = 0;
  }

  /** Trims the unwritten end of the last part. */
  #trimLast(): void {
    const last = this.#parts.pop();
    if (last === undefined) return;
    const { precision, dimensions } = this.#space;
    const bytes = last.rows.rowsAt(0, this.#inLast);
    this.#parts.push({ start: last.start, rows: new VectorRows(precision, dimensions, bytes) });
  }
}
