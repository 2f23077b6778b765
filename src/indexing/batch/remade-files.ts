/**
 * Vector files for documents that a segment already holds, in ranges that are merged at the end.
 */

import type { Directory } from '../../engine/segment/directory.ts';
import { mergeVectors } from '../../engine/vectors/merge-vectors.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import type { VectorsCoverage } from '../../segments/vectors/vectors-component.ts';
import type { LiveVectors } from '../files/live-vectors.ts';
import { withOpenFiles } from '../files/open-files.ts';
import { SegmentFiles } from '../files/segment-files.ts';
import type { GeneratedVectors } from './embedding-request.ts';
import { feedStored, remadeFiles, type StoredRange } from './stored-vectors.ts';

export interface RemadeRange extends StoredRange {
  /** Where the range ends, null = with the last document. */
  readonly toDocId: number | null;
  readonly generated: readonly GeneratedVectors[];
}

/** @param id names the files; never used before in the index */
export function buildRemade(
  directory: Directory,
  segment: LiveVectors,
  range: RemadeRange,
  id: string,
): SegmentFile[] {
  const { settings } = range;
  const analyzer = (): never => {
    throw new Error('vectors are made without words');
  };
  const input = { segmentId: id, settings, analyzer };
  const files = new SegmentFiles(directory, remadeFiles(range), id, input);
  feedStored(segment, range, range.generated, files);
  return files.finish();
}

/** @param files of one embedder and segment */
export function joinRemade(
  directory: Directory,
  files: readonly SegmentFile[],
  name: string,
): SegmentFile {
  return withOpenFiles(directory, [files], ([opened]) => {
    const inputs = (opened?.vectors ?? []).map((reader) => ({ reader, dead: null }));
    const [first] = files;
    if (first === undefined) throw new Error('no files of vectors to be joined');
    const { component, covers } = first;
    const parts = mergeVectors(inputs, (covers as VectorsCoverage).space);
    directory.create(name, parts);
    return { component, name, covers, bytes: parts.reduce((sum, { length }) => sum + length, 0) };
  });
}
