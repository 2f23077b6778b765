/** Live segments kept open by one indexing thread, so that a small batch opens nothing. */
import type { Directory, MappedFile } from '../engine/segment/directory.ts';
import { docIdWords, type SegmentWithDead } from '../engine/segment/live-documents.ts';
import type { SegmentReader } from '../engine/segment/segment.ts';
import { openSegment } from '../engine/segment/segment-reader.ts';
import { decodeDocIds } from '../engine/sets/doc-ids.ts';
import { type SegmentEntry, segmentFileName } from '../model/index-manifest.ts';

export interface OpenedSegment extends SegmentWithDead {
  readonly entry: SegmentEntry;
}

/** Indexes whose segments stay open; the one used longest ago is closed. */
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
  readonly #openDirectory: (path: string) => Directory;
  /** Path of the index's folder → its open segments, used last at the end. */
  readonly #indexes = new Map<string, OpenIndex>();

  constructor(openDirectory: (path: string) => Directory) {
    this.#openDirectory = openDirectory;
  }

  directory(path: string): Directory {
    return this.#index(path).directory;
  }

  /** Opens the entries; segments of the index that `live` does not name are closed, so what was opened of them before is invalid. */
  open(path: string, entries: readonly SegmentEntry[], live: readonly string[]): OpenedSegment[] {
    const index = this.#index(path);
    const kept = new Set([...live, ...entries.map(({ id }) => id)]);
    for (const [id, { file }] of index.segments) {
      if (kept.has(id)) continue;
      file.close();
      index.segments.delete(id);
    }
    return entries.map((entry) => this.#openOne(index, entry));
  }

  #openOne(index: OpenIndex, entry: SegmentEntry): OpenedSegment {
    const cached = index.segments.get(entry.id);
    const file = cached?.file ?? index.directory.open(segmentFileName(entry.id));
    const reader = cached?.opened.reader ?? openSegment(entry.id, file.bytes);
    const hasSameDead = cached?.opened.entry.tombstones === entry.tombstones;
    const opened = { entry, reader, dead: hasSameDead ? cached.opened.dead : deadBits(entry, reader) };
    index.segments.set(entry.id, { file, opened });
    return opened;
  }

  #index(path: string): OpenIndex {
    const index = this.#indexes.get(path) ?? { directory: this.#openDirectory(path), segments: new Map() };
    this.#indexes.delete(path);
    this.#indexes.set(path, index);
    for (const [oldest, { segments }] of this.#indexes) {
      if (this.#indexes.size <= INDEXES_MAX) break;
      for (const { file } of segments.values()) file.close();
      this.#indexes.delete(oldest);
    }
    return index;
  }
}

/** Words of a bitset that holds every DocId of the segment. */
const deadBits = ({ tombstones }: SegmentEntry, reader: SegmentReader): Uint32Array | null =>
  tombstones === null ? null : decodeDocIds(tombstones, docIdWords([reader]));
