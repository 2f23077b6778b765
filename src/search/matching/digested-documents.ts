/** Live documents of a term range from a segment's digest, grouped by fieldPositionClass. */
import type { Placing, RangeDigest } from '../../engine/segment/segment.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/** Group number of documents that belong to no group. */
export const LEFT_OUT = -1;

/**
 * Passes the documents of a digest of segment `s`, or part of them, to `take` by group.
 * @param groupOf group number of a fieldPositionClass, or `LEFT_OUT`; few and small numbers
 * @param take receives the documents of each group as bits, which it must not write to or keep
 */
export function dealDigest(
  { dead, bitsetLength }: IndexSnapshot,
  s: number,
  digest: RangeDigest,
  groupOf: (fieldPositionClass: Placing) => number,
  take: (group: number, bits: Uint32Array) => void,
): void {
  const groups = Int32Array.from(digest.fieldPositionClasses, groupOf);
  const count = groups.reduce((most, group) => Math.max(most, group), LEFT_OUT) + 1;
  const sets = SCRATCH.dealt.take(count * bitsetLength);
  digest.deal(groups, sets, bitsetLength);
  for (let group = 0; group < count; group++) {
    const bits = sets.subarray(group * bitsetLength, (group + 1) * bitsetLength);
    dropDead(bits, dead[s]!);
    take(group, bits);
  }
  sets.fill(0);
}

function dropDead(bits: Uint32Array, dead: Uint32Array | null): void {
  if (dead === null) return;
  for (let i = 0; i < Math.min(bits.length, dead.length); i++) bits[i]! &= ~dead[i]!;
}
