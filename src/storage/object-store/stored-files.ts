/**
 * The files of a data folder whose truth is an object store: segment files and payloads. They are
 * written to the folder, uploaded and read back before a commit or task names them, and fetched
 * before the server starts if the folder lacks them. So the folder is a complete cache, and threads
 * read it as they read any data folder.
 *
 *   indexes/<index id>/<name>   segment file
 *   payloads/<name>             body of an enqueued task
 *
 * An object is the content of the file, followed by its SHA-256 (32 bytes).
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Logger } from '../../observability/logger.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { type ObjectBody, type ObjectStore, ObjectStoreError } from './object-store.ts';

/** Bytes of one read from the store. */
const PART_BYTES = 4 << 20;
/** Parts of one file that are read at the same time. */
const PARTS_AHEAD = 4;
const TRANSFERS = 4;
const DIGEST_BYTES = 32;
/**
 * Milliseconds from the removal of a file to the deletion of its object: a node that reads the store
 * may still fetch it.
 */
const KEEP_REMOVED_MS = 60_000;
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
  readonly keepRemovedMs?: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

interface Transfer {
  readonly key: string;
  readonly file: string;
}

type SizedTransfer = Transfer & { readonly bytes: number };

const isHere = ({ file, bytes }: SizedTransfer): boolean =>
  fs.statSync(file, { throwIfNoEntry: false })?.size === bytes;

export class StoredFiles {
  readonly #options: StoredFilesOptions;
  /** Fetches under way, by key of the object. */
  readonly #fetches = new Map<string, Promise<void>>();

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

  /** The folder has the files with these lengths. */
  haveSegments(files: readonly (SegmentFileName & { readonly bytes: number })[]): boolean {
    return files.every((file) => isHere({ ...this.#segment(file), bytes: file.bytes }));
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

  /** Deletes the object later; after a failure or a stop the next start deletes it. */
  removeSegment(file: SegmentFileName): void {
    this.#later(() => this.#remove(this.#segment(file).key));
  }

  removePayload(name: string): void {
    this.#remove(this.#payload(name).key);
  }

  removeIndex(indexId: number): void {
    this.#later(() => {
      void this.#keys(`indexes/${indexId}/`)
        .then((keys) => this.#delete(keys))
        .catch((error: unknown) =>
          this.#options.log.warn({ err: error }, `objects of index ${indexId} remain in the store`),
        );
    });
  }

  /**
   * Deletes the objects that nothing names: a process ended between an upload and its commit.
   * @param confirmWriter resolves if no other process wrote before: then no listed object is an
   * upload of a successor of this process
   */
  async removeOrphans(
    segments: readonly SegmentFileName[],
    payloads: readonly string[],
    confirmWriter: () => Promise<void>,
  ): Promise<number> {
    const named = new Set([
      ...segments.map((file) => this.#segment(file).key),
      ...payloads.map((name) => this.#payload(name).key),
    ]);
    const orphans: string[] = [];
    for (const prefix of ['indexes/', 'payloads/'])
      for (const key of await this.#keys(prefix)) if (!named.has(key)) orphans.push(key);
    if (orphans.length === 0) return 0;
    await confirmWriter();
    await this.#delete(orphans);
    return orphans.length;
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
    const hash = createHash('sha256');
    const { size: bytes } = fs.statSync(file);
    for await (const chunk of fs.createReadStream(file)) hash.update(chunk as Buffer);
    const digest = hash.digest();
    const body: ObjectBody = {
      bytes: bytes + DIGEST_BYTES,
      async *chunks() {
        yield* fs.createReadStream(file);
        yield digest;
      },
    };
    await this.#options.objects.put(key, body);
    const received = await this.#read(key, bytes, async () => undefined);
    if (received?.equals(digest) !== true)
      throw new ObjectStoreError(`PUT ${key}: the store returns other bytes than it received`);
  }

  /**
   * Reads the content of a file in parts.
   * @param bytes length of the content
   * @returns its SHA-256; null if the object has another length or another content than was uploaded
   */
  async #read(
    key: string,
    bytes: number,
    onPart: (part: Uint8Array) => Promise<void>,
  ): Promise<Buffer | null> {
    const hash = createHash('sha256');
    const trailer: Uint8Array[] = [];
    const end = bytes + DIGEST_BYTES;
    for await (const [start, part] of this.#parts(key, end)) {
      if (part === null) throw new ObjectStoreError(`GET ${key}: the object is missing`);
      const content = part.subarray(0, Math.max(0, bytes - start));
      hash.update(content);
      trailer.push(part.subarray(content.length));
      await onPart(content);
    }
    const digest = hash.digest();
    return Buffer.concat(trailer).equals(digest) ? digest : null;
  }

  /** The parts of an object with their places, in order. */
  async *#parts(key: string, end: number): AsyncGenerator<readonly [number, Uint8Array | null]> {
    const { objects } = this.#options;
    const ahead: Promise<readonly [number, Uint8Array | null]>[] = [];
    for (let next = 0; next < end || ahead.length > 0; ) {
      for (; next < end && ahead.length < PARTS_AHEAD; next += PART_BYTES) {
        const start = next;
        const range = { start, end: Math.min(end, start + PART_BYTES) };
        const part = objects.get(key, range).then((bytes) => [start, bytes] as const);
        // Its failure shows where it is awaited, unless an earlier part has failed.
        part.catch(() => undefined);
        ahead.push(part);
      }
      yield await (ahead.shift() as (typeof ahead)[number]);
    }
  }

  async #fetchAll(transfers: readonly SizedTransfer[]): Promise<number> {
    const missing = transfers.filter((transfer) => !isHere(transfer));
    await mapInParallel(missing, TRANSFERS, (transfer) => this.#fetchOnce(transfer));
    return missing.length;
  }

  /** Callers that need the same file wait for one fetch. */
  #fetchOnce(transfer: SizedTransfer): Promise<void> {
    const running = this.#fetches.get(transfer.key);
    if (running !== undefined) return running;
    const fetch = this.#fetch(transfer).finally(() => this.#fetches.delete(transfer.key));
    this.#fetches.set(transfer.key, fetch);
    return fetch;
  }

  async #fetch({ key, file, bytes }: SizedTransfer): Promise<void> {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const temporary = file + TEMPORARY;
    const handle = await fs.promises.open(temporary, 'w');
    try {
      const digest = await this.#read(key, bytes, (part) => handle.writeFile(part));
      if (digest === null)
        throw new ObjectStoreError(
          `GET ${key}: not the ${bytes} bytes that the commit names, or damaged ones`,
        );
      await handle.sync();
    } finally {
      await handle.close();
    }
    fs.renameSync(temporary, file);
    await syncFolder(path.dirname(file));
  }

  #remove(key: string): void {
    const { objects, log } = this.#options;
    void objects
      .delete(key)
      .catch((error: unknown) => log.warn({ err: error }, `object ${key} remains in the store`));
  }

  #later(run: () => void): void {
    setTimeout(run, this.#options.keepRemovedMs ?? KEEP_REMOVED_MS).unref();
  }

  async #keys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.#options.objects.list(prefix)) keys.push(key);
    return keys;
  }

  async #delete(keys: readonly string[]): Promise<void> {
    await mapInParallel(keys, TRANSFERS, (key) => this.#options.objects.delete(key));
  }
}
