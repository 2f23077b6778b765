/**
 * The dead documents of a segment: a bitset of DocIds, or null when all are alive; DocIds beyond
 * the bitset are alive. Manifests hold the text form of doc-ids.ts.
 */
import { countBits, hasBit } from './bitset.ts';
import { decodeDocIds, encodeDocIds } from './doc-ids.ts';

export const isLive = (docId: number, dead: Uint32Array | null): boolean =>
  dead === null || !hasBit(dead, docId);

/** @param bitsetLength in 32-bit words; no member lies beyond it */
export const decodeTombstones = (text: string | null, bitsetLength: number): Uint32Array | null =>
  text === null ? null : decodeDocIds(text, bitsetLength);

/** The members of a manifest's entry for dead documents. */
export function encodeTombstones(dead: Uint32Array): {
  readonly deadCount: number;
  readonly tombstones: string | null;
} {
  const deadCount = countBits(dead);
  return { deadCount, tombstones: deadCount === 0 ? null : encodeDocIds(dead) };
}
