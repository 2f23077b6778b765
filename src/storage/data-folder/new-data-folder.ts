/**
 * A data folder that is filled under a temporary name and renamed when complete:
 *
 *   <db-path>.import/archive/   unpacked archive
 *   <db-path>.import/data/      the new data folder
 *   <db-path>.import/embeddings-3/   embeddings created during the import
 *
 * A crash leaves `<db-path>.import`, which no start serves. The next import removes it except for
 * the
 * embeddings, which are kept until an import succeeds and moves them into the new data folder.
 */
import fs from 'node:fs';
import path from 'node:path';
import { RocksDbStore } from '../database/rocksdb-store.ts';
import { createFolders } from '../files/create-folders.ts';
import { errnoOf } from '../files/io-errors.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { dataFolderAt } from './data-folder.ts';
import { DataFolderRefused } from './data-folder-check.ts';

const SUFFIX = '.import';
const OWNER_ONLY = 0o700;

export class NewDataFolder {
  readonly #root: string;
  readonly #staging: string;

  private constructor(root: string) {
    this.#root = path.resolve(root);
    this.#staging = this.#root + SUFFIX;
  }

  /** @throws DataFolderRefused if the path is taken, or another process runs an import there */
  static async claim(root: string): Promise<NewDataFolder> {
    const folder = new NewDataFolder(root);
    folder.#checkPlace();
    await folder.#removeLeftover();
    for (const part of [folder.archive, folder.data]) createFolders(part, OWNER_ONLY);
    return folder;
  }

  get archive(): string {
    return path.join(this.#staging, 'archive');
  }

  get data(): string {
    return path.join(this.#staging, 'data');
  }

  /** Where an import keeps the embeddings that it requests. */
  static embeddingsBeside(root: string): string {
    return path.join(path.resolve(root) + SUFFIX, path.basename(dataFolderAt(root).embeddings));
  }

  /** Reads a file in `data` as text and removes it. */
  take(name: string): string {
    const file = path.join(this.data, name);
    const text = fs.readFileSync(file, 'utf8');
    fs.rmSync(file);
    return text;
  }

  /**
   * Call when everything in `data` is closed and synced. Resolves when the rename survives a power
   * cut.
   */
  async publish(): Promise<void> {
    const paid = NewDataFolder.embeddingsBeside(this.#root);
    if (fs.existsSync(paid)) fs.renameSync(paid, dataFolderAt(this.data).embeddings);
    for (const folder of foldersBelow(this.data)) await syncFolder(folder);
    // Large files are removed before the rename, so that a crash right after it leaves none.
    fs.rmSync(this.archive, { recursive: true, force: true });
    try {
      fs.renameSync(this.data, this.#root);
    } catch (error) {
      throw this.#notCreated(error);
    }
    await syncFolder(path.dirname(this.#root));
    fs.rmSync(this.#staging, { recursive: true, force: true });
  }

  /** Removes everything unpublished except for the embeddings. */
  abandon(): void {
    for (const folder of [this.archive, this.data])
      fs.rmSync(folder, { recursive: true, force: true });
    const paid = NewDataFolder.embeddingsBeside(this.#root);
    if (!fs.existsSync(paid)) fs.rmSync(this.#staging, { recursive: true, force: true });
  }

  /** A rename needs a free name, or an empty folder on the same file system. */
  #checkPlace(): void {
    const parent = path.dirname(this.#root);
    try {
      createFolders(parent);
    } catch (error) {
      throw this.#notCreated(error);
    }
    for (const place of [parent, this.#root])
      if (fs.existsSync(place) && !fs.statSync(place).isDirectory())
        throw new DataFolderRefused(`${place} is a file: choose another with \`--db-path\``);
    if (!fs.existsSync(this.#root)) return;
    const [found] = fs.readdirSync(this.#root);
    if (found !== undefined) {
      throw new DataFolderRefused(
        `${this.#root} is not empty, it has ${JSON.stringify(found)}: an import needs a new folder; remove this one, or choose another with \`--db-path\``,
      );
    }
    if (fs.statSync(this.#root).dev !== fs.statSync(parent).dev) {
      throw new DataFolderRefused(
        `${this.#root} is a mount point, and an import cannot replace it: choose a folder in it, such as \`--db-path ${path.join(this.#root, 'data.ms')}\``,
      );
    }
  }

  /** Removes an interrupted import. RocksDB's lock shows whether the import still runs. */
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

  #notCreated(error: unknown): DataFolderRefused {
    return new DataFolderRefused(`${this.#root} cannot be created (${errnoOf(error)})`);
  }

  #refusedFor(error: unknown): DataFolderRefused {
    const reason = error instanceof Error ? error.message : String(error);
    return new DataFolderRefused(`another import into ${this.#root} is running: ${reason}`);
  }
}

/** The root and all folders below it. */
const foldersBelow = (root: string): string[] => [
  root,
  ...fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name)),
];
