/** Segments with the vectors of their documents, for the time of one action. */
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import { vectorsByEmbedder } from '../../segments/components.ts';
import { withOpenFiles } from './open-files.ts';
import type { OpenedSegment } from './segment-cache.ts';

export interface LiveVectors {
  readonly reader: SegmentReader;
  readonly dead: Uint32Array | null;
  /** By embedder. */
  readonly vectors: ReadonlyMap<string, VectorsFile>;
}

/** @param action gets what is invalid when it has returned */
export function withLiveVectors<Result>(
  directory: Directory,
  segments: readonly OpenedSegment[],
  action: (live: readonly LiveVectors[]) => Result,
): Result {
  const files = segments.map(({ entry }) =>
    entry.files.filter(({ component }) => component === 'vectors'),
  );
  return withOpenFiles(directory, files, (readers) =>
    action(
      segments.map(({ entry, reader, dead }, s) => {
        const opened = readers[s];
        const vectors = opened ? vectorsByEmbedder(entry.files, opened) : new Map();
        return { reader, dead, vectors };
      }),
    ),
  );
}
