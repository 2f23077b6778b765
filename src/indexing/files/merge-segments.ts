/** Writes a new segment from existing ones, without their dead documents. */
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import {
  liveDocumentCount,
  type SegmentEntry,
  type SegmentFile,
} from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import {
  componentOf,
  isOfDocuments,
  planFiles,
  type SegmentReaders,
  type WantedFile,
} from '../../segments/components.ts';
import type { RewrittenSegment } from '../../segments/contract/component.ts';
import { nameFiles, segmentFile } from '../../segments/file-builder.ts';
import { withOpenFiles } from './open-files.ts';
import type { OpenedSegment } from './segment-cache.ts';

interface MergeTarget {
  readonly directory: Directory;
  readonly settings: Settings;
  /** Never used before in this index. */
  readonly segmentId: string;
}

interface MergeSources {
  readonly segments: readonly OpenedSegment[];
  /** Of the files of each segment that are opened for the merge. */
  readonly readers: readonly (SegmentReaders | undefined)[];
  /** The new segment's, once they are written. */
  readonly documents: SegmentReader | null;
}

/**
 * One segment of the living documents of the inputs; null when there is none. Its files are made
 * one after the other, so that no two are held in memory.
 * @param releaseAfter is called when the memory of these segments has become free
 */
export function mergeSegmentFiles(
  segments: readonly OpenedSegment[],
  target: MergeTarget,
  releaseAfter: (entries: readonly SegmentEntry[]) => void,
): SegmentEntry | null {
  const entries = segments.map(({ entry }) => entry);
  const documentCount = liveDocumentCount({ segments: entries });
  if (documentCount === 0) return null;
  releaseAfter(entries);
  const { build } = planFiles([], target.settings);
  const sources = { segments, readers: [], documents: null };
  const files = writeMerged(build.filter(isOfDocuments), sources, target);
  const entry = { id: target.segmentId, documentCount, deadCount: 0, tombstones: null, files };
  releaseAfter([entry]);
  return mergeOtherFiles(
    build.filter((file) => !isOfDocuments(file)),
    segments,
    entry,
    target,
  );
}

/**
 * The output with further files for its documents, which are living ones of the segments.
 * @param output has its documents' file
 */
export function mergeOtherFiles(
  wanted: readonly WantedFile[],
  segments: readonly OpenedSegment[],
  output: SegmentEntry,
  target: MergeTarget,
): SegmentEntry {
  if (wanted.length === 0) return output;
  const own = output.files.filter(isOfDocuments);
  const others = segments.map(({ entry }) => entry.files.filter((file) => !isOfDocuments(file)));
  return withOpenFiles(target.directory, [own, ...others], ([made, ...readers]) => {
    const sources = { segments, readers, documents: made?.documents[0] ?? null };
    return { ...output, files: [...output.files, ...writeMerged(wanted, sources, target)] };
  });
}

function writeMerged(
  wanted: readonly WantedFile[],
  { segments, readers, documents }: MergeSources,
  { directory, settings, segmentId }: MergeTarget,
): SegmentFile[] {
  const names = nameFiles(wanted, segmentId);
  return wanted.map(({ component, covers }, i) => {
    const sources = segments.map(({ entry, reader, dead }, s): RewrittenSegment => {
      const own = entry.files.filter((file) => file.component === component);
      const opened = readers[s]?.[component] ?? [];
      return {
        reader,
        dead,
        files: opened.map((reader, f) => ({ covers: own[f]?.covers, reader })),
      };
    });
    const parts = componentOf(component).merge({
      segmentId,
      covers,
      settings,
      sources,
      documents,
    });
    const name = names[i] as string;
    directory.create(name, parts);
    return segmentFile({ component, covers, name, parts });
  });
}
