/**
 * Spool folder for request bodies too large for a task record. The front writes the body in chunks
 * while it arrives and sends the file name with the task. The indexer reads the file and removes it
 * after the commit of the task's batch. A file that no task names comes from an interrupted
 * request.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { StoredPayload } from '../core/stored-payload.ts';
import { crc32c } from '../engine/bytes/crc32c.ts';
import { createFolders } from './files/create-folders.ts';
import { fileChunks } from './files/file-chunks.ts';
import { toStorageError } from './files/io-errors.ts';
import { syncFolder } from './files/sync-folder.ts';

const NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.payload$/;
const fsync = promisify(fs.fsync);
/** Bytes of one read. */
const PART_BYTES = 1 << 20;

export class PayloadStore {
  readonly #folder: string;
  #holders = 0;
  /** Files to remove when the last hold on all files ends. */
  readonly #toRemove = new Set<string>();
  readonly #listener: { removePayload(name: string): void } | null;

  /**
   * Creates the folder when missing.
   * @param listener deletes the objects of removed files, for a folder that caches a store
   */
  constructor(folder: string, listener: { removePayload(name: string): void } | null = null) {
    this.#folder = folder;
    this.#listener = listener;
    createFolders(folder);
  }

  create(): PayloadWriter {
    return new PayloadWriter(this.#folder, `${randomUUID()}.payload`);
  }

  /** Absolute path. Throws on a name that `create` cannot return. */
  pathOf(name: string): string {
    if (!NAME.test(name))
      throw new Error(`${JSON.stringify(name)} is not a name of a payload file`);
    return path.resolve(this.#folder, name);
  }

  /** Location, expected size and checksum of the bytes. */
  onDisk({
    name,
    bytes,
    crc32c,
  }: StoredPayload): Omit<StoredPayload, 'name'> & { readonly path: string } {
    return { path: this.pathOf(name), bytes, crc32c };
  }

  /** The bytes of the file, or null if it does not exist. */
  sizeOf(name: string): number | null {
    return fs.statSync(this.pathOf(name), { throwIfNoEntry: false })?.size ?? null;
  }

  /** CRC-32C of the current file; null if it does not exist. */
  checksumOf(name: string): number | null {
    if (this.sizeOf(name) === null) return null;
    const descriptor = fs.openSync(this.pathOf(name), 'r');
    try {
      const part = new Uint8Array(PART_BYTES);
      let checksum = 0;
      for (;;) {
        const length = fs.readSync(descriptor, part);
        if (length === 0) return checksum;
        checksum = crc32c(part, 0, length, checksum);
      }
    } finally {
      fs.closeSync(descriptor);
    }
  }

  read(name: string): Promise<Uint8Array> {
    return fs.promises.readFile(this.pathOf(name));
  }

  /**
   * Removing a missing file is no error. While files are held, the removal waits for the end of the
   * last hold.
   */
  remove(name: string): void {
    const path = this.pathOf(name);
    if (this.#holders > 0) this.#toRemove.add(name);
    else fs.rmSync(path, { force: true });
    this.#listener?.removePayload(name);
  }

  /** Holds all files until the returned function is called. Call it once. */
  hold(): () => void {
    this.#holders++;
    return () => {
      this.#holders--;
      if (this.#holders > 0) return;
      for (const name of this.#toRemove) {
        this.#toRemove.delete(name);
        fs.rmSync(this.pathOf(name), { force: true });
      }
    };
  }

  /**
   * Removes the files that no task names and that were not written to for `olderThanMs`: newer
   * files may belong to a request whose task is not yet registered. Returns their names.
   */
  removeOrphans(named: ReadonlySet<string>, olderThanMs: number, nowMs: number): string[] {
    const orphans = fs
      .readdirSync(this.#folder)
      .filter((name) => NAME.test(name) && !named.has(name));
    return orphans.filter((name) => {
      const modifiedMs = fs.statSync(this.pathOf(name), { throwIfNoEntry: false })?.mtimeMs;
      if (modifiedMs === undefined || nowMs - modifiedMs < olderThanMs) return false;
      this.remove(name);
      return true;
    });
  }
}

/**
 * A payload being written. Call exactly one of `finish` and `abort`, once; errors are `ApiError`s
 * where the table has a code.
 */
export class PayloadWriter {
  readonly #folder: string;
  readonly name: string;
  readonly #descriptor: number;
  #bytes = 0;
  #crc32c = 0;
  #open = true;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.name = name;
    this.#descriptor = withStorageError(() => fs.openSync(path.join(folder, name), 'wx'));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Writes the complete chunk before it returns, so the caller may reuse the chunk's memory. */
  write(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length)
      at += withStorageError(() => fs.writeSync(this.#descriptor, chunk, at));
    this.#bytes += chunk.length;
    this.#crc32c = crc32c(chunk, 0, chunk.length, this.#crc32c);
  }

  /** The bytes that are written so far. */
  read(): AsyncIterable<Uint8Array> {
    return fileChunks(path.join(this.#folder, this.name));
  }

  /** Resolves when the file survives a power cut. */
  async finish(): Promise<StoredPayload> {
    try {
      await fsync(this.#descriptor);
      await syncFolder(this.#folder);
    } catch (error) {
      this.abort();
      throw toStorageError(error);
    }
    this.#close();
    return { name: this.name, bytes: this.#bytes, crc32c: this.#crc32c };
  }

  abort(): void {
    this.#close();
    fs.rmSync(path.join(this.#folder, this.name), { force: true });
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    fs.closeSync(this.#descriptor);
  }
}

function withStorageError<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toStorageError(error);
  }
}
