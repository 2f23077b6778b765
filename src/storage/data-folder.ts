/**
 * The data folder as a whole: where its parts are, and which format it has.
 *
 *   VERSION              text: number of the folder's format
 *   rocksdb/             tasks, batches, catalog
 *   indexes/<id>/*.seg   segment files of one index
 *   indexes/<id>/*.col   columns of its segments
 *   spool/               request payloads
 */
import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from './sync-folder.ts';

export const DATA_FORMAT_VERSION = 1;

export interface DataFolder {
  readonly root: string;
  readonly rocksdb: string;
  readonly indexes: string;
  readonly spool: string;
}

export function dataFolderAt(root: string): DataFolder {
  const absolute = path.resolve(root);
  return {
    root: absolute,
    rocksdb: path.join(absolute, 'rocksdb'),
    indexes: path.join(absolute, 'indexes'),
    spool: path.join(absolute, 'spool'),
  };
}

/** Creates what is missing and checks the version. Throws a readable error for a folder of another program or a newer version. */
export async function openDataFolder(root: string): Promise<DataFolder> {
  const folder = dataFolderAt(root);
  fs.mkdirSync(folder.root, { recursive: true });
  const isNew = readVersion(folder) === null;
  if (isNew) checkEmpty(folder);
  else checkVersion(folder);
  for (const part of [folder.rocksdb, folder.indexes, folder.spool]) fs.mkdirSync(part, { recursive: true });
  if (isNew) await writeVersion(folder);
  return folder;
}

/** Throws unless the folder has a format that this program reads. */
export function checkVersion(folder: DataFolder): void {
  const text = readVersion(folder);
  if (text === null) throw new Error(`${folder.root} holds no data: it has no file VERSION`);
  const version = /^\d+$/.test(text) ? Number(text) : null;
  if (version === null)
    throw new Error(`${folder.root}/VERSION holds ${JSON.stringify(text)} where a number is expected`);
  if (version > DATA_FORMAT_VERSION) {
    throw new Error(
      `${folder.root} has data format ${version}, but this program reads formats up to ${DATA_FORMAT_VERSION}: use a newer release`,
    );
  }
}

/** A folder without VERSION may hold only what an interrupted first start can leave. */
function checkEmpty(folder: DataFolder): void {
  const ours = new Set(['rocksdb', 'indexes', 'spool', 'VERSION.new', 'lost+found']);
  const foreign = fs.readdirSync(folder.root).filter((name) => !ours.has(name) && !name.startsWith('.'));
  const [first] = foreign;
  if (first !== undefined)
    throw new Error(
      `${folder.root} is no data folder of this program: it holds ${JSON.stringify(first)} but no file VERSION`,
    );
}

function readVersion(folder: DataFolder): string | null {
  const file = path.join(folder.root, 'VERSION');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : null;
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
  const names = await fs.promises.readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const name of names) {
    if (!name.isFile()) continue;
    const found = fs.statSync(path.join(name.parentPath, name.name), { throwIfNoEntry: false });
    sum += found?.size ?? 0;
  }
  return sum;
}
