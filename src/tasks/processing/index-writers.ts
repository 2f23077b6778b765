/**
 * The open index writers of the process: opened on first use, a few kept, dropped when another
 * change replaced the state of their index.
 */

import { LRUCache } from 'lru-cache';
import { throwIfDamaged } from '../../core/errors.ts';
import type { IndexWriter } from '../../indexing/index-writer.ts';
import { fileNamesOf, type IndexManifest } from '../../model/index-manifest.ts';
import type { IndexFiles } from '../../storage/files/index-files.ts';

/** The part of an index writer that batches and merges use. */
export type IndexWriterPort = Pick<
  IndexWriter,
  | 'applyDocuments'
  | 'editDocuments'
  | 'normalizedSettings'
  | 'completedSettings'
  | 'applySettings'
  | 'planMerge'
  | 'planCompaction'
  | 'merge'
  | 'committed'
  | 'discard'
>;

export interface WriterFolder {
  readonly location: string;
  /** Deletes the files whose names have this prefix, including unfinished ones. */
  readonly removeFiles: (prefix: string) => void;
}

export type OpenIndexWriter = (manifest: IndexManifest, folder: WriterFolder) => IndexWriterPort;

interface AcquiredWriter {
  readonly writer: IndexWriterPort;
  readonly release: () => void;
}

interface IndexWritersOptions {
  readonly open: OpenIndexWriter;
  readonly files: IndexFiles;
  readonly damageOf: (indexId: number) => readonly string[];
  /**
   * Resolves when the files of the index are on the disk, where they stay until the returned
   * function is called. @throws ObjectStoreError
   */
  readonly hold: (indexId: number) => Promise<() => void>;
  readonly countMax: number;
}

export class IndexWriters {
  readonly #options: IndexWritersOptions;
  readonly #writers: LRUCache<number, IndexWriterPort, IndexManifest>;

  constructor(options: IndexWritersOptions) {
    this.#options = options;
    this.#writers = new LRUCache({
      max: options.countMax,
      memoMethod: (_id, _stale, { context }) => this.#open(context),
    });
  }

  /**
   * Refuses damaged indexes, because their damaged bytes would be written with a valid checksum.
   * @throws ApiError `invalid_store_file`
   */
  get(manifest: IndexManifest): IndexWriterPort {
    this.#checkFiles(manifest);
    return this.#writers.memo(manifest.id, { context: manifest });
  }

  /**
   * The writer of an index, whose files stay on the disk until `release`.
   * @throws ApiError as `get`, ObjectStoreError
   */
  async acquire(manifest: IndexManifest): Promise<AcquiredWriter> {
    const release = await this.#options.hold(manifest.id);
    try {
      return { writer: this.get(manifest), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Gives a new index the files of another one. @throws ApiError `invalid_store_file` if they are
   * damaged, ObjectStoreError
   */
  async linkFiles(source: IndexManifest, branch: IndexManifest): Promise<void> {
    const release = await this.#options.hold(source.id);
    try {
      this.#checkFiles(source);
      this.#options.files.linkFiles(source.id, branch.id, fileNamesOf(source.segments));
    } finally {
      release();
    }
  }

  /** Removes the linked files of a new index that its segments no longer name. */
  removeReplaced(branch: IndexManifest, segments: IndexManifest['segments']): void {
    const named = new Set(fileNamesOf(segments));
    for (const name of fileNamesOf(branch.segments))
      if (!named.has(name)) this.#options.files.removeFile(branch.id, name);
  }

  removeBranch({ id }: IndexManifest): void {
    this.#options.files.removeIndex(id);
  }

  isCurrent(indexId: number, writer: IndexWriterPort): boolean {
    return this.#writers.peek(indexId) === writer;
  }

  /** Drops the writer of an index; the next use opens a writer on the newest state. */
  drop(indexId: number): void {
    this.#writers.delete(indexId);
  }

  #checkFiles({ uid, id }: IndexManifest): void {
    throwIfDamaged(uid, this.#options.damageOf(id), ' and can only be deleted');
  }

  #open(manifest: IndexManifest): IndexWriterPort {
    const { open, files } = this.#options;
    return open(manifest, {
      location: files.locate(manifest.id),
      removeFiles: (prefix) => files.removeStartingWith(manifest.id, prefix),
    });
  }
}
