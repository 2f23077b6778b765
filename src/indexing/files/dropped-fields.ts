/** Fields whose columns disappear with segments that have no documents left. */
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentEntry } from '../../model/index-manifest.ts';
import { withOpenFiles } from './open-files.ts';

/** Their paths. Costs opening the columns of the removed segments. */
export function droppedPaths(
  directory: Directory,
  before: readonly SegmentEntry[],
  after: readonly SegmentEntry[],
): string[] {
  const kept = new Set(after.map(({ id }) => id));
  const files = before
    .filter(({ id }) => !kept.has(id))
    .flatMap((segment) => segment.files.filter(({ component }) => component === 'columns'));
  if (files.length === 0) return [];
  return withOpenFiles(directory, [files], (readers) => [
    ...new Set(readers.flatMap(({ columns }) => columns.flatMap(({ paths }) => paths))),
  ]);
}
