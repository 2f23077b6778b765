/**
 * The data folder as a whole: where its parts are, how it is made, how large it is. Only its owner
 * may enter it.
 *
 *   VERSION              text: number of the folder's format
 *   rocksdb/             tasks, batches, catalog
 *   rocksdb.pid          process that has the database open (lock-holder.ts)
 *   indexes/<id>/        files of the segments of one index
 *   embeddings/          vectors that were paid for, by model and content; may be removed
 *   spool/               request payloads
 *   indexer.secret       what fronts show the indexer (indexer-secret.ts)
 */
import fs from 'node:fs';
import path from 'node:path';
import { checkDataFolder, DATA_FORMAT_VERSION, readVersion } from './data-folder-check.ts';
import { errnoOf } from './io-errors.ts';
import { syncFolder } from './sync-folder.ts';

const OWNER_ONLY = 0o700;

export interface DataFolder {
  readonly root: string;
  readonly rocksdb: string;
  readonly indexes: string;
  /** A database of its own, made when it is first needed. */
  readonly embeddings: string;
  readonly spool: string;
}

export function dataFolderAt(root: string): DataFolder {
  const absolute = path.resolve(root);
  return {
    root: absolute,
    rocksdb: path.join(absolute, 'rocksdb'),
    indexes: path.join(absolute, 'indexes'),
    embeddings: path.join(absolute, 'embeddings'),
    spool: path.join(absolute, 'spool'),
  };
}

/** Creates what is missing. Throws `DataFolderRefused`, having written nothing. */
export async function openDataFolder(root: string): Promise<DataFolder> {
  const folder = dataFolderAt(root);
  checkDataFolder(folder.root);
  fs.mkdirSync(folder.root, { recursive: true, mode: OWNER_ONLY });
  closeToOthers(folder.root);
  for (const part of [folder.rocksdb, folder.indexes, folder.spool])
    fs.mkdirSync(part, { recursive: true, mode: OWNER_ONLY });
  if (readVersion(folder.root) === null) await writeVersion(folder);
  return folder;
}

/** A folder of another owner, such as a mounted volume, stays as it is. */
function closeToOthers(folder: string): void {
  try {
    fs.chmodSync(folder, OWNER_ONLY);
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error;
  }
}

async function writeVersion(folder: DataFolder): Promise<void> {
  const draft = path.join(folder.root, 'VERSION.new');
  const handle = await fs.promises.open(draft, 'w');
  await handle.writeFile(`${DATA_FORMAT_VERSION}\n`);
  await handle.sync();
  await handle.close();
  fs.renameSync(draft, path.join(folder.root, 'VERSION'));
  await syncFolder(folder.root);
}

/** Sum of the sizes of all files below; files that vanish meanwhile count nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const names = await fs.promises
    .readdir(folder, { recursive: true, withFileTypes: true })
    .catch(() => []);
  let sum = 0;
  for (const name of names) {
    if (!name.isFile()) continue;
    const found = fs.statSync(path.join(name.parentPath, name.name), { throwIfNoEntry: false });
    sum += found?.size ?? 0;
  }
  return sum;
}
