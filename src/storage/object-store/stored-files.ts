/**
 * The files of a data folder whose truth is an object store: segment files and payloads. They are
 * written to the folder, uploaded and read back before a commit or task names them, and fetched
 * before the server starts if the folder lacks them. So the folder is a complete cache, and threads
 * read it as they read any data folder.
 *
 *   indexes/<index id>/<name>   segment file
 *   payloads/<name>             body of an enqueued task
 *
 * An object is the content of the file, followed by its SHA-256 (sealed-objects.ts). Objects that a
 * snapshot of the store names (store-snapshots.ts) are not deleted.
 */

import fs from 'node:fs';
import path from 'node:path';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import { counted } from '../../core/counted.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { StoredPayload } from '../../core/stored-payload.ts';
import type { Logger } from '../../observability/logger.ts';
import { fileChunks } from '../files/file-chunks.ts';
import { errnoOf } from '../files/io-errors.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { writeSynced } from '../files/write-synced.ts';
import { checkKey, type ObjectStore, ObjectStoreError } from './object-store.ts';
import { putSealed, type StoredObject, sealedChunks } from './sealed-objects.ts';
import { SNAPSHOTS, StoreSnapshots } from './store-snapshots.ts';

const SEGMENTS = 'indexes/';
const PAYLOADS = 'payloads/';
const TRANSFERS = 4;
/**
 * Milliseconds from the removal of a file to the deletion of its object: a node that reads the store
 * may still fetch it.
 */
const KEEP_REMOVED_MS = 60_000;
const TEMPORARY = '.tmp';
const FETCHES_MAX = 3;

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

export const segmentKey = ({ indexId, name }: SegmentFileName): string =>
  `${SEGMENTS}${indexId}/${name}`;
export const spoolKey = (name: string): string => `${PAYLOADS}${name}`;

/** The object of a segment file. */
export const segmentObject = (
  file: SegmentFileName & { readonly bytes: number },
): StoredObject => ({ key: segmentKey(file), bytes: file.bytes });

/** The object of a body of an enqueued task. */
export const payloadObject = ({ name, bytes }: Omit<StoredPayload, 'crc32c'>): StoredObject => ({
  key: spoolKey(name),
  bytes,
});

export class StoredFiles {
  readonly #options: StoredFilesOptions;
  /** Fetches under way, by key of the object. */
  readonly #fetches = new Map<string, Promise<void>>();
  /** Keys that this process has uploaded; null after the orphans of earlier processes are listed. */
  #uploaded: Set<string> | null = new Set();
  readonly snapshots: StoreSnapshots;

  constructor(options: StoredFilesOptions) {
    this.#options = options;
    this.snapshots = new StoreSnapshots({
      objects: options.objects,
      folder: options.spool,
      onUpload: (key) => this.#uploaded?.add(key),
      onUnnamed: (keys) => this.#later(() => void this.#deleteUnpinned(keys)),
    });
  }

