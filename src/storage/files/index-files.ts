/**
 * Lists and removes segment files in the folders of the indexes. `fs-directory.ts` reads and writes
 * them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ApiError } from '../../core/errors.ts';
import { createFolders } from './create-folders.ts';
import { freeBytesAt } from './free-bytes.ts';
import { errnoOf } from './io-errors.ts';
import { syncFolderBlocking } from './sync-folder.ts';

/**
 * Names of segment files, finished or unfinished (`fs-directory.ts` appends `.tmp` to unfinished
 * files). Other files in an index's folder are ignored.
 */
const FILE_NAME = /^[\w-]+\.[a-z]{3}(\.tmp)?$/;

/** Port, so that tests of the scheduler need no disk. */
export interface IndexFiles {
  /**
   * The absolute path of the folder of an index. Creates the folder when missing and syncs its
   * parent.
   */
  locate(indexId: number): string;
  indexIds(): number[];
  /**
   * Names of an index's segment files, including unfinished files and files that no manifest names.
   */
  fileNames(indexId: number): string[];
  /**
   * Gives an index the files of another one: hard links, synced. @throws ApiError `io_error` if the
   * file system has none
   */
  linkFiles(fromId: number, toId: number, names: readonly string[]): void;
  /** Removes one file. False when the system refuses; the caller tries again later. */
  removeFile(indexId: number, name: string): boolean;
  /**
   * Removes the files whose names have this prefix. A file that the system refuses to remove stays.
   */
  removeStartingWith(indexId: number, prefix: string): void;
  /** Removes the index's folder. False when the system refuses. */
  removeIndex(indexId: number): boolean;
  /** Free bytes on the disk of the indexes; null when the system does not report it. */
  freeBytes(): number | null;
  /** Call once at start: syncs the existing folders. */
  syncFolders(): void;
}

/** Deletes elsewhere what was removed here: the objects of a folder that caches a store. */
interface RemovalListener {
  removeSegment(file: { readonly indexId: number; readonly name: string }): void;
  removeIndex(indexId: number): void;
}

export class FsIndexFiles implements IndexFiles {
  readonly #folder: string;
  readonly #listener: RemovalListener | null;

  constructor(folder: string, listener: RemovalListener | null = null) {
    this.#folder = folder;
    this.#listener = listener;
  }

  locate(indexId: number): string {
    const folder = this.#folderOf(indexId);
    if (!fs.existsSync(folder)) {
      createFolders(folder);
      syncFolderBlocking(this.#folder);
    }
    return folder;
  }

  indexIds(): number[] {
    return fs
      .readdirSync(this.#folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  }

  fileNames(indexId: number): string[] {
    const folder = this.#folderOf(indexId);
    return fs.existsSync(folder)
      ? fs.readdirSync(folder).filter((name) => FILE_NAME.test(name))
      : [];
  }

  linkFiles(fromId: number, toId: number, names: readonly string[]): void {
    this.locate(toId);
    const [from, to] = [this.#folderOf(fromId), this.#folderOf(toId)];
    for (const name of names) linked(path.join(from, name), path.join(to, name));
    syncFolderBlocking(to);
  }

  removeFile(indexId: number, name: string): boolean {
    const isRemoved = removed(path.join(this.#folderOf(indexId), name));
    if (isRemoved && !name.endsWith('.tmp')) this.#listener?.removeSegment({ indexId, name });
    return isRemoved;
  }

  removeIndex(indexId: number): boolean {
    const isRemoved = removed(this.#folderOf(indexId));
    if (isRemoved) this.#listener?.removeIndex(indexId);
    return isRemoved;
  }

  removeStartingWith(indexId: number, prefix: string): void {
    for (const name of this.fileNames(indexId))
      if (name.startsWith(prefix)) this.removeFile(indexId, name);
  }

  freeBytes(): number | null {
    return freeBytesAt(this.#folder);
  }

  syncFolders(): void {
    syncFolderBlocking(this.#folder);
  }

  #folderOf(indexId: number): string {
    return folderOfIndex(this.#folder, indexId);
  }
}

/** @param indexes folder `indexes` of the data folder */
export const folderOfIndex = (indexes: string, indexId: number): string =>
  path.join(indexes, String(indexId));

function linked(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EXDEV', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error;
    throw new ApiError(
      'io_error',
      'The file system of the data folder makes no hard links, which a branch needs. Use a dump or an export to copy the index.',
      { cause: error },
    );
  }
}

/** Some systems refuse to remove mapped files. */
function removed(target: string): boolean {
  try {
    fs.rmSync(target, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (['EPERM', 'EBUSY', 'EACCES', 'ENOTEMPTY'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
