/**
 * Which files of segments lie in the folders of the indexes, and their removal. Writing and reading
 * them is `fs-directory.ts`.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { IndexLocation } from '../../core/index-location.ts';
import { freeBytesAt } from './free-bytes.ts';
import { errnoOf } from './io-errors.ts';
import { syncFolderBlocking } from './sync-folder.ts';

/**
 * Of segments, finished or not (`fs-directory.ts` appends `.tmp` to those that are not): what an
 * index's folder holds beside them is left alone.
 */
const FILE_NAME = /^[\w-]+\.[a-z]{3}(\.tmp)?$/;

/** Port, so that the scheduler's tests need no disk. */
export interface IndexFiles {
  /** Where the files of an index lie; the folder is created when missing, and then durable. */
  locate(indexId: number): IndexLocation;
  indexIds(): number[];
  /**
   * Names of the files of an index's segments, whether or not its manifest names them, unfinished
   * ones too.
   */
  fileNames(indexId: number): string[];
  /**
   * Removes one file; true when it is gone, false when the system refuses now (then try again
   * later).
   */
  removeFile(indexId: number, name: string): boolean;
  /** Removes the files whose names begin so; one that the system refuses to remove stays. */
  removeStartingWith(indexId: number, prefix: string): void;
  /** Removes the index's folder; true when it is gone. */
  removeIndex(indexId: number): boolean;
  /** Where the files lie; null when the system does not say. */
  freeBytes(): number | null;
  /** Once at start: makes the folders that are there durable. */
  syncFolders(): void;
}

export class FsIndexFiles implements IndexFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  locate(indexId: number): IndexLocation {
    const folder = this.#folderOf(indexId);
    if (fs.mkdirSync(folder, { recursive: true }) !== undefined) syncFolderBlocking(this.#folder);
    return { kind: 'folder', path: folder };
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

  removeFile(indexId: number, name: string): boolean {
    return removed(path.join(this.#folderOf(indexId), name));
  }

  removeIndex(indexId: number): boolean {
    return removed(this.#folderOf(indexId));
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

/** @param indexes that of the data folder */
export const folderOfIndex = (indexes: string, indexId: number): string =>
  path.join(indexes, String(indexId));

/** Some systems refuse to remove a file that is mapped. */
function removed(target: string): boolean {
  try {
    fs.rmSync(target, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (['EPERM', 'EBUSY', 'EACCES', 'ENOTEMPTY'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
