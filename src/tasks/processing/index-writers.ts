/**
 * The open index writers of the process: opened on first use, a few kept, closed when their index
 * changed behind their back.
 */
import { throwIfDamaged } from '../../core/damaged-index.ts';
import type { IndexLocation } from '../../core/index-location.ts';
import { LruMap } from '../../core/lru-map.ts';
import type {
  DocumentOperation,
  PreparedDocuments,
  PreparedEdition,
  PreparedIndexChange,
} from '../../indexing/batch/document-operations.ts';
import type { FinishedMerge } from '../../indexing/files/finished-merge.ts';
import type { WriteActivity } from '../../indexing/files/merge-policy.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import type { DocumentEdition } from '../../model/task.ts';
import type { IndexFiles } from '../../storage/files/index-files.ts';

/** What batches need of a writer of one index (indexing/index-writer.ts). */
export interface IndexWriterPort {
  applyDocuments(
    operations: DocumentOperation[],
    progress: BatchProgress,
  ): Promise<PreparedDocuments>;
  editDocuments(edition: DocumentEdition, progress: BatchProgress): Promise<PreparedEdition>;
  /** The settings with what providers tell of their embedders. Rejects with `ApiError`. */
  completedSettings(next: Settings, progress: BatchProgress): Promise<Settings>;
  /** Rebuilds only what must be; the segments may stay as they are. */
  applySettings(next: Settings, progress: BatchProgress): Promise<PreparedIndexChange>;
  /** Ids of segments to merge now, or null. */
  planMerge(manifest: IndexManifest, activity: WriteActivity): string[] | null;
  /** May run beside `applyDocuments` and `applySettings`; null when an input went away. */
  merge(segmentIds: readonly string[]): Promise<FinishedMerge | null>;
  /** The index's new state, after the commit point. */
  committed(manifest: IndexManifest): void;
  /** Removes the files of a change that is not committed. */
  discard(changeId: string): void;
  /** Whether the file may belong to a change that is under way or waits for its commit. */
  owns(fileName: string): boolean;
  close(): Promise<void>;
}

/** The folder of an index, for its writer. */
export interface WriterFolder {
  readonly location: IndexLocation;
  /** Removes the files whose names begin so, unfinished ones too. */
  readonly removeFiles: (prefix: string) => void;
}

export type OpenIndexWriter = (manifest: IndexManifest, folder: WriterFolder) => IndexWriterPort;

interface OpenWriter {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  /** Batches and merges under way. */
  users: number;
  /** Closed once nobody uses it. */
  isDropped: boolean;
}

export class IndexWriters {
  readonly #open: OpenIndexWriter;
  readonly #files: IndexFiles;
  readonly #damageOf: (indexId: number) => readonly string[];
  readonly #writers: LruMap<number, OpenWriter>;
  /** Those that are not closed, dropped ones too. */
  readonly #inUse = new Set<OpenWriter>();
  readonly #closing = new Set<Promise<void>>();

  /** @param damageOf what is known to be wrong with the files of an index */
  constructor(
    open: OpenIndexWriter,
    files: IndexFiles,
    damageOf: (indexId: number) => readonly string[],
    countMax: number,
  ) {
    this.#damageOf = damageOf;
    this.#open = open;
    this.#files = files;
    this.#writers = new LruMap(countMax, (entry) => this.#retire(entry));
  }

  /**
   * A damaged index takes no more: what is read from it would be written as if it were sound.
   * @throws ApiError `invalid_store_file`
   */
  get(manifest: IndexManifest): IndexWriterPort {
    throwIfDamaged(manifest.uid, this.#damageOf(manifest.id), ' and can only be deleted');
    return this.#entryOf(manifest).writer;
  }

  /** The open writer of an index, kept open until `release`. */
  acquire(manifest: IndexManifest): {
    readonly writer: IndexWriterPort;
    readonly release: () => void;
  } {
    const writer = this.get(manifest);
    const entry = this.#entryOf(manifest);
    entry.users++;
    const release = () => {
      entry.users--;
      if (entry.isDropped && entry.users === 0) this.#close(entry);
    };
    return { writer, release };
  }

  isCurrent(indexId: number, writer: IndexWriterPort): boolean {
    return this.#writers.peek(indexId)?.writer === writer;
  }

  /**
   * Whether a writer may still need the file, or with null the folder of an index that is being
   * made.
   */
  needs(indexId: number, fileName: string | null): boolean {
    for (const entry of this.#inUse) {
      if (entry.indexId !== indexId) continue;
      if (fileName === null || entry.writer.owns(fileName)) return true;
    }
    return false;
  }

  /** Forgets the writer of an index; the next use opens one on the newest state. */
  drop(indexId: number): void {
    const entry = this.#writers.peek(indexId);
    if (entry === undefined) return;
    this.#writers.delete(indexId);
    this.#retire(entry);
  }

  async closeAll(): Promise<void> {
    for (const [id] of this.#writers.entries()) this.drop(id);
    await Promise.all(this.#closing);
  }

  #entryOf(manifest: IndexManifest): OpenWriter {
    return this.#writers.getOrMake(manifest.id, () => {
      const entry = {
        indexId: manifest.id,
        writer: this.#open(manifest, this.#folderOf(manifest.id)),
        users: 0,
        isDropped: false,
      };
      this.#inUse.add(entry);
      return entry;
    });
  }

  #retire(entry: OpenWriter): void {
    entry.isDropped = true;
    if (entry.users === 0) this.#close(entry);
  }

  #folderOf(indexId: number): WriterFolder {
    return {
      location: this.#files.locate(indexId),
      removeFiles: (prefix) => this.#files.removeStartingWith(indexId, prefix),
    };
  }

  #close(entry: OpenWriter): void {
    this.#inUse.delete(entry);
    const closing = entry.writer.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
