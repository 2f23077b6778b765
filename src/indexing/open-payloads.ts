/** The payloads of a batch while its documents are read: files are opened when needed and closed again beyond a budget. */
import type { DocumentOperation } from './document-operations.ts';

export interface PayloadFile {
  readonly bytes: Uint8Array;
  /** After it nobody may touch the bytes. */
  close(): void;
}

/** Bytes of open files kept between documents. */
const OPEN_BYTES_MAX = 128 * 1024 ** 2;

export class OpenPayloads {
  readonly #operations: readonly DocumentOperation[];
  readonly #openFile: (path: string) => PayloadFile;
  readonly #openBytesMax: number;
  /** By operation, used last at the end. */
  readonly #files = new Map<number, PayloadFile>();
  #openBytes = 0;
  #lastOperation = -1;
  #lastBytes = new Uint8Array(0);

  constructor(
    operations: readonly DocumentOperation[],
    openFile: (path: string) => PayloadFile,
    openBytesMax = OPEN_BYTES_MAX,
  ) {
    this.#operations = operations;
    this.#openFile = openFile;
    this.#openBytesMax = openBytesMax;
  }

  /** Payload of an operation; valid until `trim` or `close`. */
  bytes(index: number): Uint8Array {
    if (index === this.#lastOperation) return this.#lastBytes;
    const operation = this.#operations[index];
    if (operation?.kind !== 'upsert') throw new Error(`operation ${index} has no payload`);
    const bytes = typeof operation.payload === 'string' ? this.#fileBytes(index, operation.payload) : operation.payload;
    this.#lastOperation = index;
    this.#lastBytes = plainBytes(bytes);
    return this.#lastBytes;
  }

  /** Closes the files used longest ago until the budget is kept. Call it while no bytes are being read. */
  trim(): void {
    if (this.#openBytes <= this.#openBytesMax) return;
    for (const [index, file] of this.#files) {
      if (this.#openBytes <= this.#openBytesMax) return;
      this.#forget(index, file);
    }
  }

  close(): void {
    for (const [index, file] of this.#files) this.#forget(index, file);
  }

  #fileBytes(index: number, path: string): Uint8Array {
    let file = this.#files.get(index);
    if (file === undefined) {
      file = this.#openFile(path);
      this.#openBytes += file.bytes.length;
    }
    this.#files.delete(index);
    this.#files.set(index, file);
    return file.bytes;
  }

  #forget(index: number, file: PayloadFile): void {
    file.close();
    this.#files.delete(index);
    this.#openBytes -= file.bytes.length;
    this.#lastOperation = -1;
  }
}

/** Never a Buffer: loops that see only one class of arrays run faster. */
const plainBytes = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
