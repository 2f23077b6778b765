/** The open index writers of the process: opened on first use, a few kept, closed when their index changed behind their back. */
import type { DocumentOperation, PreparedEdition, PreparedIndexChange } from '../indexing/document-operations.ts';
import type { CompletedMerge } from '../indexing/fold-merge.ts';
import type { WriteActivity } from '../indexing/merge-policy.ts';
import type { IndexManifest } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import type { DocumentEdition } from '../model/task.ts';
import type { IndexFiles } from '../storage/index-files.ts';

/** What batches need of a writer of one index (indexing/index-writer.ts). */
export interface IndexWriterPort {
  applyDocuments(operations: DocumentOperation[]): Promise<PreparedIndexChange>;
  editDocuments(edition: DocumentEdition): Promise<PreparedEdition>;
  /** Rebuilds only what must be; the segments may stay as they are. */
  applySettings(next: Settings): Promise<PreparedIndexChange>;
  /** Ids of segments to merge now, or null. */
  planMerge(manifest: IndexManifest, activity: WriteActivity): string[] | null;
  /** May run beside `applyDocuments` and `applySettings`. */
  merge(segmentIds: string[]): Promise<CompletedMerge>;
  /** The index's new state, after the commit point. */
  committed(manifest: IndexManifest): void;
  close(): Promise<void>;
}

export type OpenIndexWriter = (manifest: IndexManifest, directory: string) => IndexWriterPort;

interface OpenWriter {
  readonly writer: IndexWriterPort;
  /** Merges under way. */
  users: number;
  /** Closed once nobody uses it. */
  isDropped: boolean;
}

export class IndexWriters {
  readonly #open: OpenIndexWriter;
  readonly #files: IndexFiles;
  readonly #countMax: number;
  /** Least recently used first. */
  readonly #writers = new Map<number, OpenWriter>();
  readonly #closing = new Set<Promise<void>>();

  constructor(open: OpenIndexWriter, files: IndexFiles, countMax: number) {
    this.#open = open;
    this.#files = files;
    this.#countMax = countMax;
  }

  get(manifest: IndexManifest): IndexWriterPort {
    const known = this.#writers.get(manifest.id);
    const entry = known ?? {
      writer: this.#open(manifest, this.#files.createFolder(manifest.id)),
      users: 0,
      isDropped: false,
    };
    this.#writers.delete(manifest.id);
    this.#writers.set(manifest.id, entry);
    for (const id of this.#writers.keys()) {
      if (this.#writers.size <= this.#countMax) break;
      this.drop(id);
    }
    return entry.writer;
  }

  /** The open writer of an index, kept open until `release`. */
  acquire(manifest: IndexManifest): { readonly writer: IndexWriterPort; readonly release: () => void } {
    const writer = this.get(manifest);
    const entry = this.#writers.get(manifest.id);
    if (entry === undefined) throw new Error(`the writer of index ${manifest.id} is not open`);
    entry.users++;
    const release = () => {
      entry.users--;
      if (entry.isDropped && entry.users === 0) this.#close(entry);
    };
    return { writer, release };
  }

  isCurrent(indexId: number, writer: IndexWriterPort): boolean {
    return this.#writers.get(indexId)?.writer === writer;
  }

  /** Forgets the writer of an index; the next use opens one on the newest state. */
  drop(indexId: number): void {
    const entry = this.#writers.get(indexId);
    if (entry === undefined) return;
    this.#writers.delete(indexId);
    entry.isDropped = true;
    if (entry.users === 0) this.#close(entry);
  }

  async closeAll(): Promise<void> {
    for (const id of [...this.#writers.keys()]) this.drop(id);
    await Promise.all(this.#closing);
  }

  #close(entry: OpenWriter): void {
    const closing = entry.writer.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
