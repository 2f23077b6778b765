/**
 * A data folder that is filled beside the place where it belongs, and gets its name whole or not at
 * all:
 *
 *   <db-path>.import/archive/   what an archive was unpacked to
 *   <db-path>.import/data/      the data folder to be
 *   <db-path>.import/embeddings-3/   vectors that were paid for meanwhile
 *
 * A crash leaves `<db-path>.import`, which no start takes for data. The next import removes it, but for
 * the vectors, which stay there until an import succeeds and takes them along.
 */
import fs from 'node:fs';
import path from 'node:path';
import { RocksDbStore } from '../database/rocksdb-store.ts';
import { errnoOf } from '../files/io-errors.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { dataFolderAt } from './data-folder.ts';
import { DataFolderRefused, readVersion } from './data-folder-check.ts';

const SUFFIX = '.import';
const OWNER_ONLY = 0o700;

/** Whether there is a data folder at the path, of whatever format. */
export const holdsData = (root: string): boolean => readVersion(root) !== null;

export class NewDataFolder {
  readonly #root: string;
  readonly #staging: string;

  private constructor(root: string) {
    this.#root = path.resolve(root);
    this.#staging = this.#root + SUFFIX;
  }

  /** @throws DataFolderRefused unless a folder can take this name, and nobody else fills one */
  static async claim(root: string): Promise<NewDataFolder> {
    const folder = new NewDataFolder(root);
    folder.#checkPlace();
    await folder.#removeLeftover();
    for (const part of [folder.archive, folder.data])
      fs.mkdirSync(part, { recursive: true, mode: OWNER_ONLY });
    return folder;
  }

  get archive(): string {
    return path.join(this.#staging, 'archive');
  }

  get data(): string {
    return path.join(this.#staging, 'data');
  }

  /** Where an import into the folder keeps the vectors that it pays for. */
  static embeddingsBeside(root: string): string {
    return path.join(path.resolve(root) + SUFFIX, path.basename(dataFolderAt(root).embeddings));
  }

  /** The text of a file in `data`, which does not stay there. */
  take(name: string): string {
    const file = path.join(this.data, name);
    const text = fs.readFileSync(file, 'utf8');
    fs.rmSync(file);
    return text;
  }

  /** Everything in `data` is closed, its files are synced; resolves when it has its name for good. */
  async publish(): Promise<void> {
    const paid = NewDataFolder.embeddingsBeside(this.#root);
    if (fs.existsSync(paid)) fs.renameSync(paid, dataFolderAt(this.data).embeddings);
    for (const folder of foldersBelow(this.data)) await syncFolder(folder);
    // A crash right after the folder has its name leaves nothing large.
    fs.rmSync(this.archive, { recursive: true, force: true });
    try {
      fs.renameSync(this.data, this.#root);
    } catch (error) {
      throw new DataFolderRefused(`${this.#root} cannot be put in place (${errnoOf(error)})`);
    }
    await syncFolder(path.dirname(this.#root));
    fs.rmSync(this.#staging, { recursive: true, force: true });
  }

  /** Removes what is not published, but for vectors that were paid for. */
  abandon(): void {
    for (const folder of [this.archive, this.data])
      fs.rmSync(folder, { recursive: true, force: true });
    const paid = NewDataFolder.embeddingsBeside(this.#root);
    if (!fs.existsSync(paid)) fs.rmSync(this.#staging, { recursive: true, force: true });
  }

  /** A folder can be renamed to a free name, or in place of an empty folder of the same disk. */
  #checkPlace(): void {
    const parent = path.dirname(this.#root);
    fs.mkdirSync(parent, { recursive: true });
    if (!fs.existsSync(this.#root)) return;
    const [found] = fs.readdirSync(this.#root);
    if (found !== undefined) {
      throw new DataFolderRefused(
        `${this.#root} is not empty, it holds ${JSON.stringify(found)}: an import makes this folder anew; remove it, or choose another with \`--db-path\``,
      );
    }
    if (fs.statSync(this.#root).dev !== fs.statSync(parent).dev) {
      throw new DataFolderRefused(
        `${this.#root} is where a disk is mounted, and cannot be put in place as a whole: choose a folder in it, such as \`--db-path ${path.join(this.#root, 'data.ms')}\``,
      );
    }
  }

  /** Of an import that was cut off; RocksDB's lock tells one that still runs. */
  async #removeLeftover(): Promise<void> {
    const { rocksdb } = dataFolderAt(this.data);
    if (fs.existsSync(rocksdb)) {
      const store = await RocksDbStore.open(rocksdb, { mustExist: true }).catch((error: unknown) =>
        /in use/.test(String(error)) ? Promise.reject(this.#refusedFor(error)) : null,
      );
      await store?.close();
    }
    this.abandon();
  }

  #refusedFor(error: unknown): DataFolderRefused {
    const reason = error instanceof Error ? error.message : String(error);
    return new DataFolderRefused(`another import into ${this.#root} is under way: ${reason}`);
  }
}

/** With the folder itself. */
const foldersBelow = (root: string): string[] => [
  root,
  ...fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name)),
];
