/**
 * Splits a file of documents of any size into parts, each a valid payload: a JSON array becomes
 * arrays, lines stay lines, CSV repeats its header. Finds only the ends of documents; the server
 * validates the documents. Holds one part in memory at a time. Runs in browsers too.
 */
import { concatBytes } from '../core/concat-bytes.ts';
import type { UploadFormat } from './upload.ts';

export interface DocumentPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes from the start of the file to the end of this part. */
  readonly end: number;
  /** Lines of the file before the first line of this part; a repeated CSV header is not counted. */
  readonly linesBefore: number;
}

/** An error message about a part, with its line counted from the start of the file. */
export const inLinesOfFile = (message: string, { linesBefore }: DocumentPart): string =>
  message.replace(
    /\(line (\d+), column (\d+), byte \d+\)/,
    (_, line: string, column: string) =>
      `(line ${Number(line) + linesBefore} of the file, column ${column})`,
  );

/** No document ends within the bytes that one may have. */
export class DocumentTooLong extends Error {}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

/** Consumes one byte. @returns true if a document ends with the byte */
type EndFinder = (byte: number) => boolean;

const lineEnds = (): EndFinder => (byte) => byte === NEWLINE;

/** Ends a document at each line end outside quotes. */
function recordEnds(): EndFinder {
  let isQuoted = false;
  return (byte) => {
    if (byte === QUOTE) isQuoted = !isQuoted;
    return byte === NEWLINE && !isQuoted;
  };
}

/** Tracks whether a byte of JSON is inside a string. */
function stringBytes(): (byte: number) => boolean {
  let isString = false;
  let isEscaped = false;
  return (byte) => {
    if (!isString) {
      isString = byte === QUOTE;
      return isString;
    }
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else isString = byte !== QUOTE;
    return true;
  };
}

/** Finds the commas between the elements of the outermost array; a single object has none. */
function elementEnds(): EndFinder {
  const isOfString = stringBytes();
  let depth = 0;
  let outermost = 0;
  return (byte) => {
    if (isOfString(byte)) return false;
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (depth === 0) outermost = byte;
      depth += 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    return byte === COMMA && depth === 1 && outermost === OPEN_ARRAY;
  };
}

const END_FINDERS: Readonly<Record<UploadFormat, () => EndFinder>> = {
  json: elementEnds,
  ndjson: lineEnds,
  csv: recordEnds,
};

/** Bound on the bytes held for one document and for the part before it. */
const HELD_BYTES_MAX = 256 * 1024 ** 2;

/** Bytes that belong to no part yet. */
class HeldBytes {
  #pieces: Uint8Array[] = [];
  length = 0;

  /** Copies the piece, because a reader may reuse its buffer. */
  add(piece: Uint8Array): void {
    this.#pieces.push(piece.slice());
    this.length += piece.length;
    if (this.length > HELD_BYTES_MAX)
      throw new DocumentTooLong(
        `no document ends within ${HELD_BYTES_MAX / 1024 ** 2} MiB: check the format of the file`,
      );
  }

  /** Returns all held bytes followed by the piece, and releases them. */
  takeWith(piece: Uint8Array): Uint8Array<ArrayBuffer> {
    const whole = concatBytes([...this.#pieces, piece]);
    this.#pieces = [];
    this.length = 0;
    return whole;
  }
}

/** Cuts chunks into parts at the ends of documents. */
class PartCutter {
  readonly #format: UploadFormat;
  readonly #partBytes: number;
  readonly #from: number;
  readonly #endsDocument: EndFinder;
  readonly #held = new HeldBytes();
  #head: Uint8Array | null = null;
  /** Line ends read, before the current part, and in the CSV header. */
  #lines = 0;
  #linesBefore = 0;
  #headLines = 0;
  /** Offset of the current part in the file, and number of bytes read. */
  #begin = 0;
  #read = 0;

  constructor(format: UploadFormat, partBytes: number, from: number) {
    this.#format = format;
    this.#partBytes = partBytes;
    this.#from = from;
    this.#endsDocument = END_FINDERS[format]();
  }

  *push(chunk: Uint8Array): Generator<DocumentPart> {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === NEWLINE) this.#lines += 1;
      if (!this.#endsDocument(byte)) continue;
      const isHead = this.#isHead;
      const isFull = this.#held.length + at + 1 - start >= this.#partBytes;
      if (!isHead && !isFull && this.#read + at + 1 !== this.#from) continue;
      const piece = this.#held.takeWith(chunk.subarray(start, at + 1));
      start = at + 1;
      if (isHead) {
        this.#head = piece;
        this.#headLines = this.#lines;
        this.#linesBefore = this.#lines;
      } else yield this.#part(piece, this.#read + start);
    }
    if (start < chunk.length) this.#held.add(chunk.subarray(start));
    this.#read += chunk.length;
  }

  *finish(): Generator<DocumentPart> {
    const last = this.#held.takeWith(new Uint8Array(0));
    if (holdsDocument(last, this.#format)) yield this.#part(last, this.#read);
  }

  /** True until the CSV header has been read. */
  get #isHead(): boolean {
    return this.#format === 'csv' && this.#head === null;
  }

  #part(piece: Uint8Array<ArrayBuffer>, end: number): DocumentPart {
    const isFirst = this.#begin === 0;
    const before = this.#linesBefore;
    this.#begin = end;
    this.#linesBefore = this.#lines;
    if (this.#format === 'ndjson') return { bytes: piece, end, linesBefore: before };
    if (this.#format === 'csv') {
      const bytes = concatBytes([this.#head ?? new Uint8Array(0), piece]);
      return { bytes, end, linesBefore: before - this.#headLines };
    }
    const text = textOf(piece);
    const elements = isFirst ? text.trim() : `[${text.trim()}`;
    const trimmed = text.slice(0, text.length - text.trimStart().length).split('\n').length - 1;
    const bytes = new TextEncoder().encode(elements.replace(/,$/, ']'));
    return { bytes, end, linesBefore: before + trimmed };
  }
}

const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function holdsDocument(bytes: Uint8Array, format: UploadFormat): boolean {
  const text = textOf(bytes.subarray(0, 64)).trim();
  return text !== '' && !(format === 'json' && text === ']');
}

/**
 * @param partBytes a part ends with the document that reaches this size
 * @param from `end` of the last part that is already sent; a part begins there, also when
 * `partBytes` was another
 */
export async function* partsOfDocuments(
  input: AsyncIterable<Uint8Array>,
  format: UploadFormat,
  partBytes: number,
  from = 0,
): AsyncGenerator<DocumentPart> {
  const cutter = new PartCutter(format, partBytes, from);
  for await (const chunk of input)
    for (const part of cutter.push(chunk)) if (part.end > from) yield part;
  for (const part of cutter.finish()) if (part.end > from) yield part;
}
