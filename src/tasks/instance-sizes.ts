/**
 * Bytes of the data folder, without walking it: the catalog tracks the sizes of index files with
 * each commit, and of obsolete files.
 */
import type { ObsoleteFiles } from '../catalog/obsolete-files.ts';
import { type DataFolder, FolderMeter } from '../storage/data-folder/data-folder.ts';

export class InstanceSizes {
  /** Of the indexes that are on the disk. */
  readonly #indexBytes: () => number;
  readonly #obsolete: ObsoleteFiles;
  readonly #tasks: FolderMeter;
  readonly #others: FolderMeter;

  constructor(folder: DataFolder, indexBytes: () => number, obsolete: ObsoleteFiles) {
    this.#indexBytes = indexBytes;
    this.#obsolete = obsolete;
    this.#tasks = new FolderMeter([folder.rocksdb]);
    this.#others = new FolderMeter([folder.embeddings, folder.spool, folder.models]);
  }

  /** Bytes of the task database at the last measurement. */
  taskBytes(): Promise<number> {
    return this.#tasks.bytes();
  }

  /** All bytes, and the bytes that are in use. */
  async databaseBytes(): Promise<{ readonly all: number; readonly used: number }> {
    const [tasks, others] = await Promise.all([this.#tasks.bytes(), this.#others.bytes()]);
    const used = tasks + this.#indexBytes();
    return { all: used + others + this.#obsolete.bytes, used };
  }
}
