/**
 * Computes published states of an index: the next manifest, its counts, and files that no state
 * names.
 */
import {
  fileBytesOf,
  fileNamesOf,
  type IndexManifest,
  NO_CONTENT,
  type SegmentFile,
} from '../model/index-manifest.ts';
import { DEFAULT_SETTINGS } from '../model/settings.ts';

/** Without `updatedAt`, users did not request the change (merges). */
export type ManifestChange = Partial<Omit<IndexManifest, 'id' | 'generation' | 'createdAt'>>;

export function newManifest(
  uid: string,
  id: number,
  primaryKey: string | null,
  createdAt: string,
): IndexManifest {
  const dates = { createdAt, updatedAt: createdAt };
  const empty = { settings: DEFAULT_SETTINGS, ...NO_CONTENT };
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
