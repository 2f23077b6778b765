/**
 * Which files of indexes were read whole and are sound, or were just written, and what the system
 * said of each then: number, size, times of the last write and of the last change of any kind. While
 * that stays the same nobody has touched the file, so that after the next start nobody has to wait
 * until it has been read again. `sound-files.json` of the data folder, an object of states by
 * `<index>/<name>`: it is not synced and may be removed, which costs such a wait alone.
 */
import fs from 'node:fs';
import path from 'node:path';
import { folderOfIndex } from './index-files.ts';

const FILE = 'sound-files.json';
const OWNER_ONLY = 0o600;

export class SoundFiles {
  readonly #file: string;
  readonly #indexes: string;

  /** @param folder the data folder, and in it that of the indexes */
  constructor({ root, indexes }: { readonly root: string; readonly indexes: string }) {
    this.#file = path.join(root, FILE);
    this.#indexes = indexes;
  }

  /** What was written last; nothing when that cannot be read. */
  read(): ReadonlyMap<string, string> {
    try {
      return new Map(Object.entries(JSON.parse(fs.readFileSync(this.#file, 'utf8')) as object));
    } catch {
      return new Map();
    }
  }

  write(states: ReadonlyMap<string, string>): void {
    const unfinished = `${this.#file}.tmp`;
    fs.writeFileSync(unfinished, JSON.stringify(Object.fromEntries(states)), { mode: OWNER_ONLY });
    fs.renameSync(unfinished, this.#file);
  }

  /** null when the system does not say. */
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
