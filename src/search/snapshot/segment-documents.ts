/** Living documents of one segment of a snapshot. */
import { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

/** By snapshot and place of the segment; filled at first access. */
const found = new WeakMap<IndexSnapshot, Map<number, DocSet>>();

export function segmentDocuments(snapshot: IndexSnapshot, s: number): DocSet {
  let bySegment = found.get(snapshot);
  if (!bySegment) {
    bySegment = new Map();
    found.set(snapshot, bySegment);
  }
  let docs = bySegment.get(s);
  if (!docs) {
    const bits = new Uint32Array(snapshot.bitsetLength);
    snapshot.segments[s]!.ranks.addLive(snapshot.dead[s]!, bits);
    docs = DocSet.fromBits(bits).packed;
    bySegment.set(s, docs);
  }
  return docs;
}
