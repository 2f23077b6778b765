/** Segments of an index with additional dead documents. */
import { docIdWords } from '../../engine/segment/live-documents.ts';
import { setBit } from '../../engine/sets/bitset.ts';
import { encodeTombstones } from '../../engine/sets/tombstones.ts';
import type { SegmentEntry } from '../../model/index-manifest.ts';
import type { OpenedSegment } from './segment-cache.ts';

/**
 * The segments that still hold a live document, with the newly dead added to their tombstones.
 * @param newlyDead DocIds by segment; null = all of the segment
 */
export function withTombstones(
  opened: readonly OpenedSegment[],
  newlyDead: readonly (readonly number[] | null)[],
): SegmentEntry[] {
  return opened.flatMap(({ entry, reader, dead }, i) => {
    const added = newlyDead[i] ?? null;
    if (added === null) return [];
    if (added.length === 0) return [entry];
    if (entry.deadCount + added.length === entry.documentCount) return [];
    const bits = dead?.slice() ?? new Uint32Array(docIdWords([reader]));
    for (const docId of added) setBit(bits, docId);
    return [{ ...entry, ...encodeTombstones(bits) }];
  });
}

/** The segment as if all documents that are not selected were dead. */
export function withoutOthers(segment: OpenedSegment, selected: Uint32Array): OpenedSegment {
  const { dead } = segment;
  return { ...segment, dead: selected.map((bits, word) => ~bits | (dead?.[word] ?? 0)) };
}
