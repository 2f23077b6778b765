/** Where an instance is copied from: a snapshot in a store, a stopped store, or a data folder. */
import { IndexCatalog } from '../../catalog/index-catalog.ts';
import { counted } from '../../core/counted.ts';
import { segmentFilesOf } from '../../model/index-manifest.ts';
import { dataFolderAt } from '../../storage/data-folder/data-folder.ts';
import { checkVersion, DataFolderRefused } from '../../storage/data-folder/data-folder-check.ts';
import { checkStoreNote } from '../../storage/data-folder/notes.ts';
import { WRITER_KEY, withoutLog } from '../../storage/database/change-log.ts';
import type {
  Entry,
  KeyValueReader,
  KeyValueStore,
} from '../../storage/database/key-value-store.ts';
import { RocksDbStore } from '../../storage/database/rocksdb-store.ts';
import { decodeRows } from '../../storage/database/rows-file.ts';
import { SlateDbReader } from '../../storage/database/slatedb-reader.ts';
import { type ObjectStore, ObjectStoreError } from '../../storage/object-store/object-store.ts';
import {
  DamagedObject,
  type StoredObject,
  sealedBytes,
  sealedChunks,
  verifySealed,
} from '../../storage/object-store/sealed-objects.ts';
import { slateDbPlace } from '../../storage/object-store/slatedb-place.ts';
import { checkStoreFormat } from '../../storage/object-store/store-format.ts';
import {
  readSnapshot,
  rowsKey,
  snapshotNames,
} from '../../storage/object-store/store-snapshots.ts';
import type { Environment } from '../../storage/object-store/store-url.ts';
import { payloadObject, segmentObject } from '../../storage/object-store/stored-files.ts';
import { isWaiting, tasksInStore } from '../../tasks/store/tasks-in-store.ts';

const POLL_MS = 1000;

export interface CopySource {
  /** For messages. */
  readonly name: string;
  /** Segment files and payloads, by their keys in a store. */
  readonly files: readonly StoredObject[];
  /** The data folder with the files, or the store. */
  readonly place:
    | { readonly kind: 'folder'; readonly root: string }
    | { readonly kind: 'store'; readonly objects: ObjectStore };
  /** Entries of the database in the order of their keys. */
  rows(): AsyncIterable<Entry>;
  /** Call after the copy. @throws an error if the source has changed meanwhile */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** The copy differs from its source, or the source is damaged. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed';

  static ofDamaged(source: string, problem: string): CopyFailed {
    return new CopyFailed(`${source} is damaged: ${problem}`);
  }
}

/** Resolves to the result of the work; closes what the work uses if it fails. */
export async function orClose<Result>(
  work: Promise<Result>,
  close: () => Promise<void> | void,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Bytes by key. */
export async function objectsIn(objects: ObjectStore): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, bytes } of objects.list('')) found.set(key, bytes);
  return found;
}

/** @throws CopyFailed if the store lacks files, or has them with other lengths */
async function checkFiles(
  source: string,
  objects: ObjectStore,
  files: readonly StoredObject[],
): Promise<void> {
  const found = await objectsIn(objects);
  const damaged = files.filter(({ key, bytes }) => found.get(key) !== sealedBytes(bytes));
  const [first] = damaged;
  if (first === undefined) return;
  const { key, bytes } = first;
  const length = found.get(key);
  const problem =
    length === undefined ? 'is missing' : `has ${length} bytes, expected ${sealedBytes(bytes)}`;
  const others = damaged.length > 1 ? `, and ${counted(damaged.length - 1, 'more object')}` : '';
  throw CopyFailed.ofDamaged(source, `object ${key} ${problem}${others}`);
}

/** Files that the entries of a database name. */
export async function namedFiles(reader: KeyValueStore): Promise<StoredObject[]> {
  const catalog = await IndexCatalog.load(reader);
  const files = [...catalog.all()].flatMap(segmentFilesOf).map(segmentObject);
  for await (const { stored } of tasksInStore(reader, isWaiting)) {
    const content = stored.work?.content;
    if (content?.kind === 'file') files.push(payloadObject(content));
  }
  return files;
}

