/** Segments of manifests whose files are never opened. */
import type { SegmentEntry, SegmentFile } from '../../src/model/index-manifest.ts';

export const documentsFileOf = (id: string, bytes: number): SegmentFile => ({
  component: 'documents',
  name: `${id}.seg`,
  bytes,
  covers: '',
});

/** One whose documents are all alive, with the file of its documents alone. */
export const segmentEntry = (id: string, documentCount = 1, bytes = 1): SegmentEntry => ({
  id,
  documentCount,
  deadCount: 0,
  tombstones: null,
  files: [documentsFileOf(id, bytes)],
});
