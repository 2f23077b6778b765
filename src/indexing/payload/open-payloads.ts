/**
 * The payloads of a batch while its documents are read: files are opened when needed and closed
 * again beyond a budget.
 */

/** The bytes, or the absolute path of the spool file. */
export type PayloadSource = Uint8Array | string;

export interface PayloadFile {
  readonly bytes: Uint8Array;
  /** After it nobody may touch the bytes. */
  close(): void;
}

/** Bytes of open files kept between documents. */
const OPEN_BYTES_MAX = 128 * 1024 ** 2;

export class OpenPayloads {
  readonly #sources: readonly (PayloadSource | null)[];
  readonly #openFile: (path: string) => PayloadFile;
  readonly #openBytesMax: number;
  /** By number, used last at the end. */
  readonly #files = new Map<number, PayloadFile>();
  #openBytes = 0;
  #lastNumber = -1;
  #lastBytes = new Uint8Array(0);

  /** @param sources by number; null where nobody asks for the bytes */
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
    const bytes = typeof source === 'string' ? this.#fileBytes(number, source) : source;
    this.#lastNumber = number;
    this.#lastBytes = plainBytes(bytes);
    return this.#lastBytes;
  }

  /**
   * Closes the files used longest ago until the budget is kept. Call it while no bytes are being
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
