/** Locates the live copy of a document. */
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

export interface DocumentPlace {
  readonly segment: SegmentReader;
  readonly docId: number;
}

/** The segment that holds the live copy of a document, or null. */
export function locateDocument(
  { segments, dead }: IndexSnapshot,
  docId: number,
): DocumentPlace | null {
  for (let s = 0; s < segments.length; s++) {
    const gone = dead[s]!;
    if (gone !== null && hasBit(gone, docId)) continue;
    if (segments[s]!.ranks.rankOf(docId) >= 0) return { segment: segments[s]!, docId };
  }
  return null;
}

/** The live document with this id, or null. */
export function findDocument({ segments, dead }: IndexSnapshot, id: string): DocumentPlace | null {
  const utf8 = new TextEncoder().encode(id);
  for (let s = 0; s < segments.length; s++) {
    const docId = segments[s]!.findDocument(utf8);
    if (docId >= 0 && !(dead[s] && hasBit(dead[s]!, docId)))
      return { segment: segments[s]!, docId };
  }
  return null;
}
