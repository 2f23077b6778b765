/**
 * Reads messages of PostgreSQL's logical replication, protocol version 1: the frames of the stream
 * and the messages of the plugin `pgoutput`. Of rows only the wanted columns are read, as text.
 * https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
 */

/** Values by column: null = NULL, or not part of the old key; absent = unchanged and not sent. */
type Tuple = ReadonlyMap<string, string | null>;

type Frame =
  | { readonly kind: 'data'; readonly message: Buffer }
  | { readonly kind: 'keepalive'; readonly end: bigint; readonly wantsReply: boolean };

export type Message =
  | { readonly kind: 'begin'; readonly transaction: number }
  | { readonly kind: 'commit'; readonly end: bigint; readonly committedMs: number }
  /** @member tuples before and after the change, as far as they were sent */
  | { readonly kind: 'row'; readonly table: number; readonly tuples: readonly Tuple[] }
  | { readonly kind: 'truncate'; readonly tables: readonly number[] };

const DATA_HEADER_BYTES = 25;
const STATUS_BYTES = 34;
/** Microseconds from 1970 to 2000, the epoch of PostgreSQL. */
const EPOCH_US = 946_684_800_000_000n;

const toMs = (microseconds: bigint): number => Number((microseconds + EPOCH_US) / 1000n);

/** @returns null for frames of an unknown kind */
export function readFrame(frame: Buffer): Frame | null {
  switch (String.fromCharCode(frame[0] ?? 0)) {
    case 'w':
      return { kind: 'data', message: frame.subarray(DATA_HEADER_BYTES) };
    case 'k':
      return { kind: 'keepalive', end: frame.readBigUInt64BE(1), wantsReply: frame[17] === 1 };
    default:
      return null;
  }
}

/** The message that acknowledges everything before `position`. */
export function statusOf(position: bigint, nowMs: number): Buffer {
  const status = Buffer.alloc(STATUS_BYTES);
  status.write('r', 'latin1');
  // Written, flushed and applied.
  for (const at of [1, 9, 17]) status.writeBigUInt64BE(position, at);
  status.writeBigInt64BE(BigInt(nowMs) * 1000n - EPOCH_US, 25);
  return status;
}

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  letter(): string {
    return String.fromCharCode(this.#bytes[this.#at++] ?? 0);
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  uint32(): number {
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  int64(): bigint {
    this.#at += 8;
    return this.#bytes.readBigInt64BE(this.#at - 8);
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  text(length: number): string {
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  /** Text that ends with a zero byte. */
  name(): string {
    const text = this.text(this.#bytes.indexOf(0, this.#at) - this.#at);
    this.skip(1);
    return text;
  }
}

/** The server describes each table before its first row, so one reader reads one stream. */
export class PgoutputReader {
  readonly #isWanted: (table: number, column: string) => boolean;
  /** Wanted columns by position; null = not wanted. */
  readonly #tables = new Map<number, readonly (string | null)[]>();

  /** @param isWanted whether a column, of the table with this OID, is read */
  constructor(isWanted: (table: number, column: string) => boolean) {
    this.#isWanted = isWanted;
  }

  /** @returns null for messages about types, origins and tables, which need no work */
  read(message: Buffer): Message | null {
    const cursor = new Cursor(message);
    switch (cursor.letter()) {
      case 'B':
        cursor.skip(16);
        return { kind: 'begin', transaction: cursor.uint32() };
      case 'C': {
        cursor.skip(9);
        const end = cursor.int64();
        return { kind: 'commit', end, committedMs: toMs(cursor.int64()) };
      }
      case 'I':
      case 'U':
      case 'D':
        return this.#row(cursor);
      case 'T': {
        const count = cursor.uint32();
        cursor.skip(1);
        return { kind: 'truncate', tables: Array.from({ length: count }, () => cursor.uint32()) };
      }
      case 'R':
        this.#describe(cursor);
        return null;
      default:
        return null;
    }
  }

  #describe(cursor: Cursor): void {
    const table = cursor.uint32();
    cursor.name();
    cursor.name();
    cursor.skip(1);
    const columns = Array.from({ length: cursor.int16() }, () => {
      cursor.skip(1);
      const name = cursor.name();
      cursor.skip(8);
      return this.#isWanted(table, name) ? name : null;
    });
    this.#tables.set(table, columns);
  }

  #row(cursor: Cursor): Message {
    const table = cursor.uint32();
    const columns = this.#tables.get(table) ?? [];
    const tuples: Tuple[] = [];
    for (let letter = cursor.letter(); 'KON'.includes(letter); letter = cursor.letter())
      tuples.push(tupleOf(cursor, columns));
    return { kind: 'row', table, tuples };
  }
}

function tupleOf(cursor: Cursor, columns: readonly (string | null)[]): Tuple {
  const tuple = new Map<string, string | null>();
  const count = cursor.int16();
  for (let at = 0; at < count; at++) {
    const name = columns[at] ?? null;
    const form = cursor.letter();
    if (form === 'n' && name !== null) tuple.set(name, null);
    if (form !== 't') continue;
    const length = cursor.uint32();
    if (name === null) cursor.skip(length);
    else tuple.set(name, cursor.text(length));
  }
  return tuple;
}
