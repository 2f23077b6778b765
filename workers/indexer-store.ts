/** Opens the object store of `--store`: the database in it, and the files that the folder caches. */
import type { Config } from '../config/load.ts';
import { EXIT_FENCED } from '../src/core/process-end.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import { StartFailure } from '../src/runtime/start-failure.ts';
import { openDataFolder } from '../src/storage/data-folder/data-folder.ts';
import { SlateDbStore } from '../src/storage/database/slatedb-store.ts';
import type { ObjectStore } from '../src/storage/object-store/object-store.ts';
import { openObjectStore } from '../src/storage/object-store/open-store.ts';
import { slateDbPlace } from '../src/storage/object-store/slatedb-place.ts';
import { writeStoreNote } from '../src/storage/object-store/store-note.ts';
import { StoredFiles } from '../src/storage/object-store/stored-files.ts';

const FORMAT_KEY = 'format';
/** Number of the layout of keys and values in a store. */
const STORE_FORMAT = '1\n';

export interface OpenedStore {
  readonly store: SlateDbStore;
  readonly stored: StoredFiles;
}

/** null = all data is in the data folder. */
export async function openStore(config: Config, log: ProcessLogger): Promise<OpenedStore | null> {
  const { store: url, dbPath } = config;
  if (url === null) return null;
  try {
    const { env } = process;
    const objects = openObjectStore(url, { env, nowMs: Date.now, random: Math.random });
    await checkFormat(objects, url);
    const { root, indexes, spool } = await openDataFolder(dbPath);
    writeStoreNote(root, url);
    const onFenced = (error: Error): void => {
      log.error(error.message);
      process.exit(EXIT_FENCED);
    };
    const store = await SlateDbStore.open({ ...slateDbPlace(url, env), onFenced });
    return { store, stored: new StoredFiles({ objects, indexes, spool, log }) };
  } catch (error) {
    throw new StartFailure((error as Error).message, { cause: error });
  }
}

async function checkFormat(objects: ObjectStore, url: string): Promise<void> {
  await objects.create(FORMAT_KEY, Buffer.from(STORE_FORMAT));
  const found = Buffer.from((await objects.get(FORMAT_KEY)) ?? []).toString();
  if (found === STORE_FORMAT) return;
  throw new Error(`${url} has format ${found.trim() || 'none'}, expected ${STORE_FORMAT.trim()}`);
}
