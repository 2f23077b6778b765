/** The folder that holds all backups of one kind. */
import fs from 'node:fs';
import path from 'node:path';
import { createFolders } from '../files/create-folders.ts';

const OWNER_ONLY = 0o700;
/** Leftover files of a crash are removed when they have not been written to for this time. */
const LEFT_MS = 3_600_000;

export class BackupFolder {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = folder;
  }

  pathOf(name: string): string {
    return path.join(this.#path, name);
  }

  /**
   * Creates the folder and removes leftover files of crashes.
   * @param isLeftover takes a file name
   */
  prepare(isLeftover: (name: string) => boolean, nowMs: number): void {
    createFolders(this.#path, OWNER_ONLY);
    for (const name of fs.readdirSync(this.#path))
      if (isLeftover(name) && nowMs - (this.modifiedMs(name) ?? nowMs) >= LEFT_MS)
        this.remove(name);
  }

  /** Modification time of the file; null if the file does not exist. */
  modifiedMs(name: string): number | null {
    return fs.statSync(this.pathOf(name), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  /**
   * Hard-links the file under a second name, so that it survives when a new file replaces the first
   * name.
   */
  keepAs(name: string, second: string): void {
    fs.rmSync(this.pathOf(second), { force: true });
    fs.linkSync(this.pathOf(name), this.pathOf(second));
  }

  /** Names of the files that match, sorted as text. */
  names(pattern: RegExp): string[] {
    return fs
      .readdirSync(this.#path)
      .filter((name) => pattern.test(name))
      .sort();
  }

  /** Relative paths of all files below the folder, with `/` as separator. */
  below(name: string): string[] {
    return fs
      .readdirSync(this.pathOf(name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(this.pathOf(name), path.join(entry.parentPath, entry.name)))
      .map((found) => found.split(path.sep).join('/'))
      .sort();
  }

  remove(name: string): void {
    fs.rmSync(this.pathOf(name), { recursive: true, force: true });
  }
}
