/** Columns of segments that are files already: which paths they have, and a file of columns for one that was just written. */
import { openColumns } from '../engine/columns/columns-reader.ts';
import type { Directory } from '../engine/segment/directory.ts';
import { openSegment } from '../engine/segment/segment-reader.ts';
import { columnsFileName, type SegmentEntry, segmentFileName } from '../model/index-manifest.ts';
import { buildColumns } from './build-columns.ts';
import { columnsEntry } from './segment-assembler.ts';

/** Paths that have a column in some of the segments. A field once met stays known, whatever becomes of its documents. */
export function columnPaths(directory: Directory, entries: readonly SegmentEntry[]): string[] {
  const paths = new Set<string>();
  for (const { id } of entries.flatMap(({ columns }) => columns ?? [])) {
    const file = directory.open(columnsFileName(id));
    try {
      for (const path of openColumns(id, file.bytes).paths) paths.add(path);
    } finally {
      file.close();
    }
  }
  return [...paths];
}

/**
 * Writes the one file of columns of a segment without dead documents; the entry names it.
 * @param known paths that get a column even when no document has them
 */
export function writeColumns(
  directory: Directory,
  entry: SegmentEntry,
  patterns: readonly string[],
  known: readonly string[],
): SegmentEntry {
  if (patterns.length === 0) return entry;
  const file = directory.open(segmentFileName(entry.id));
  try {
    const parts = buildColumns(openSegment(entry.id, file.bytes), null, patterns, known);
    directory.create(columnsFileName(entry.id), parts);
    return { ...entry, columns: [columnsEntry(entry.id, patterns, parts)] };
  } finally {
    file.close();
  }
}
