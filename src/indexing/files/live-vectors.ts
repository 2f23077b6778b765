/** Segments with the vectors of their documents, open during one action. */
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import { vectorsByEmbedder } from '../../segments/components.ts';
import { type OpenFiles, withOpener } from './open-files.ts';
import type { OpenedSegment } from './segment-cache.ts';

/** @param action its argument is invalid after it has returned */
export const withLiveVectors = <Result>(
  directory: Directory,
  segments: readonly OpenedSegment[],
  action: (live: readonly LiveVectors[]) => Result,
): Result =>
  withOpener(directory, (open) =>
    action(segments.map((segment) => new LiveVectors(segment, open))),
  );

export class LiveVectors {
  readonly reader: SegmentReader;
  readonly dead: Uint32Array | null;
  readonly #segment: OpenedSegment;
  readonly #open: OpenFiles;
  #vectors: ReadonlyMap<string, VectorsFile> | null = null;

  constructor(segment: OpenedSegment, open: OpenFiles) {
    this.reader = segment.reader;
    this.dead = segment.dead;
    this.#segment = segment;
    this.#open = open;
  }

  /**
   * By embedder. The files are opened at the first access: documents that bring their vectors need
   * no stored ones, and V8's collector counts a mapped file as external memory of the thread.
   */
  get vectors(): ReadonlyMap<string, VectorsFile> {
    if (this.#vectors === null) {
      const { files } = this.#segment.entry;
      const ofVectors = files.filter(({ component }) => component === 'vectors');
      this.#vectors = vectorsByEmbedder(ofVectors, this.#open(ofVectors));
    }
    return this.#vectors;
  }
}
