/**
 * Per-thread cache of open snapshots and segments: a snapshot per index generation, a segment
 * shared by all generations that contain it.
 */

import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../../core/budget-cache.ts';
import type { CacheMemory } from '../../core/cache-memory.ts';
import { CorruptionError } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { Directory, MappedFile } from '../../engine/segment/directory.ts';
import { docIdWords } from '../../engine/segment/live-documents.ts';
import { decodeTombstones } from '../../engine/sets/tombstones.ts';
import {
  decodeManifest,
  type IndexManifest,
  type SegmentEntry,
} from '../../model/index-manifest.ts';
import { openFiles, vectorsByEmbedder } from '../../segments/components.ts';
import type { FileReader } from '../../segments/contract/component.ts';
import type { Lifetime } from './cache-kinds.ts';
import { createSnapshot, type OpenSegment } from './create-snapshot.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { ResultStore } from './result-store.ts';

/** Maximum number of open snapshots; the least recently used is closed first. */
const SNAPSHOTS_MAX = 32;

const LIFETIMES: readonly Lifetime[] = ['generation', 'content', 'file'];

interface OpenFile {
  readonly file: MappedFile;
  readonly reader: FileReader;
  users: number;
}

interface Entry {
  readonly snapshot: IndexSnapshot;
  readonly files: readonly string[];
}

