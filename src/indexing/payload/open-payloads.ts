/**
 * The payloads of a batch while its documents are read: files are opened on demand and closed
 * beyond a budget.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { CorruptionError } from '../../core/errors.ts';
import { crc32c } from '../../engine/bytes/crc32c.ts';

export interface PayloadOnDisk {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly crc32c: number;
}

export type PayloadSource = Uint8Array | PayloadOnDisk;

export interface PayloadFile {
  readonly bytes: Uint8Array;
  /** The bytes must not be accessed afterwards. */
  close(): void;
}

/** Bytes that are checked between two turns of the event loop. */
const CHECKED_BYTES = 1 << 20;
/** Bytes of open files kept between documents. */
const OPEN_BYTES_MAX = 128 * 1024 ** 2;

export class OpenPayloads {
  readonly #sources: readonly (PayloadSource | null)[];
  readonly #openFile: (path: string) => PayloadFile;
  readonly #openBytesMax: number;
  /** By number, most recently used last. */
  readonly #files = new Map<number, PayloadFile>();
  #openBytes = 0;
  #lastNumber = -1;
  #lastBytes = new Uint8Array(0);

  /** @param sources by number; null where the bytes are never read */
  constructor(
    sources: readonly (PayloadSource | null)[],
    openFile: (path: string) => PayloadFile,
    openBytesMax = OPEN_BYTES_MAX,
  ) {
    this.#sources = sources;
    this.#openFile = openFile;
    this.#openBytesMax = openBytesMax;
  }

  /** Valid until `trim` or `close`. */
  bytes(number: number): Uint8Array {
    if (number === this.#lastNumber) return this.#lastBytes;
    const source = this.#sources[number] ?? null;
    if (source === null) throw new Error(`there is no payload ${number}`);
    const bytes = source instanceof Uint8Array ? source : this.#fileBytes(number, source.path);
    this.#lastNumber = number;
    this.#lastBytes = plainBytes(bytes);
    return this.#lastBytes;
  }

  /** The same for a whole file, verified. @throws CorruptionError if it is not the stored file */
  soundBytes(number: number): Uint8Array {
    const bytes = this.bytes(number);
    const source = this.#sources[number];
    if (source && !(source instanceof Uint8Array)) throwUnlessStored(source, bytes, crc32c(bytes));
    return bytes;
  }

  /**
   * Closes the least recently used files until the budget is met. Call it while no bytes are being
   * read.
   */
  trim(): void {
    if (this.#openBytes <= this.#openBytesMax) return;
    for (const [number, file] of this.#files) {
      if (this.#openBytes <= this.#openBytesMax) return;
      this.#forget(number, file);
    }
  }

  close(): void {
    for (const [number, file] of this.#files) this.#forget(number, file);
  }

  #fileBytes(number: number, path: string): Uint8Array {
    let file = this.#files.get(number);
    if (file === undefined) {
      file = this.#openFile(path);
      this.#openBytes += file.bytes.length;
    }
    this.#files.delete(number);
    this.#files.set(number, file);
    return file.bytes;
  }

  #forget(number: number, file: PayloadFile): void {
    file.close();
    this.#files.delete(number);
    this.#openBytes -= file.bytes.length;
    this.#lastNumber = -1;
  }
}

/** Never a Buffer: loops that see only one class of arrays run faster. */
const plainBytes = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, length);

/** @throws CorruptionError if the bytes are not those of the stored file */
export async function checkInTurns(stored: PayloadOnDisk, found: Uint8Array): Promise<void> {
  let checksum = 0;
  for (let at = 0; at < found.length; at += CHECKED_BYTES) {
    checksum = crc32c(found, at, Math.min(at + CHECKED_BYTES, found.length), checksum);
    await turn();
  }
  throwUnlessStored(stored, found, checksum);
}

function throwUnlessStored(
  { path, bytes, crc32c: expected }: PayloadOnDisk,
  found: Uint8Array,
  checksum: number,
): void {
  if (found.length !== bytes) {
    const at = Math.min(found.length, bytes);
    throw new CorruptionError(path, at, `${bytes} bytes in all`, String(found.length));
  }
  if (checksum !== expected)
    throw new CorruptionError(path, 0, `checksum ${hex(expected)} of all bytes`, hex(checksum));
}

const hex = (checksum: number): string => checksum.toString(16).padStart(8, '0');
