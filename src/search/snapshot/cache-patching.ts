/**
 * Patches cached results after documents were written or deleted: removes the touched documents and
 * adds the new result for them.
 */

import { clearBit, orInto } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { CostSet, ExactnessMatches } from './cached-values.ts';

/** Changes of the documents since a result was computed. */
export interface Change {
  /** Documents written or deleted, ascending. */
  readonly touched: Uint32Array;
  /** Current length of document bitsets. */
  readonly bitsetLength: number;
}

export const patchedDocuments = (earlier: DocSet, found: DocSet, change: Change): DocSet =>
  earlier.patched(change.touched, found, change.bitsetLength);

/** True if none of the documents was touched. */
const isAsItWas = (docs: DocSet, { touched, bitsetLength }: Change): boolean =>
  docs.bitsetLength === bitsetLength && !docs.hasAny(touched);

export function patchedCosts(
  earlier: readonly CostSet[],
  found: readonly CostSet[],
  change: Change,
): readonly CostSet[] {
  if (found.length === 0 && earlier.every(({ docs }) => isAsItWas(docs, change))) return earlier;
  const none = DocSet.empty(change.bitsetLength);
  const byCost = new Map(earlier.map(({ cost, docs }) => [cost, { docs, found: none }]));
  for (const { cost, docs } of found)
    byCost.set(cost, { docs: byCost.get(cost)?.docs ?? none, found: docs });
  return [...byCost]
    .map(([cost, both]) => ({ cost, docs: patchedDocuments(both.docs, both.found, change) }))
    .filter(({ docs }) => !docs.isEmpty)
    .sort((a, b) => a.cost - b.cost);
}

export const patchedMatches = (
  earlier: ExactnessMatches,
  found: ExactnessMatches,
  change: Change,
): ExactnessMatches => ({
  exactMatch: patchedDocuments(earlier.exactMatch, found.exactMatch, change),
  matchesStart: patchedDocuments(earlier.matchesStart, found.matchesStart, change),
});

export function patchedBits(
  earlier: Uint32Array,
  found: Uint32Array,
  { touched, bitsetLength }: Change,
): Uint32Array {
  const bits = new Uint32Array(bitsetLength);
  bits.set(earlier.subarray(0, bitsetLength));
  for (let i = 0; i < touched.length; i++) clearBit(bits, touched[i]!);
  return orInto(bits, found);
}
