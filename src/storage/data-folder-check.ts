/**
 * Whether a path can be the data folder: looks without writing, and says in one line why not and
 * what to do.
 */
import fs from 'node:fs';
import path from 'node:path';

/** The folder cannot be served; the message is one line for the user. */
export class DataFolderRefused extends Error {
  override readonly name = 'DataFolderRefused';
}

export const DATA_FORMAT_VERSION = 2;

const OWN_FOLDERS = ['rocksdb', 'indexes', 'spool'];
/** What an interrupted first start, or a front that came first, can leave in a folder. */
const OWN_NAMES: ReadonlySet<string> = new Set([...OWN_FOLDERS, 'VERSION.new', 'lost+found']);
/** Where Meilisearch keeps its databases, beside a VERSION such as 1.50.0. */
const LMDB_FOLDERS = ['tasks', 'auth'];
const LMDB_FILE = 'data.mdb';

/** Throws `DataFolderRefused` unless the path is free, empty, or a data folder of this program. */
export function checkDataFolder(root: string): void {
  if (!fs.existsSync(root)) {
    checkAccess(nearestFolder(root), root);
    return;
  }
  checkAccess(root, root);
  if (readVersion(root) === null) checkUnused(root);
  else checkVersion(root);
  for (const part of OWN_FOLDERS.map((name) => path.join(root, name)))
    if (fs.existsSync(part)) checkAccess(part, root);
}

/** Throws `DataFolderRefused` unless the folder has a format that this program reads. */
export function checkVersion(root: string): void {
  const text = readVersion(root);
  if (text === null) throw new DataFolderRefused(`${root} holds no data: it has no file VERSION`);
  if (isMeilisearch(root)) {
    throw new DataFolderRefused(
      `${root} holds the data of Meilisearch ${text}, which this program cannot open: ` +
        'make a dump there (`POST /dumps`) and import it here, into a folder of its own (`--db-path`)',
    );
  }
  if (!/^\d+$/.test(text))
    throw new DataFolderRefused(
      `${root}/VERSION holds ${JSON.stringify(text)} where a number is expected`,
    );
  if (Number(text) !== DATA_FORMAT_VERSION) {
    const advice =
      Number(text) > DATA_FORMAT_VERSION ? 'use a newer release' : 'import its documents anew';
    throw new DataFolderRefused(
      `${root} has data format ${text}, but this program reads format ${DATA_FORMAT_VERSION}: ${advice}`,
    );
  }
}

/** null without the file. */
export function readVersion(root: string): string | null {
  const file = path.join(root, 'VERSION');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : null;
}

function isMeilisearch(root: string): boolean {
  const indexes = path.join(root, 'indexes');
  const folders = [
    ...LMDB_FOLDERS.map((name) => path.join(root, name)),
    ...(fs.existsSync(indexes)
      ? fs.readdirSync(indexes).map((name) => path.join(indexes, name))
      : []),
  ];
  return folders.some((folder) => fs.existsSync(path.join(folder, LMDB_FILE)));
}

function checkUnused(root: string): void {
  const foreign = fs
    .readdirSync(root)
    .find((name) => !OWN_NAMES.has(name) && !name.startsWith('.'));
  if (foreign !== undefined) {
    throw new DataFolderRefused(
      `${root} is no data folder of this program: it holds ${JSON.stringify(foreign)} but no file VERSION; choose another with \`--db-path\``,
    );
  }
}

/** The folder itself, or the one in which it would be made. */
function nearestFolder(target: string): string {
  let folder = target;
  while (!fs.existsSync(folder)) folder = path.dirname(folder);
  return folder;
}

function checkAccess(target: string, root: string): void {
  if (!fs.statSync(target).isDirectory())
    throw new DataFolderRefused(`data folder ${root} cannot be used: ${target} is a file`);
  try {
    fs.accessSync(target, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DataFolderRefused(
      `data folder ${root} cannot be used: this process may not read and write ${target} (${code}); change its owner, or choose another with \`--db-path\``,
    );
  }
}