  /** Resolves when the store has the files, and returned what was written to them. */
  async keep(keys: readonly string[]): Promise<void> {
    await mapInParallel(keys, TRANSFERS, async (key) => {
      this.#uploaded?.add(key);
      const file = this.#fileOf(key);
      const { size: bytes } = fs.statSync(file);
      await putSealed(this.#options.objects, key, { bytes, chunks: () => fileChunks(file) });
    });
  }

  /** The folder has the files with these lengths. */
  have(objects: readonly StoredObject[]): boolean {
    return objects.every((object) => this.#isHere(object));
  }

  /** Fetches the files that the folder lacks or has with another length. @returns their number */
  async fetch(objects: readonly StoredObject[]): Promise<number> {
    const missing = objects.filter((object) => !this.#isHere(object));
    // Callers that need the same file wait for one fetch.
    await mapInParallel(missing, TRANSFERS, (object) =>
      getOrCompute(this.#fetches, object.key, () =>
        this.#fetch(object).finally(() => this.#fetches.delete(object.key)),
      ),
    );
    return missing.length;
  }

  /** Deletes the object later; after a failure or a stop the next start deletes it. */
  removeSegment(file: SegmentFileName): void {
    this.#later(() => void this.#deleteUnpinned([segmentKey(file)]));
  }

  removePayload(name: string): void {
    void this.#deleteUnpinned([spoolKey(name)]);
  }

  removeIndex(indexId: number): void {
    this.#later(() => {
      void this.#keys(`${SEGMENTS}${indexId}/`)
        .then((keys) => this.#deleteUnpinned(keys))
        .catch((error: unknown) =>
          this.#options.log.warn({ err: error }, `objects of index ${indexId} remain in the store`),
        );
    });
  }

  /**
   * Deletes the objects that nothing names: an earlier process ended between an upload and its
   * commit. Call it once, after `snapshots.load`.
   * @param named keys of all objects that are named now
   * @param confirmWriter resolves if no other process wrote before: then no listed object is an
   * upload of a successor of this process
   * @returns the number of objects
   */
  async removeOrphans(
    named: ReadonlySet<string>,
    confirmWriter: () => Promise<void>,
  ): Promise<number> {
    const orphans = (await this.#unknown()).filter((key) => !named.has(key));
    if (orphans.length === 0) return 0;
    await confirmWriter();
    await this.#delete(orphans);
    return orphans.length;
  }

  close(): void {
    this.#options.objects.close();
  }

  #fileOf(key: string): string {
    const { indexes, spool } = this.#options;
    checkKey(key);
    if (key.startsWith(SEGMENTS)) return path.join(indexes, key.slice(SEGMENTS.length));
    if (key.startsWith(PAYLOADS)) return path.join(spool, key.slice(PAYLOADS.length));
    throw new ObjectStoreError(`${key} is not the key of a file`);
  }

  #isHere({ key, bytes }: StoredObject): boolean {
    return fs.statSync(this.#fileOf(key), { throwIfNoEntry: false })?.size === bytes;
  }

  /**
   * Fetches again if its folder was deleted meanwhile: a node that becomes the writer deletes what
   * its catalog does not name, also of a fetch under way, which may be of a file that it needs.
   */
  async #fetch(object: StoredObject): Promise<void> {
    for (let count = 1; ; count++)
      try {
        return await this.#fetchOnce(object);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT' || count === FETCHES_MAX) throw error;
      }
  }

  async #fetchOnce({ key, bytes }: StoredObject): Promise<void> {
    const file = this.#fileOf(key);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const temporary = file + TEMPORARY;
    await writeSynced(temporary, sealedChunks(this.#options.objects, key, bytes));
    fs.renameSync(temporary, file);
    await syncFolder(path.dirname(file));
  }

  /** A failure leaves objects, which the next start deletes. */
  async #deleteUnpinned(keys: readonly string[]): Promise<void> {
    const unpinned = keys.filter((key) => !this.snapshots.isPinned(key));
    try {
      await this.#delete(unpinned);
    } catch (error) {
      const what = keys.length === 1 ? `object ${keys[0]} remains` : 'objects remain';
      this.#options.log.warn({ err: error }, `${what} in the store`);
    }
  }

  #later(run: () => void): void {
    setTimeout(run, this.#options.keepRemovedMs ?? KEEP_REMOVED_MS).unref();
  }

  /** Keys of objects that neither a snapshot names nor this process has uploaded. */
  async #unknown(): Promise<string[]> {
    const uploaded = this.#uploaded ?? new Set();
    try {
      const prefixes = [SEGMENTS, PAYLOADS, SNAPSHOTS];
      const found = (await Promise.all(prefixes.map((prefix) => this.#keys(prefix)))).flat();
      for (const [name, missing] of this.snapshots.incomplete(new Set([...found, ...uploaded])))
        this.#options.log.warn(
          `snapshot ${name} lacks ${counted(missing, 'object')}: it cannot be restored`,
        );
      return found.filter((key) => !uploaded.has(key) && !this.snapshots.isPinned(key));
    } finally {
      this.#uploaded = null;
    }
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
