/** The chunks of the index that contain a text (relevance.md 2.9). */
import type { Deadline } from '../../core/deadline.ts';
import { limits } from '../../core/limits.ts';
import { compareBytes } from '../../engine/bytes/utf8.ts';
import type { Chunks } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

const CHUNKS_MAX: number = limits.chunksPerPartMax;

/**
 * The first `limits.chunksPerPartMax` in byte order; null if there are none.
 * @param part UTF-8 of at least three bytes @param deadline only a curb matters
 */
export function chunksContaining(
  part: Uint8Array,
  snapshot: IndexSnapshot,
  deadline: Deadline,
): Chunks | null {
  const found = snapshot.segments.map((_, s) => liveChunks(part, snapshot, s, deadline));
  const count = found.reduce((sum, { length }) => sum + length, 0);
  if (count === 0) return null;
  if (count <= CHUNKS_MAX) return { ordinals: found, last: null };
  return capped(found, snapshot);
}

/** Chunks that live documents have, at most one more than the maximum. */
function liveChunks(
  part: Uint8Array,
  { segments, dead }: IndexSnapshot,
  s: number,
  deadline: Deadline,
): Uint32Array {
  const segment = segments[s]!;
  const ordinals: number[] = [];
  const visit = (ordinal: number): boolean => {
    if (segment.postings.hasLiveDocument(ordinal, dead[s]!)) ordinals.push(ordinal);
    return ordinals.length <= CHUNKS_MAX;
  };
  segment.terms.visitChunks(part, visit, () => deadline.check());
  return Uint32Array.from(ordinals);
}

/** Counts a chunk of several segments once. */
function capped(found: readonly Uint32Array[], { segments }: IndexSnapshot): Chunks {
  const bytesOf = (s: number, ordinal: number): Uint8Array => segments[s]!.terms.bytes(ordinal);
  const all = found
    .flatMap((own, s) => Array.from(own, (ordinal) => bytesOf(s, ordinal)))
    .sort(compareBytes);
  const distinct = all.filter((bytes, i) => i === 0 || compareBytes(bytes, all[i - 1]!) !== 0);
  const last = distinct[CHUNKS_MAX - 1];
  if (last === undefined || distinct.length === CHUNKS_MAX) return { ordinals: found, last: null };
  return {
    ordinals: found.map((own, s) =>
      own.filter((ordinal) => compareBytes(bytesOf(s, ordinal), last) <= 0),
    ),
    last: Buffer.from(last).toString('latin1'),
  };
}
