/** Segments with the vectors of their documents, open during one action. */
import type { Directory, MappedFile } from '../../engine/segment/directory.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import { openFiles, vectorsByEmbedder } from '../../segments/components.ts';
import type { OpenedSegment } from './segment-cache.ts';

/**
 * Documents that bring their vectors need no stored ones, and V8's collector counts a mapped file
 * as external memory of the thread.
 * @param action its argument is invalid after it has returned
 */
export function withLiveVectors<Result>(
  directory: Directory,
  segments: readonly OpenedSegment[],
  action: (live: readonly LiveVectors[]) => Result,
): Result {
  const mapped: MappedFile[] = [];
  try {
    return action(segments.map((segment) => new LiveVectors(directory, segment, mapped)));
  } finally {
    for (const file of mapped) file.close();
  }
}

export class LiveVectors {
  readonly reader: SegmentReader;
  readonly dead: Uint32Array | null;
  readonly #directory: Directory;
  readonly #segment: OpenedSegment;
  readonly #mapped: MappedFile[];
  #vectors: ReadonlyMap<string, VectorsFile> | null = null;

  /** @param mapped collects the opened files */
  constructor(directory: Directory, segment: OpenedSegment, mapped: MappedFile[]) {
    this.reader = segment.reader;
    this.dead = segment.dead;
    this.#directory = directory;
    this.#segment = segment;
    this.#mapped = mapped;
  }

  /** By embedder; the files are opened at the first access. */
  get vectors(): ReadonlyMap<string, VectorsFile> {
    this.#vectors ??= this.#open();
    return this.#vectors;
  }

  #open(): ReadonlyMap<string, VectorsFile> {
    const files = this.#segment.entry.files.filter(({ component }) => component === 'vectors');
    const opened = openFiles(files, ({ name }, read) => {
      const file = this.#directory.open(name);
      this.#mapped.push(file);
      return read(file.bytes);
    });
    return vectorsByEmbedder(files, opened);
  }
}
