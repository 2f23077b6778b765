/**
 * Remembers which segment files were verified or just written, with their state: inode, size, mtime
 * and ctime. A file whose state is unchanged need not be verified again after a restart. Stored in
 * `verified-files.json` of the data folder, an object of states by `<index>/<name>`. The file is not
 * synced and may be removed; the cost is that searches wait for verification after the next start.
 */
import fs from 'node:fs';
import path from 'node:path';
import { folderOfIndex } from './index-files.ts';
import { replaceFile } from './sync-folder.ts';

const FILE = 'verified-files.json';

export class VerifiedFiles {
  readonly #file: string;
  readonly #indexes: string;

  /** @param folder the data folder and its folder of indexes */
  constructor({ root, indexes }: { readonly root: string; readonly indexes: string }) {
    this.#file = path.join(root, FILE);
    this.#indexes = indexes;
  }

  /** The states written last; empty when the file cannot be read. */
  read(): ReadonlyMap<string, string> {
    try {
      return new Map(Object.entries(JSON.parse(fs.readFileSync(this.#file, 'utf8')) as object));
    } catch {
      return new Map();
    }
  }

  write(states: ReadonlyMap<string, string>): void {
    replaceFile(this.#file, JSON.stringify(Object.fromEntries(states)));
  }

  /** null when the system does not report the state. */
  stateOf(indexId: number, name: string): string | null {
    const file = path.join(folderOfIndex(this.#indexes, indexId), name);
    try {
      const { ino, size, mtimeNs, ctimeNs } = fs.statSync(file, { bigint: true });
      return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    } catch {
      return null;
    }
  }
}
