/** The folder where backups of one kind lie. */
import fs from 'node:fs';
import path from 'node:path';

const OWNER_ONLY = 0o700;
/** What a crash left is removed when nobody has written to it for so long. */
const LEFT_MS = 3_600_000;

export class BackupFolder {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = folder;
  }

  pathOf(name: string): string {
    return path.join(this.#path, name);
  }

  /** Makes the folder, and removes what crashes have left in it. @param isLeftover of a name */
  prepare(isLeftover: (name: string) => boolean, nowMs: number): void {
    fs.mkdirSync(this.#path, { recursive: true, mode: OWNER_ONLY });
    for (const name of fs.readdirSync(this.#path))
      if (isLeftover(name) && nowMs - (this.modifiedMs(name) ?? nowMs) >= LEFT_MS)
        this.remove(name);
  }

  /** When the file was written; null when there is none. */
  modifiedMs(name: string): number | null {
    return fs.statSync(this.pathOf(name), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  /** Gives the file a second name, which stays when another one takes its first. */
  keepAs(name: string, second: string): void {
    fs.rmSync(this.pathOf(second), { force: true });
    fs.linkSync(this.pathOf(name), this.pathOf(second));
  }

  /** Names of the files that match, in their order as text. */
  names(pattern: RegExp): string[] {
    return fs
      .readdirSync(this.#path)
      .filter((name) => pattern.test(name))
      .sort();
  }

  /** Names of all files below, with `/` between folders. */
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
