/** Living documents of a range of terms, by the classes of a segment's digest. */
import type { RangeDigest } from '../../engine/segment/range-digests.ts';
import { andNotInto, hasBit } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/** Words of a bitset for each listed document: more documents are read as bits. */
const LISTED_SHARE = 4;

/** Documents of some classes of a digest of segment `s`. @param isChosen receives the number of a class */
export function digestedDocuments(
  { dead: allDead, bitsetLength }: IndexSnapshot,
  s: number,
  digest: RangeDigest,
  isChosen: (n: number) => boolean,
): DocSet {
  const dead = allDead[s]!;
  const chosen = [...digest.fieldPositionClasses.keys()].filter(isChosen);
  const count = chosen.reduce((sum, n) => sum + digest.documentCount(n), 0);
  if (count * LISTED_SHARE > bitsetLength) {
    const bits = TYPED_ARRAY_POOL.zeros(bitsetLength);
    if (chosen.length === digest.fieldPositionClasses.length) digest.addDocuments(bits);
    else for (const n of chosen) digest.addClass(n, bits);
    return DocSet.fromBits(dead === null ? bits : andNotInto(bits, dead));
  }
  const docs = SCRATCH.list.atLeast(count);
  let length = 0;
  for (const n of chosen) {
    const own = digest.readClass(n);
    for (let i = 0; i < own.length; i++)
      if (dead === null || !hasBit(dead, own[i]!)) docs[length++] = own[i]!;
  }
  return DocSet.fromUnordered(docs.subarray(0, length), bitsetLength);
}
