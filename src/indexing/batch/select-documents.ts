/**
 * The stored documents that a filter selects, for deletions and edits. The filter language is
 * passed in as a port.
 */
import type { ColumnsReader } from '../../engine/columns/columns-reader.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import { liveDocuments } from '../../engine/segment/live-documents.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { andInto, forEachBit } from '../../engine/sets/bitset.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import type { Settings } from '../../model/settings.ts';
import { type SegmentReaders, vectorsByEmbedder } from '../../segments/components.ts';
import { withOpenFiles } from '../files/open-files.ts';
import type { OpenedSegment } from '../files/segment-cache.ts';

/** The documents of an index as filters see them; one item of each list for each segment. */
interface SelectionSource {
  readonly segments: readonly SegmentReader[];
  readonly columns: readonly (readonly ColumnsReader[])[];
  readonly vectors: readonly ReadonlyMap<string, VectorsFile>[];
  /** Dead documents, null when all are alive. */
  readonly dead: readonly (Uint32Array | null)[];
  /** Length of bitsets in 32-bit words. */
  readonly bitsetLength: number;
  readonly liveBits: Uint32Array;
  /** `seenFieldPaths` is empty: a write does not know the fields of deleted documents. */
  readonly manifest: { readonly settings: Settings; readonly seenFieldPaths: readonly string[] };
}

/**
 * Bits of the selected documents; throws `ApiError` for a filter that the settings do not allow.
 */
export type SelectDocuments = (source: SelectionSource, filter: unknown) => Uint32Array;

interface OpenedIndex {
  readonly directory: Directory;
  readonly segments: readonly OpenedSegment[];
  readonly settings: Settings;
}

/**
 * Ids of the living documents that a filter selects; null = all.
 * @throws ApiError for a filter that the settings do not allow
 */
export const selectIds = (
  index: OpenedIndex,
  filter: unknown,
  select: SelectDocuments,
): readonly string[] => idsOf(index.segments, selectBits(index, filter, select));

/**
 * Bits of the live documents that a filter selects; null = all.
 * @throws ApiError for a filter that the settings do not allow
 */
export function selectBits(
  index: OpenedIndex,
  filter: unknown,
  select: SelectDocuments,
): Uint32Array {
  if (filter === null) return liveDocuments(index.segments);
  const lists = index.segments.map(({ entry }) =>
    entry.files.filter(({ component }) => component === 'columns' || component === 'vectors'),
  );
  return withOpenFiles(index.directory, lists, (readers) =>
    select(sourceOf(index, readers), filter),
  );
}

function sourceOf(
  { segments, settings }: OpenedIndex,
  files: readonly SegmentReaders[],
): SelectionSource {
  const liveBits = liveDocuments(segments);
  return {
    segments: segments.map(({ reader }) => reader),
    columns: files.map(({ columns }) => columns),
    vectors: files.map((own, s) => vectorsByEmbedder(segments[s]?.entry.files ?? [], own)),
    dead: segments.map(({ dead }) => dead),
    bitsetLength: liveBits.length,
    liveBits,
    manifest: { settings, seenFieldPaths: [] },
  };
}

function idsOf(segments: readonly OpenedSegment[], selected: Uint32Array): string[] {
  const utf8 = new TextDecoder();
  const ids: string[] = [];
  for (const { reader, dead } of segments) {
    const own = new Uint32Array(selected.length);
    reader.ranks.addLive(dead, own);
    forEachBit(andInto(own, selected), (docId) => ids.push(utf8.decode(reader.documentId(docId))));
  }
  return ids;
}
