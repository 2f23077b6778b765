/**
 * Checks whether a path can be the data folder. Only reads; errors say in one line what is wrong
 * and what to do.
 */
import fs from 'node:fs';
import path from 'node:path';

/** The folder cannot be served; the message is one line for the user. */
export class DataFolderRefused extends Error {
  override readonly name = 'DataFolderRefused';
}

/** Data folder format of this release, and the first release that wrote it. */
export const DATA_FORMAT = { version: 3, since: '0.1.0' } as const;
/** Oldest data folder format that can be upgraded (src/upgrade). */
export const OLDEST_FORMAT = 2;

/** Content of the file VERSION: the format, and the oldest release that reads it. */
export const versionText = ({
  version,
  since,
}: {
  readonly version: number;
  readonly since: string;
}): string => `${version}\n${since}\n`;

const OWN_FOLDERS = ['rocksdb-3', 'indexes', 'spool'];
/**
 * Files that an interrupted first start, or a front started before the indexer, can leave in a
 * folder.
 */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...OWN_FOLDERS,
  'VERSION.new',
  'instance-uid',
  'lost+found',
]);
/** Where Meilisearch keeps its databases. Its VERSION file has a text such as 1.50.0. */
const LMDB_FOLDERS = ['tasks', 'auth'];
const LMDB_FILE = 'data.mdb';

interface TakenFormats {
  /** An older format is accepted: the upgrade follows. */
  readonly mayBeOlder?: boolean;
}

/** Throws `DataFolderRefused` unless the path is free, empty, or a data folder of Gannet. */
export function checkDataFolder(root: string, rules: TakenFormats = {}): void {
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

/** Throws `DataFolderRefused` unless this release reads the folder's format. */
export function checkVersion(root: string, { mayBeOlder = false }: TakenFormats = {}): void {
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
  if (format < OLDEST_FORMAT) return 'import its documents into a new data folder';
  return 'start once with `--upgrade-db`, which upgrades it; afterwards only a copy or a snapshot made before can be used with older releases';
}

/** True if the folder must be upgraded before it can be served. */
export const isOlder = (root: string): boolean =>
  readVersion(root) !== null && formatOf(root).format < DATA_FORMAT.version;

/** @throws DataFolderRefused when the folder has no format of Gannet */
export function formatOf(root: string): { readonly format: number; readonly since: string | null } {
  const text = readVersion(root);
  if (text === null) throw new DataFolderRefused(withoutVersion(root));
  if (isMeilisearch(root)) {
    throw new DataFolderRefused(
      `${root} holds the data of Meilisearch ${text}, which Gannet cannot open: ` +
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

function withoutVersion(root: string): string {
  const advice = 'name the folder that a server has as `--db-path`';
  if (!fs.existsSync(root)) return `the folder ${root} does not exist: ${advice}`;
  if (!fs.statSync(root).isDirectory()) return `${root} is a file: ${advice}`;
  return `${root} has no data, because it has no file VERSION: ${advice}`;
}

/** null if the file does not exist. */
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
      `${root} is not a data folder of Gannet: it has ${JSON.stringify(foreign)} but no file VERSION; choose another with \`--db-path\``,
    );
  }
}

/** The folder itself if it exists, else its closest existing parent. */
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
      `data folder ${root} cannot be used: this process has no permission to read and write ${target} (${code}); change its owner, or choose another with \`--db-path\``,
    );
  }
}
