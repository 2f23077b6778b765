/**
 * The files of a data folder whose truth is an object store: segment files and payloads. They are
 * written to the folder, uploaded and read back before a commit or task names them, and fetched
 * before the server starts if the folder lacks them. So the folder is a complete cache, and threads
 * read it as they read any data folder.
 *
 *   indexes/<index id>/<name>   segment file
 *   payloads/<name>             body of an enqueued task
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Logger } from '../../observability/logger.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { type ObjectBody, type ObjectStore, ObjectStoreError } from './object-store.ts';

/** Bytes of one read from the store. */
const PART_BYTES = 8 << 20;
const TRANSFERS = 4;
const TEMPORARY = '.tmp';

export interface SegmentFileName {
  readonly indexId: number;
  readonly name: string;
}

export interface StoredFilesOptions {
  readonly objects: ObjectStore;
  /** Folders of the data folder. */
  readonly indexes: string;
  readonly spool: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

interface Transfer {
  readonly key: string;
  readonly file: string;
}

export class StoredFiles {
  readonly #options: StoredFilesOptions;

  constructor(options: StoredFilesOptions) {
    this.#options = options;
  }

  /** Resolves when the store has the files, and returned what was written to them. */
  async keepSegments(files: readonly SegmentFileName[]): Promise<void> {
    await mapInParallel(files, TRANSFERS, (file) => this.#upload(this.#segment(file)));
  }

  async keepPayload(name: string): Promise<void> {
    await this.#upload(this.#payload(name));
  }

  /** Fetches the files that the folder lacks or has with another length. @returns their number */
  async fetchSegments(
    files: readonly (SegmentFileName & { readonly bytes: number })[],
  ): Promise<number> {
    return this.#fetchAll(files.map((file) => ({ ...this.#segment(file), bytes: file.bytes })));
  }

  async fetchPayloads(
    payloads: readonly { readonly name: string; readonly bytes: number }[],
  ): Promise<number> {
    return this.#fetchAll(payloads.map(({ name, bytes }) => ({ ...this.#payload(name), bytes })));
  }

  /** Deletes the object later; after a failure the next start deletes it. */
  removeSegment(file: SegmentFileName): void {
    this.#remove(this.#segment(file).key);
  }

  removePayload(name: string): void {
    this.#remove(this.#payload(name).key);
  }

  removeIndex(indexId: number): void {
    void this.#removeOrphans(`indexes/${indexId}/`, () => false).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, `objects of index ${indexId} remain in the store`),
    );
  }

  /** Deletes the objects that nothing names: a process ended between an upload and its commit. */
  async removeOrphans(
    segments: readonly SegmentFileName[],
    payloads: readonly string[],
  ): Promise<number> {
    const named = new Set([
      ...segments.map((file) => this.#segment(file).key),
      ...payloads.map((name) => this.#payload(name).key),
    ]);
    const isNamed = (key: string) => named.has(key);
    return (
      (await this.#removeOrphans('indexes/', isNamed)) +
      (await this.#removeOrphans('payloads/', isNamed))
    );
  }

  close(): void {
    this.#options.objects.close();
  }

  #segment({ indexId, name }: SegmentFileName): Transfer {
    const { indexes } = this.#options;
    return {
      key: `indexes/${indexId}/${name}`,
      file: path.join(indexes, String(indexId), name),
    };
  }

  #payload(name: string): Transfer {
    return { key: `payloads/${name}`, file: path.join(this.#options.spool, name) };
  }

  async #upload({ key, file }: Transfer): Promise<void> {
    const { objects } = this.#options;
    const sent = createHash('sha256');
    const { size: bytes } = fs.statSync(file);
    for await (const chunk of fs.createReadStream(file)) sent.update(chunk as Buffer);
    const body: ObjectBody = { bytes, chunks: () => fs.createReadStream(file) };
    await objects.put(key, body);
    const received = createHash('sha256');
    let length = 0;
    for await (const part of this.#parts(key, bytes)) {
      received.update(part);
      length += part.length;
    }
    if (length !== bytes || received.digest('hex') !== sent.digest('hex'))
      throw new ObjectStoreError(`PUT ${key}: the store returns other bytes than it received`);
  }

  async *#parts(key: string, bytes: number): AsyncGenerator<Uint8Array> {
    const { objects } = this.#options;
    for (let start = 0; start < bytes; start += PART_BYTES) {
      const part = await objects.get(key, { start, end: Math.min(bytes, start + PART_BYTES) });
      if (part === null) throw new ObjectStoreError(`GET ${key}: the object is missing`);
      yield part;
    }
  }

  async #fetchAll(transfers: readonly (Transfer & { readonly bytes: number })[]): Promise<number> {
    const missing = transfers.filter(
      ({ file, bytes }) => fs.statSync(file, { throwIfNoEntry: false })?.size !== bytes,
    );
    await mapInParallel(missing, TRANSFERS, (transfer) => this.#fetch(transfer));
    return missing.length;
  }

  async #fetch({ key, file, bytes }: Transfer & { readonly bytes: number }): Promise<void> {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const temporary = file + TEMPORARY;
    const handle = await fs.promises.open(temporary, 'w');
    try {
      for await (const part of this.#parts(key, bytes)) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const { size } = fs.statSync(temporary);
    if (size !== bytes)
      throw new ObjectStoreError(`GET ${key}: ${size} bytes, not the ${bytes} of the commit`);
    fs.renameSync(temporary, file);
    await syncFolder(path.dirname(file));
  }

  #remove(key: string): void {
    const { objects, log } = this.#options;
    void objects
      .delete(key)
      .catch((error: unknown) => log.warn({ err: error }, `object ${key} remains in the store`));
  }

  async #removeOrphans(prefix: string, isNamed: (key: string) => boolean): Promise<number> {
    const { objects } = this.#options;
    const orphans: string[] = [];
    for await (const { key } of objects.list(prefix)) if (!isNamed(key)) orphans.push(key);
    await mapInParallel(orphans, TRANSFERS, (key) => objects.delete(key));
    return orphans.length;
  }
}
