/**
 * Snapshots of a store: lists of the objects of one moment, which are not deleted while a snapshot
 * names them, and the rows of the database of that moment. No segment file is copied.
 *
 *   snapshots/<name>.rows   entries of the database (rows-file.ts)
 *   snapshots/<name>.json   `SnapshotList`; written last, so a snapshot without it does not exist
 *
 * The name is the time of the snapshot, `YYYYMMDD-HHMMSSmmm` in UTC. The process that writes the
 * store reads all lists at its start, and is the only one that adds and deletes snapshots. A process that was
 * replaced may still add a list late: the next start finds its objects missing and logs it.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Entry } from '../database/key-value-store.ts';
import { encodeRows } from '../database/rows-file.ts';
import { fileChunks } from '../files/file-chunks.ts';
import { writeSynced } from '../files/write-synced.ts';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';
import { getSealed, putSealed, type StoredObject } from './sealed-objects.ts';

export const SNAPSHOTS = 'snapshots/';
const LIST = /^snapshots\/(\d{8}-\d{9})\.json$/;
const FORMAT = 1;
/** Rows of the snapshot that is being written, in the folder. */
const DRAFT = 'snapshot.rows';

export interface SnapshotList {
  readonly format: typeof FORMAT;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly rows: { readonly count: number; readonly bytes: number };
  /** Segment files and payloads. */
  readonly objects: readonly StoredObject[];
}

export interface StoreSnapshot extends SnapshotList {
  readonly name: string;
}

export interface NewSnapshot {
  readonly name: string;
  readonly createdAt: string;
  /** Entries of the database, without the change log. */
  readonly entries: AsyncIterable<Entry>;
  readonly objects: readonly StoredObject[];
}

export interface StoreSnapshotsOptions {
  readonly objects: ObjectStore;
  /** For the rows of a snapshot, before they are uploaded. */
  readonly folder: string;
  /** Called before an object is uploaded. */
  readonly onUpload: (key: string) => void;
  /** Called with keys of objects that a deleted snapshot named and no newer one names. */
  readonly onUnnamed: (keys: readonly string[]) => void;
}

const listKey = (name: string): string => `${SNAPSHOTS}${name}.json`;
export const rowsKey = (name: string): string => `${SNAPSHOTS}${name}.rows`;

/** Names of the snapshots in a store, the oldest first. */
export async function snapshotNames(objects: ObjectStore): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of objects.list(SNAPSHOTS)) {
    const name = LIST.exec(key)?.[1];
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** @returns null if there is no such snapshot. @throws ObjectStoreError if its list is damaged */
export async function readSnapshot(
  objects: ObjectStore,
  name: string,
): Promise<StoreSnapshot | null> {
  const content = await getSealed(objects, listKey(name));
  if (content === null) return null;
  const list = JSON.parse(content.toString()) as SnapshotList;
  if (list.format !== FORMAT)
    throw new ObjectStoreError(
      `${listKey(name)} has format ${String(list.format)}, expected ${FORMAT}`,
    );
  return { ...list, name };
}

/** Keys that a snapshot needs. */
const keysOf = ({ name, objects }: StoreSnapshot): string[] => [
  listKey(name),
  rowsKey(name),
  ...objects.map(({ key }) => key),
];

export class StoreSnapshots {
  readonly #options: StoreSnapshotsOptions;
  /** The oldest first. */
  #snapshots: StoreSnapshot[] = [];
  #pinned: ReadonlySet<string> = new Set();
  /** A list cannot be read, so every object may be named by it. */
  #arePinsUnknown = false;

  constructor(options: StoreSnapshotsOptions) {
    this.#options = options;
  }

  /**
   * Reads the lists. Call before any object is deleted.
   * @returns messages about lists that cannot be read; while there are any, no object is deleted
   */
  async load(): Promise<string[]> {
    const { objects } = this.#options;
    const problems: string[] = [];
    this.#snapshots = [];
    for (const name of await snapshotNames(objects)) {
      try {
        const snapshot = await readSnapshot(objects, name);
        if (snapshot !== null) this.#snapshots.push(snapshot);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    this.#arePinsUnknown = problems.length > 0;
    this.#pin();
    return problems;
  }

  isPinned(key: string): boolean {
    return this.#arePinsUnknown || this.#pinned.has(key);
  }

  /** Milliseconds since 1970 of the newest snapshot; null if there is none. */
  newestMs(): number | null {
    const newest = this.#snapshots.at(-1);
    return newest === undefined ? null : Date.parse(newest.createdAt);
  }

  /** Names of the snapshots that lack objects, with the number of these. @param found existing keys */
  incomplete(found: ReadonlySet<string>): ReadonlyMap<string, number> {
    const missing = this.#snapshots.map((snapshot) => {
      const count = keysOf(snapshot).filter((key) => !found.has(key)).length;
      return [snapshot.name, count] as const;
    });
    return new Map(missing.filter(([, count]) => count > 0));
  }

  /** The objects must be in the store, and stay there until this resolves. */
  async add({ name, createdAt, entries, objects }: NewSnapshot): Promise<void> {
    const { objects: store, folder, onUpload } = this.#options;
    const draft = path.join(folder, DRAFT);
    let count = 0;
    try {
      await writeSynced(
        draft,
        encodeRows(entries, () => count++),
      );
      const { size: bytes } = fs.statSync(draft);
      onUpload(rowsKey(name));
      await putSealed(store, rowsKey(name), { bytes, chunks: () => fileChunks(draft) });
      const list: SnapshotList = { format: FORMAT, createdAt, rows: { count, bytes }, objects };
      const content = Buffer.from(JSON.stringify(list));
      onUpload(listKey(name));
      await putSealed(store, listKey(name), content);
      this.#snapshots.push({ ...list, name });
      this.#pin();
    } finally {
      fs.rmSync(draft, { force: true });
    }
  }

  /** Deletes the oldest snapshots. Call when the store has accepted a write after the last `add`. */
  async keepNewest(count: number): Promise<void> {
    const expired = this.#snapshots.slice(0, Math.max(0, this.#snapshots.length - count));
    for (const snapshot of expired) {
      await this.#options.objects.delete(listKey(snapshot.name));
      this.#snapshots = this.#snapshots.filter(({ name }) => name !== snapshot.name);
    }
    this.#pin();
    const unnamed = new Set(expired.flatMap(keysOf).filter((key) => !this.isPinned(key)));
    if (unnamed.size > 0) this.#options.onUnnamed([...unnamed]);
  }

  #pin(): void {
    this.#pinned = new Set(this.#snapshots.flatMap(keysOf));
  }
}
