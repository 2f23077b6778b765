/**
 * Cache of live segments' documents in one indexing thread, so that a small batch opens no files.
 */

import { LRUCache } from 'lru-cache';
import type { Directory, MappedFile } from '../../engine/segment/directory.ts';
import { docIdWords, type SegmentWithDead } from '../../engine/segment/live-documents.ts';
import { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { decodeTombstones } from '../../engine/sets/tombstones.ts';
import type { SegmentEntry } from '../../model/index-manifest.ts';
import { documentsFile } from '../../segments/components.ts';

export interface OpenedSegment extends SegmentWithDead {
  readonly entry: SegmentEntry;
}

/** Indexes whose segments stay open; the least recently used is closed. */
const INDEXES_MAX = 16;

interface Cached {
  readonly file: MappedFile;
  readonly opened: OpenedSegment;
}

interface OpenIndex {
  readonly directory: Directory;
  readonly segments: Map<string, Cached>;
}

export class SegmentCache {
  readonly #openDirectory: (location: string) => Directory;
  readonly #indexes = new LRUCache<string, OpenIndex>({
    max: INDEXES_MAX,
    memoMethod: (location) => ({
      directory: this.#openDirectory(location),
      segments: new Map(),
    }),
    dispose: closeFiles,
  });

  constructor(openDirectory: (location: string) => Directory) {
    this.#openDirectory = openDirectory;
  }

  directory(location: string): Directory {
    return this.#index(location).directory;
  }

  /**
   * Opens the entries. Closes segments of the index that `live` does not name, so earlier entries
   * for them become invalid.
   */
  open(
    location: string,
    entries: readonly SegmentEntry[],
    live: readonly string[],
  ): OpenedSegment[] {
    const index = this.#index(location);
    const kept = new Set([...live, ...entries.map(({ id }) => id)]);
    for (const [id, { file }] of index.segments) {
      if (kept.has(id)) continue;
      file.close();
      index.segments.delete(id);
    }
    return entries.map((entry) => this.#openOne(index, entry));
  }

  /** Closes all files. A deleted file keeps its room on the disk while it is open. */
  closeAll(): void {
    this.#indexes.clear();
  }

  #openOne(index: OpenIndex, entry: SegmentEntry): OpenedSegment {
    const cached = index.segments.get(entry.id);
    const { name } = documentsFile(entry);
    const file = cached?.file ?? index.directory.open(name);
    const reader = cached?.opened.reader ?? new SegmentReader(name, file.bytes);
    const hasSameDead = cached?.opened.entry.tombstones === entry.tombstones;
    const opened = {
      entry,
      reader,
      dead: hasSameDead ? cached.opened.dead : deadBits(entry, reader),
    };
    index.segments.set(entry.id, { file, opened });
    return opened;
  }

  #index(location: string): OpenIndex {
    return this.#indexes.memo(location);
  }
}

function closeFiles({ segments }: OpenIndex): void {
  for (const { file } of segments.values()) file.close();
}

const deadBits = ({ tombstones }: SegmentEntry, reader: SegmentReader): Uint32Array | null =>
  decodeTombstones(tombstones, docIdWords([reader]));
