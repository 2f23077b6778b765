/** Which files of segments lie in the folders of the indexes, and their removal. Writing and reading them is `fs-directory.ts`. */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from './io-errors.ts';
import { syncFolderBlocking } from './sync-folder.ts';

/** Segments and their columns. */
const FILE_NAME = /\.(seg|col)$/;
/** What `fs-directory.ts` appends while a file has no name yet. */
const UNFINISHED_EXTENSION = '.tmp';

/** Port, so that the scheduler's tests need no disk. */
export interface IndexFiles {
  /** Absolute folder of an index, created when missing and then durable. */
  createFolder(indexId: number): string;
  indexIds(): number[];
  /** Names of the files of an index's segments and columns. */
  fileNames(indexId: number): string[];
  /** Removes one file; true when it is gone, false when the system refuses now (then try again later). */
  removeFile(indexId: number, name: string): boolean;
  /** Removes the index's folder; true when it is gone. */
  removeIndex(indexId: number): boolean;
  /** Once at start: removes files that were being written when the process ended, makes the folders that are there durable. */
  removeUnfinished(): void;
}

export class FsIndexFiles implements IndexFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  createFolder(indexId: number): string {
    const folder = this.#folderOf(indexId);
    if (fs.mkdirSync(folder, { recursive: true }) !== undefined) syncFolderBlocking(this.#folder);
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
    return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => FILE_NAME.test(name)) : [];
  }

  removeFile(indexId: number, name: string): boolean {
    return removed(path.join(this.#folderOf(indexId), name));
  }

  removeIndex(indexId: number): boolean {
    return removed(this.#folderOf(indexId));
  }

  removeUnfinished(): void {
    for (const folder of this.indexIds().map((id) => this.#folderOf(id))) {
      for (const name of fs.readdirSync(folder))
        if (name.endsWith(UNFINISHED_EXTENSION)) removed(path.join(folder, name));
    }
    syncFolderBlocking(this.#folder);
  }

  #folderOf(indexId: number): string {
    return path.join(this.#folder, String(indexId));
  }
}

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