export class SnapshotCache {
  readonly #openDirectory: (location: string) => Directory;
  readonly #snapshots = new LRUCache<string, Entry>({
    max: SNAPSHOTS_MAX,
    disposeAfter: (entry, _key, reason) => {
      if (reason === 'evict') this.#retire(entry);
    },
  });
  readonly #files = new Map<string, OpenFile>();
  readonly #store: ResultStore;
  /** Snapshots to close at the end of `during`; null outside of it. */
  #retired: Entry[] | null = null;

  /**
   * @param cache memory of the query cache, or bytes for a thread that shares nothing
   * @param now milliseconds, to measure the cost of results; absent = all cost the same
   */
  constructor(
    openDirectory: (location: string) => Directory,
    cache: CacheMemory | number,
    now: () => number = () => 0,
  ) {
    this.#openDirectory = openDirectory;
    this.#store = new ResultStore(cache, now);
  }

  /**
   * The snapshot of `key` = `<index id>:<generation>`; opens it from the manifest unless it is
   * open.
   * @throws errors of opening a file, for instance when the generation has been replaced and the
   * file removed
   */
  get(key: string, manifest: SharedArrayBuffer, location: string): IndexSnapshot {
    const known = this.#snapshots.get(key);
    if (known) return known.snapshot;
    const older = this.#generationsOf(key);
    const decoded = decodeManifest(new Uint8Array(manifest));
    const earlier = older[0]?.[1].snapshot ?? null;
    const entry = this.#open(decoded, location, earlier, (open) =>
      createSnapshot(decoded, open, this.#store, earlier),
    );
    for (const [olderKey] of older) this.#snapshots.delete(olderKey);
    this.#snapshots.set(key, entry);
    for (const [, replaced] of older) this.#retire(replaced);
    return entry.snapshot;
  }

  /** All snapshots that `read` gets stay open until it returns. Not reentrant. */
  during<Result>(read: () => Result): Result {
    const retired: Entry[] = [];
    this.#retired = retired;
    try {
      return read();
    } finally {
      this.#retired = null;
      for (const entry of retired) this.#close(entry);
    }
  }

  #retire(entry: Entry): void {
    if (this.#retired === null) this.#close(entry);
    else this.#retired.push(entry);
  }

  /**
   * Opens the snapshot as `get` does, if an older generation of its index is open.
   * @throws as `get`
   */
  renew(...snapshot: Parameters<SnapshotCache['get']>): void {
    if (this.#generationsOf(snapshot[0]).length > 0) this.get(...snapshot);
  }

  /** Closes all generations of the index of a key. */
  closeIndex(key: string): void {
    for (const [open, entry] of this.#generationsOf(key)) {
      this.#snapshots.delete(open);
      this.#close(entry);
    }
  }

  /**
   * Calls `read` with a snapshot that is open for this call only and has its own cache: for a
   * manifest that was never published.
   * @throws as `get`, and errors of `read`
   */
  once<T>(manifest: IndexManifest, location: string, read: (snapshot: IndexSnapshot) => T): T {
    const { snapshot, files } = this.#open(manifest, location, null, (open) =>
      createSnapshot(manifest, open),
    );
    try {
      return read(snapshot);
    } finally {
      for (const file of files) this.#release(file);
    }
  }

  /** Hits, misses and memory of the query cache, and the number of open snapshots. */
  get figures(): CacheFigures & { readonly openSnapshots: number } {
    const { hits, misses, bytes } = this.#store.figures;
    return { hits, misses, bytes, openSnapshots: this.#snapshots.size };
  }

  /**
   * Compares the files of an open snapshot with their checksums after an answer failed. Returns the error of
   * the first damaged file, null when none is damaged.
   */
  damageOf(key: string): CorruptionError | null {
    for (const file of this.#snapshots.peek(key)?.files ?? []) {
      try {
        this.#files.get(file)!.reader.verifyChecksums();
      } catch (error) {
        if (error instanceof CorruptionError) return error;
        throw error;
      }
    }
    return null;
  }

  #open(
    manifest: IndexManifest,
    location: string,
    earlier: IndexSnapshot | null,
    create: (open: readonly OpenSegment[]) => IndexSnapshot,
  ): Entry {
    const files: string[] = [];
    const directory = this.#openDirectory(location);
    try {
      const opened = manifest.segments.map((segment) =>
        openFiles(segment.files, ({ name }, read) => {
          const reader = this.#acquire(directory, fileKey(manifest.id, name), name, read);
          files.push(fileKey(manifest.id, name));
          return reader;
        }),
      );
      const bitsetLength = docIdWords(opened.map(({ documents }) => documents[0]!));
      const open = opened.map((readers, i) => {
        const segment = manifest.segments[i]!;
        const { files: ownFiles } = segment;
        return {
          reader: readers.documents[0]!,
          dead: deadOf(segment, bitsetLength, earlier),
          columns: readers.columns,
          vectors: vectorsByEmbedder(ownFiles, readers),
        };
      });
      return { snapshot: create(open), files };
    } catch (error) {
      for (const file of files) this.#release(file);
      throw error;
    }
  }

  #acquire(
    directory: Directory,
    key: string,
    name: string,
    openBytes: (bytes: Uint8Array) => FileReader,
  ): FileReader {
    const open = getOrCompute(this.#files, key, () => {
      const file = directory.open(name);
      return { file, reader: openBytes(file.bytes), users: 0 };
    });
    open.users++;
    return open.reader;
  }

  #release(key: string): void {
    const open = this.#files.get(key)!;
    if (--open.users > 0) return;
    this.#files.delete(key);
    open.file.close();
  }

  /**
   * The open snapshots of the same index: after a newer one is opened, requests for older ones are
   * unlikely.
   */
  #generationsOf(key: string): [string, Entry][] {
    const prefix = key.slice(0, key.indexOf(':') + 1);
    const keys = [...this.#snapshots.rkeys()].filter((other) => other.startsWith(prefix));
    return keys.map((other) => [other, this.#snapshots.peek(other)!]);
  }

  /**
   * Closes the files that no other snapshot uses and removes the results cached for this snapshot
   * alone. The snapshot is no longer in the list of open ones.
   */
  #close({ snapshot, files }: Entry): void {
    for (const file of files) this.#release(file);
    const { queryCache } = snapshot;
    const others = [...this.#snapshots.values()].map((other) => other.snapshot.queryCache);
    for (const lifetime of LIFETIMES) {
      const subject = queryCache.subject(lifetime);
      if (!others.some((other) => other.subject(lifetime) === subject)) queryCache.forget(lifetime);
    }
  }
}

/** The deleted documents of a segment; the bits of an earlier snapshot if nothing was added. */
function deadOf(
  { id, tombstones }: SegmentEntry,
  bitsetLength: number,
  earlier: IndexSnapshot | null,
): Uint32Array | null {
  if (tombstones !== null && earlier?.bitsetLength === bitsetLength) {
    const { segments } = earlier.manifest;
    const s = segments.findIndex((segment) => segment.id === id);
    if (segments[s]?.tombstones === tombstones) return earlier.dead[s]!;
  }
  return decodeTombstones(tombstones, bitsetLength);
}

const fileKey = (indexId: number, name: string): string => `${indexId}/${name}`;
