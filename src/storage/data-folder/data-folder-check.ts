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

/** Format of the data folder that this release works with, and the release that began with it. */
export const DATA_FORMAT = { version: 3, since: '0.1.0' } as const;
/** Folders of this format and later ones can be upgraded (src/upgrade). */
export const OLDEST_FORMAT = 2;

/** The content of a file VERSION: the format, and the oldest release that reads it. */
export const versionText = ({
  version,
  since,
}: {
  readonly version: number;
  readonly since: string;
}): string => `${version}\n${since}\n`;

const OWN_FOLDERS = ['rocksdb-3', 'indexes', 'spool'];
/** What an interrupted first start, or a front that came first, can leave in a folder. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...OWN_FOLDERS,
  'VERSION.new',
  'instance-uid',
  'lost+found',
]);
/** Where Meilisearch keeps its databases, beside a VERSION such as 1.50.0. */
const LMDB_FOLDERS = ['tasks', 'auth'];
const LMDB_FILE = 'data.mdb';

export interface TakenFormats {
  /** One of an older format is taken, too: it is about to be upgraded. */
  readonly mayBeOlder: boolean;
}
const THIS_FORMAT: TakenFormats = { mayBeOlder: false };

/** Throws `DataFolderRefused` unless the path is free, empty, or a data folder of this program. */
export function checkDataFolder(root: string, rules: TakenFormats = THIS_FORMAT): void {
  if (!fs.existsSync(root)) {
    checkAccess(nearestFolder(root), root);
    return;
  }
  checkAccess(root, root);
  if (readVersion(root) === null) checkUnused(root);
  else checkVersion(root, rules);
  for (const part of OWN_FOLDERS.map((name) => path.join(root, name)))
    if (fs.existsSync(part)) checkAccess(part, root);
}

/** Throws `DataFolderRefused` unless the folder has a format that this program reads. */
export function checkVersion(root: string, { mayBeOlder }: TakenFormats = THIS_FORMAT): void {
  const { version } = DATA_FORMAT;
  const { format, since } = formatOf(root);
  if (format === version || (mayBeOlder && format < version && format >= OLDEST_FORMAT)) return;
  throw new DataFolderRefused(
    `${root} has data format ${format}, and this release works with format ${version}: ${adviceOn(format, since)}`,
  );
}

function adviceOn(format: number, since: string | null): string {
  if (format > DATA_FORMAT.version)
    return since === null ? 'run a newer release' : `run release ${since} or a later one`;
  if (format < OLDEST_FORMAT) return 'import its documents anew';
  return 'start once with `--upgrade-db`, which upgrades it; only a copy or a snapshot made before leads back';
}

/** Whether it has to be upgraded before it can be served. */
export const isOlder = (root: string): boolean =>
  readVersion(root) !== null && formatOf(root).format < DATA_FORMAT.version;

/** @throws DataFolderRefused for a folder without a format of this program */
export function formatOf(root: string): { readonly format: number; readonly since: string | null } {
  const text = readVersion(root);
  if (text === null) throw new DataFolderRefused(`${root} holds no data: it has no file VERSION`);
  if (isMeilisearch(root)) {
    throw new DataFolderRefused(
      `${root} holds the data of Meilisearch ${text}, which this program cannot open: ` +
        'make a dump there (`POST /dumps`) and import it here, into a folder of its own (`--db-path`)',
    );
  }
  const [format = '', since = null] = text.split('\n');
  if (!/^\d+$/.test(format))
    throw new DataFolderRefused(
      `${root}/VERSION holds ${JSON.stringify(text)} where a number is expected`,
    );
  return { format: Number(format), since };
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
