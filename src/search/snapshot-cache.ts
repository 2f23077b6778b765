/** Per-thread cache of open snapshots and segments: a snapshot per index generation, a segment for all generations that have it. */
import type { ColumnsReader } from '../engine/columns/columns.ts';
import { openColumns } from '../engine/columns/columns-reader.ts';
import type { Directory, MappedFile } from '../engine/segment/directory.ts';
import { docIdWords } from '../engine/segment/live-documents.ts';
import type { SegmentReader } from '../engine/segment/segment.ts';
import { openSegment } from '../engine/segment/segment-reader.ts';
import { decodeDocIds } from '../engine/sets/doc-ids.ts';
import { columnsFileName, decodeManifest, type IndexManifest, segmentFileName } from '../model/index-manifest.ts';
import { BudgetCache } from './budget-cache.ts';
import { createSnapshot, type IndexSnapshot } from './index-snapshot.ts';

/** Snapshots kept open; least recently used goes first. */
const SNAPSHOTS_MAX = 32;

interface OpenFile {
  readonly file: MappedFile;
  readonly reader: SegmentReader | ColumnsReader;
  users: number;
}

interface Entry {
  readonly snapshot: IndexSnapshot;
  readonly files: readonly string[];
}

export class SnapshotCache {
  readonly #directoryOf: (indexId: number) => Directory;
  /** In order of use, the oldest first. */
  readonly #snapshots = new Map<string, Entry>();
  readonly #files = new Map<string, OpenFile>();
  readonly #cache: BudgetCache<unknown>;

  /** @param cacheBytes memory for what searches keep for later ones */
  constructor(directoryOf: (indexId: number) => Directory, cacheBytes: number) {
    this.#directoryOf = directoryOf;
    this.#cache = new BudgetCache(cacheBytes);
  }

  /**
   * The snapshot of `key` = `<index id>:<generation>`; opens it from the manifest when it is not there yet.
   * @throws what opening a file throws, for instance when its generation has been replaced and the file removed
   */
  get(key: string, manifest: SharedArrayBuffer): IndexSnapshot {
    const known = this.#snapshots.get(key);
    if (known) {
      this.#snapshots.delete(key);
      this.#snapshots.set(key, known);
      return known.snapshot;
    }
    const olderKeys = this.#generationsOf(key);
    const older = olderKeys[0] === undefined ? null : this.#snapshots.get(olderKeys[0])!.snapshot;
    const entry = this.#open(decodeManifest(new Uint8Array(manifest)), older);
    this.#snapshots.set(key, entry);
    for (const olderKey of olderKeys) this.#drop(olderKey);
    if (this.#snapshots.size > SNAPSHOTS_MAX) this.#drop(this.#snapshots.keys().next().value!);
    return entry.snapshot;
  }

  #open(manifest: IndexManifest, older: IndexSnapshot | null): Entry {
    const files: string[] = [];
    try {
      const readers = manifest.segments.map(({ id }) => {
        const reader = this.#acquire(manifest.id, segmentFileName(id), (bytes) => openSegment(id, bytes));
        files.push(fileKey(manifest.id, segmentFileName(id)));
        return reader;
      });
      const columns = manifest.segments.map((segment) =>
        (segment.columns ?? []).map(({ id }) => {
          const reader = this.#acquire(manifest.id, columnsFileName(id), (bytes) => openColumns(id, bytes));
          files.push(fileKey(manifest.id, columnsFileName(id)));
          return reader;
        }),
      );
      const words = docIdWords(readers);
      const open = readers.map((reader, i) => {
        const { tombstones } = manifest.segments[i]!;
        return { reader, dead: tombstones === null ? null : decodeDocIds(tombstones, words), columns: columns[i]! };
      });
      return { snapshot: createSnapshot(manifest, open, this.#cache, older), files };
    } catch (error) {
      for (const file of files) this.#release(file);
      throw error;
    }
  }

  /** A name is always opened the same way, so what is open under it is a `Reader`. */
  #acquire<Reader extends SegmentReader | ColumnsReader>(
    indexId: number,
    name: string,
    openBytes: (bytes: Uint8Array) => Reader,
  ): Reader {
    const key = fileKey(indexId, name);
    let open = this.#files.get(key);
    if (!open) {
      const file = this.#directoryOf(indexId).open(name);
      open = { file, reader: openBytes(file.bytes), users: 0 };
      this.#files.set(key, open);
    }
    open.users++;
    return open.reader as Reader;
  }

  #release(key: string): void {
    const open = this.#files.get(key)!;
    if (--open.users > 0) return;
    this.#files.delete(key);
    open.file.close();
  }

  /** Keys of the open snapshots of the same index: a newer one makes the older ones unlikely to be asked for. */
  #generationsOf(key: string): string[] {
    const prefix = key.slice(0, key.indexOf(':') + 1);
    return [...this.#snapshots.keys()].filter((other) => other.startsWith(prefix));
  }

  /** Closes the files that no other snapshot has, and forgets what was kept for this one alone. */
  #drop(key: string): void {
    const { snapshot, files } = this.#snapshots.get(key)!;
    this.#snapshots.delete(key);
    for (const file of files) this.#release(file);
    this.#cache.forget(`${snapshot.cacheKey} `);
    const { contentKey } = snapshot;
    const isShared = [...this.#snapshots.values()].some((other) => other.snapshot.contentKey === contentKey);
    if (!isShared) this.#cache.forget(`${contentKey} `);
  }
}

const fileKey = (indexId: number, name: string): string => `${indexId}/${name}`;
