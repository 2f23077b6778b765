/** Where an instance is copied to: an object store, or a new data folder. */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import { dataFolderAt, openDataFolder } from '../../storage/data-folder/data-folder.ts';
import { NewDataFolder } from '../../storage/data-folder/new-data-folder.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import { RocksDbStore } from '../../storage/database/rocksdb-store.ts';
import { SlateDbStore } from '../../storage/database/slatedb-store.ts';
import type { ObjectStore } from '../../storage/object-store/object-store.ts';
import {
  copySealed,
  type StoredObject,
  sealedBytes,
  verifySealed,
} from '../../storage/object-store/sealed-objects.ts';
import { SLATEDB_FOLDER, slateDbPlace } from '../../storage/object-store/slatedb-place.ts';
import { abandonStore, claimStore, finishStore } from '../../storage/object-store/store-format.ts';
import type { Environment } from '../../storage/object-store/store-url.ts';
import { StoredFiles } from '../../storage/object-store/stored-files.ts';
import { CopyFailed, type CopySource, objectsIn } from './copy-source.ts';

const TRANSFERS = 4;

export interface CopyTarget {
  /** Copies the files of the source, and reads each copy to check it. */
  takeFiles(source: CopySource, onFile: () => void): Promise<void>;
  /** An empty database. */
  openDatabase(): Promise<KeyValueStore>;
  /** Call when the database is closed: from now on a server can use the target. */
  finish(): Promise<void>;
  /** Removes everything that was copied; the database is closed. */
  abandon(): Promise<void>;
  /** Call after `finish` or a failure. */
  close(): void;
}

/** Copies delete nothing, so nothing is logged. */
const log = { info: () => undefined, warn: () => undefined };

/** An interrupted copy of the same source is completed; its database is written again. */
export async function storeTarget(
  url: string,
  objects: ObjectStore,
  env: Environment,
  sourceName: string,
): Promise<CopyTarget> {
  await claimStore(objects, url, sourceName);
  return {
    async takeFiles({ files, place }, onFile) {
      const present = await objectsIn(objects);
      const copy = uploader(objects, place);
      await mapInParallel(files, TRANSFERS, async (file) => {
        const isThere = present.get(file.key) === sealedBytes(file.bytes);
        if (!isThere || !(await isSound(objects, file))) await copy(file);
        onFile();
      });
    },
    async openDatabase() {
      for await (const { key } of objects.list(`${SLATEDB_FOLDER}/`)) await objects.delete(key);
      return SlateDbStore.open(slateDbPlace(url, env));
    },
    finish: () => finishStore(objects),
    abandon: () => abandonStore(objects),
    close: () => objects.close(),
  };
}

const isSound = (objects: ObjectStore, file: StoredObject): Promise<boolean> =>
  verifySealed(objects, file).then(
    () => true,
    () => false,
  );

/** Reads the object again in both cases. */
function uploader(
  objects: ObjectStore,
  place: CopySource['place'],
): (file: StoredObject) => Promise<void> {
  if (place.kind === 'store') return (file) => copySealed(place.objects, objects, file);
  const { indexes, spool } = dataFolderAt(place.root);
  const stored = new StoredFiles({ objects, indexes, spool, log });
  return (file) => stored.keep([file.key]);
}

/**
 * An interrupted copy is begun again.
 * @param verify resolves to a list of problems of the finished folder
 */
export async function folderTarget(
  root: string,
  verify: (root: string) => Promise<readonly string[]>,
): Promise<CopyTarget> {
  const created = await NewDataFolder.claim(root);
  const { rocksdb, indexes, spool } = await openDataFolder(created.data);
  let isFinished = false;
  return {
    async takeFiles({ files, place }, onFile) {
      if (place.kind === 'folder') throw new Error('a folder is not copied into a folder');
      const stored = new StoredFiles({ objects: place.objects, indexes, spool, log });
      await mapInParallel(files, TRANSFERS, async (file) => {
        await stored.fetch([file]);
        onFile();
      });
    },
    openDatabase: () => RocksDbStore.open(rocksdb),
    async finish() {
      const problems = await verify(created.data);
      if (problems.length > 0) throw new CopyFailed(`the copy is damaged: ${problems.join('; ')}`);
      await created.publish();
      isFinished = true;
    },
    abandon: async () => created.abandon(),
    close() {
      if (!isFinished) created.abandon();
    },
  };
}