/** @param name null = the newest. @throws ObjectStoreError, CopyFailed if the snapshot is damaged */
export async function snapshotSource(
  url: string,
  objects: ObjectStore,
  name: string | null,
): Promise<CopySource> {
  await checkStoreFormat(objects, url);
  const names = await snapshotNames(objects);
  const wanted = name ?? names.at(-1);
  if (wanted === undefined) throw new ObjectStoreError(`${url} has no snapshots`);
  const found = names.includes(wanted) ? await readSnapshot(objects, wanted) : null;
  if (found === null)
    throw new ObjectStoreError(
      `${url} has no snapshot ${wanted}; it has ${names.join(', ') || 'none'}`,
    );
  const { objects: files } = found;
  const source = `snapshot ${wanted} of ${url}`;
  const rows = { key: rowsKey(wanted), bytes: found.rows.bytes };
  await checkFiles(source, objects, [rows, ...files]);
  await verifySealed(objects, rows).catch((error: unknown) => {
    throw error instanceof DamagedObject ? CopyFailed.ofDamaged(source, error.message) : error;
  });
  return {
    name: source,
    files,
    place: { kind: 'store', objects },
    rows: () => decodeRows(sealedChunks(objects, rows.key, rows.bytes)),
    confirm: async () => undefined,
    close: async () => objects.close(),
  };
}

/** @throws DataFolderRefused, or an error if a server has the folder open */
export async function folderSource(root: string): Promise<CopySource> {
  const folder = dataFolderAt(root);
  checkVersion(folder.root);
  checkStoreNote(folder.root, null);
  const store = await openStopped(folder.rocksdb, folder.root);
  return {
    name: folder.root,
    files: await orClose(namedFiles(store), () => store.close()),
    place: { kind: 'folder', root: folder.root },
    rows: () => store.iterate({}),
    // RocksDB's lock keeps servers away.
    confirm: async () => undefined,
    close: () => store.close(),
  };
}

async function openStopped(database: string, root: string): Promise<RocksDbStore> {
  try {
    return await RocksDbStore.open(database, { mustExist: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DataFolderRefused(`${root} cannot be read: ${reason}`, { cause });
  }
}

/** A store that no server writes. @throws ObjectStoreError if one does */
export async function storeSource(
  url: string,
  objects: ObjectStore,
  env: Environment,
): Promise<CopySource> {
  await checkStoreFormat(objects, url);
  const reader = await SlateDbReader.open({ ...slateDbPlace(url, env), pollMs: POLL_MS });
  if (reader === null) throw new ObjectStoreError(`${url} has no database`);
  const { note, files } = await orClose(stoppedState(url, objects, reader), () => reader.close());
  return {
    name: url,
    files,
    place: { kind: 'store', objects },
    rows: () => withoutLog(reader.iterate({})),
    async confirm() {
      const now = await SlateDbReader.open({ ...slateDbPlace(url, env), pollMs: POLL_MS });
      const found = now && (await readNote(now).finally(() => now.close()));
      if (found !== note) throw new ObjectStoreError(`a server has written ${url} meanwhile`);
    },
    async close() {
      await reader.close();
      objects.close();
    },
  };
}

/** @throws ObjectStoreError if a server writes the store, CopyFailed if it lacks files */
async function stoppedState(url: string, objects: ObjectStore, reader: SlateDbReader) {
  const note = await readNote(reader);
  const { hasStopped } = JSON.parse(note ?? '{}') as { readonly hasStopped?: boolean };
  if (hasStopped !== true)
    throw new ObjectStoreError(
      `${url} is in use, or its last server did not stop in order: stop all servers, or start one and stop it`,
    );
  const files = await namedFiles(reader);
  await checkFiles(url, objects, files);
  return { note, files };
}

/** The note of the process that writes (cluster/writer-note.ts), as text. */
async function readNote(reader: KeyValueReader): Promise<string | null> {
  const value = await reader.get(WRITER_KEY);
  return value === null ? null : new TextDecoder().decode(value);
}
