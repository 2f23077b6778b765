/** Living documents of one segment of a snapshot. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

/** By snapshot and place of the segment; filled at first access. */
const found = new WeakMap<IndexSnapshot, Map<number, DocSet>>();

export function segmentDocuments(snapshot: IndexSnapshot, s: number): DocSet {
  const bySegment = getOrCompute(found, snapshot, () => new Map());
  return getOrCompute(bySegment, s, () => {
    const bits = new Uint32Array(snapshot.bitsetLength);
    snapshot.segments[s]!.ranks.addLive(snapshot.dead[s]!, bits);
    return DocSet.fromBits(bits).packed;
  });
}
