/**
 * Computes published states of an index: the next manifest, its counts, and files that no state
 * names.
 */
import type { Arrivals } from '../model/arrivals.ts';
import {
  fileBytesOf,
  fileNamesOf,
  type IndexManifest,
  type SegmentEntry,
  type SegmentFile,
} from '../model/index-manifest.ts';
import { DEFAULT_SETTINGS, type Settings } from '../model/settings.ts';

export interface ManifestChange {
  readonly uid?: string;
  readonly primaryKey?: string | null;
  readonly settings?: Settings;
  readonly segments?: readonly SegmentEntry[];
  readonly arrivals?: Arrivals;
  readonly metPaths?: readonly string[];
  readonly branchOf?: readonly string[];
  /** Absent for changes that users did not request (merges). */
  readonly updatedAt?: string;
}

export function newManifest(
  uid: string,
  id: number,
  primaryKey: string | null,
  createdAt: string,
): IndexManifest {
  const dates = { createdAt, updatedAt: createdAt };
  const empty = { settings: DEFAULT_SETTINGS, segments: [], arrivals: [], metPaths: [] };
  return { uid, id, generation: 1, ...dates, primaryKey, ...empty };
}

/** Bytes of all files. */
export function segmentBytes(manifest: IndexManifest): number {
  return manifest.segments.reduce((sum, segment) => sum + fileBytesOf(segment), 0);
}

/** The files of `before` that `after` does not name. */
export function droppedFiles(before: IndexManifest, after: IndexManifest): SegmentFile[] {
  const kept = new Set(fileNamesOf(after.segments));
  return before.segments.flatMap(({ files }) => files.filter(({ name }) => !kept.has(name)));
}
