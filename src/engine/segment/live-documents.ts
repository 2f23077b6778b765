/** The live documents of segments. */
import { wordsFor } from '../sets/bitset.ts';
import { isLive } from '../sets/tombstones.ts';
import type { SegmentReader } from './segment-reader.ts';

export interface SegmentWithDead {
  readonly reader: SegmentReader;
  /** null = all are alive. */
  readonly dead: Uint32Array | null;
}

/** Number of words of a bitset for the DocIds of these segments. */
export const docIdWords = (readers: readonly SegmentReader[]): number =>
  wordsFor(Math.max(0, ...readers.map(({ ranks }) => ranks.end)));

/** DocId of the segment's live document with this id, or −1. */
export function findLive({ reader, dead }: SegmentWithDead, id: Uint8Array): number {
  const docId = reader.findDocument(id);
  return docId >= 0 && isLive(docId, dead) ? docId : -1;
}

/** A bitset of `docIdWords`. */
export function liveDocuments(segments: readonly SegmentWithDead[]): Uint32Array {
  const bits = new Uint32Array(docIdWords(segments.map(({ reader }) => reader)));
  for (const { reader, dead } of segments) reader.ranks.addLive(dead, bits);
  return bits;
}
