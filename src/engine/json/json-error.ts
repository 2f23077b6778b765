/** Malformed JSON, NDJSON or CSV: the position and the reason. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  /** Offset in the bytes given to the reader. */
  readonly offset: number;
  readonly reason: string;
  constructor(offset: number, reason: string) {
    super(`${reason} at byte ${offset}`);
    this.offset = offset;
    this.reason = reason;
  }
}

/** More values than the reader accepts. */
export class TooManyValues extends JsonError {
  constructor(offset: number, valuesMax: number) {
    super(offset, `one value holds more than ${valuesMax} values`);
  }
}

/** Line and column, both counted from 1, the column in bytes. */
export function lineAndColumn(bytes: Uint8Array, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
