/** The living documents of several segments as one set. */
import { wordsFor } from '../sets/bitset.ts';
import type { SegmentReader } from './segment.ts';

export interface SegmentWithDead {
  readonly reader: SegmentReader;
  /** null = all are alive. */
  readonly dead: Uint32Array | null;
}

/** Words of a bitset for the DocIds of these segments. */
export const docIdWords = (readers: readonly SegmentReader[]): number =>
  wordsFor(Math.max(0, ...readers.map(({ ranks }) => ranks.end)));

/** A bitset of `docIdWords`. */
export function liveDocuments(segments: readonly SegmentWithDead[]): Uint32Array {
  const bits = new Uint32Array(docIdWords(segments.map(({ reader }) => reader)));
  for (const { reader, dead } of segments) reader.ranks.addLive(dead, bits);
  return bits;
}
