/**
 * The data folder: paths of its parts, creation, size. Only the owner has access.
 *
 *   VERSION              text: number of the folder's format, and the first release that wrote it
 *   rocksdb-3/           tasks, batches, catalog
 *   rocksdb-3.pid        process that has the database open (rocksdb-store.ts)
 *   indexes/<id>/        segment files of one index
 *   embeddings-3/        cached embeddings of documents, by model and content; may be removed
 *   models/              files of local models, unless --model-dir says otherwise
 *   spool/               request payloads
 *   analytics/           searches and events (analytics-files.ts); may be removed
 *   audit/               changes and refused authorizations (audit-files.ts); may be removed
 *   fingerprints/        sums of fingerprints (fingerprint-files.ts); may be removed
 *   indexer.secret       authenticates fronts to the indexer (notes.ts)
 *   verified-files.json     segment files that were verified (verified-files.ts); may be removed
 *   instance-uid         UID of the instance, for people (notes.ts)
 *
 * Database folders carry the number of the first format that uses them. An upgrade writes new
 * databases and leaves the old ones untouched; replacing `VERSION` switches to the new ones.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../../core/errors.ts';
import { createFolders } from '../files/create-folders.ts';
import { errnoOf, toStorageError } from '../files/io-errors.ts';
import { replaceFileSynced } from '../files/sync-folder.ts';
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
/**
 * Database folders of older formats. They exist when an upgrade was interrupted right after its
 * commit.
 */
const OUTDATED = ['rocksdb', 'rocksdb.pid', 'embeddings', 'embeddings.pid'];

/** Absolute paths of the parts of a data folder. */
export type DataFolder = Readonly<ReturnType<typeof dataFolderAt>>;

export function dataFolderAt(root: string) {
  const absolute = path.resolve(root);
  const part = (name: string): string => path.join(absolute, name);
  return {
    root: absolute,
    rocksdb: part(DATABASE),
    indexes: part('indexes'),
    spool: part('spool'),
    /** A separate database. Created on first use, as all that follow. */
    embeddings: part('embeddings-3'),
    analytics: part('analytics'),
    audit: part('audit'),
    fingerprints: part('fingerprints'),
    /** Folder of local models, unless `--model-dir` is set. */
    models: part('models'),
  };
}

/** Creates the folder itself. Throws `DataFolderRefused` where none can be. */
export function createDataFolder(root: string): void {
  try {
    createFolders(root, OWNER_ONLY);
  } catch (cause) {
    throw refusedFor(root, cause);
  }
}

function refusedFor(root: string, cause: unknown): unknown {
  const code = errnoOf(cause);
  if (code === null) return cause;
  const error = toStorageError(cause);
  const reason =
    error instanceof ApiError ? error.message : `${code}; choose another with \`--db-path\``;
  return new DataFolderRefused(`data folder ${root} cannot be used: ${reason}`, { cause });
}

/** Creates missing parts. Throws `DataFolderRefused` without changing existing files. */
export async function openDataFolder(root: string): Promise<DataFolder> {
  const folder = dataFolderAt(root);
  checkDataFolder(folder.root);
  try {
    await makeFolders(folder);
  } catch (cause) {
    throw refusedFor(folder.root, cause);
  }
  removeOutdated(folder.root);
  return folder;
}

async function makeFolders({ root, rocksdb, indexes, spool }: DataFolder): Promise<void> {
  createFolders(root, OWNER_ONLY);
  closeToOthers(root);
  for (const part of [rocksdb, indexes, spool]) createFolders(part, OWNER_ONLY);
  if (readVersion(root) === null) await writeVersion(root, DATA_FORMAT);
}

/** A folder with another owner, such as a mounted volume, keeps its permissions. */
function closeToOthers(folder: string): void {
  try {
    fs.chmodSync(folder, OWNER_ONLY);
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error;
  }
}

/** Resolves when the new format survives a power cut. Until then the folder has its old format. */
export async function writeVersion(
  root: string,
  format: Parameters<typeof versionText>[0],
): Promise<void> {
  await replaceFileSynced(path.join(root, 'VERSION'), versionText(format));
}

/** Removes the databases that only older formats use. */
export function removeOutdated(root: string): void {
  for (const name of OUTDATED) fs.rmSync(path.join(root, name), { recursive: true, force: true });
}

/** Files measured before the event loop runs other callbacks. */
const LOOKED_AT_ONCE = 256;

/** Total bytes of all files below. Files that vanish meanwhile count zero. */
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

/**
 * A measurement is valid for this multiple of its duration: bounds the share of time spent on
 * measuring.
 */
const GOOD_FOR = 20;

/** Cached sizes of folders in bytes. An expired size is measured again. */
export class FolderMeter {
  readonly #folders: readonly string[];
  #measured: Promise<number> | null = null;
  /** End of validity, by the monotonic clock; infinity while a measurement runs. */
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
