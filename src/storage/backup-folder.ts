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

  /**
   * Where the file is to be written; makes the folder, and removes what crashes have left in it.
   * @param isLeftover of a name
   */
  prepare(name: string, isLeftover: (name: string) => boolean, nowMs: number): string {
    fs.mkdirSync(this.#path, { recursive: true, mode: OWNER_ONLY });
    for (const found of fs.readdirSync(this.#path)) {
      if (!isLeftover(found)) continue;
      const file = path.join(this.#path, found);
      const modifiedMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
      if (nowMs - modifiedMs >= LEFT_MS) fs.rmSync(file, { force: true });
    }
    return path.join(this.#path, name);
  }
}
