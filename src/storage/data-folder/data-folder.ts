/**
 * The data folder as a whole: where its parts are, how it is made, how large it is. Only its owner
 * may enter it.
 *
 *   VERSION              text: number of the folder's format, and the release that began with it
 *   rocksdb-3/           tasks, batches, catalog
 *   rocksdb-3.pid        process that has the database open (lock-holder.ts)
 *   indexes/<id>/        files of the segments of one index
 *   embeddings-3/        vectors that were paid for, by model and content; may be removed
 *   models/              files of local models, unless --model-dir says otherwise
 *   spool/               request payloads
 *   indexer.secret       what fronts show the indexer (indexer-secret.ts)
 *   sound-files.json     files that were found sound (sound-files.ts); may be removed
 *   instance-uid         what the instance is known by, for people (instance-uid-file.ts)
 *
 * Databases carry the number of the format that began with them, so that an upgrade writes new ones
 * beside those of the old format, and `VERSION` alone says which are meant.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../../core/errors.ts';
import { errnoOf, toStorageError } from '../files/io-errors.ts';
import { syncFolder } from '../files/sync-folder.ts';
import {
  checkDataFolder,
  DATA_FORMAT,
  DataFolderRefused,
  readVersion,
  versionText,
} from './data-folder-check.ts';

const OWNER_ONLY = 0o700;
/** Name of the folder of the database. */
export const DATABASE = 'rocksdb-3';
/** Of older formats: what an upgrade that was cut off right after its end has left. */
const OUTDATED = ['rocksdb', 'rocksdb.pid', 'embeddings', 'embeddings.pid'];

export interface DataFolder {
  readonly root: string;
  readonly rocksdb: string;
  readonly indexes: string;
  /** A database of its own, made when it is first needed. */
  readonly embeddings: string;
  readonly spool: string;
  /** Of local models, unless they are elsewhere. */
  readonly models: string;
}

export function dataFolderAt(root: string): DataFolder {
  const absolute = path.resolve(root);
  return {
    root: absolute,
    rocksdb: path.join(absolute, DATABASE),
    indexes: path.join(absolute, 'indexes'),
    embeddings: path.join(absolute, 'embeddings-3'),
    spool: path.join(absolute, 'spool'),
    models: path.join(absolute, 'models'),
  };
}

/** Creates what is missing. Throws `DataFolderRefused`, having changed nothing of what is there. */
export async function openDataFolder(root: string): Promise<DataFolder> {
  const folder = dataFolderAt(root);
  checkDataFolder(folder.root);
  try {
    await makeFolders(folder);
  } catch (cause) {
    const error = toStorageError(cause);
    if (!(error instanceof ApiError)) throw cause;
    const message = `data folder ${folder.root} cannot be used: ${error.message}`;
    throw new DataFolderRefused(message, { cause });
  }
  removeOutdated(folder.root);
  return folder;
}

async function makeFolders({ root, rocksdb, indexes, spool }: DataFolder): Promise<void> {
  fs.mkdirSync(root, { recursive: true, mode: OWNER_ONLY });
  closeToOthers(root);
  for (const part of [rocksdb, indexes, spool])
    fs.mkdirSync(part, { recursive: true, mode: OWNER_ONLY });
  if (readVersion(root) === null) await writeVersion(root, DATA_FORMAT);
}

/** A folder of another owner, such as a mounted volume, stays as it is. */
function closeToOthers(folder: string): void {
  try {
    fs.chmodSync(folder, OWNER_ONLY);
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error;
  }
}

/** Resolves when it survives a power cut; before, the folder has the format that it had. */
export async function writeVersion(
  root: string,
  format: Parameters<typeof versionText>[0],
): Promise<void> {
  const draft = path.join(root, 'VERSION.new');
  const handle = await fs.promises.open(draft, 'w');
  await handle.writeFile(versionText(format));
  await handle.sync();
  await handle.close();
  fs.renameSync(draft, path.join(root, 'VERSION'));
  await syncFolder(root);
}

/** Removes what only older formats use. */
export function removeOutdated(root: string): void {
  for (const name of OUTDATED) fs.rmSync(path.join(root, name), { recursive: true, force: true });
}

/** Files looked at before others have their turn. */
const LOOKED_AT_ONCE = 256;

/** Sum of the sizes of all files below; files that vanish meanwhile count nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const names = await fs.promises
    .readdir(folder, { recursive: true, withFileTypes: true })
    .catch(() => []);
  let sum = 0;
  for (const [position, name] of names.entries()) {
    if (position % LOOKED_AT_ONCE === LOOKED_AT_ONCE - 1) await nextTurn();
    if (!name.isFile()) continue;
    const found = fs.statSync(path.join(name.parentPath, name.name), { throwIfNoEntry: false });
    sum += found?.size ?? 0;
  }
  return sum;
}

/** So many times what a measurement took it is good for: the share of time that goes into them. */
const GOOD_FOR = 20;

/** Bytes of folders: measured anew when the last measurement is old, given what it took. */
export class FolderMeter {
  readonly #folders: readonly string[];
  #measured: Promise<number> | null = null;
  /** Until when it is good, by the monotonic clock; infinity while it is under way. */
  #goodUntilMs = Number.NEGATIVE_INFINITY;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  bytes(): Promise<number> {
    if (this.#measured === null || performance.now() > this.#goodUntilMs)
      this.#measured = this.#measure();
    return this.#measured;
  }

  async #measure(): Promise<number> {
    const startMs = performance.now();
    this.#goodUntilMs = Number.POSITIVE_INFINITY;
    try {
      const each = await Promise.all(this.#folders.map(folderBytes));
      return each.reduce((sum, bytes) => sum + bytes, 0);
    } finally {
      const endMs = performance.now();
      this.#goodUntilMs = endMs + GOOD_FOR * (endMs - startMs);
    }
  }
}
