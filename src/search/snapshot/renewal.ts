/**
 * Patches cached results after documents were written or deleted: removes the touched documents and
 * adds the new result for them.
 */

import { clearBit, orInto } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { CostSet, ExactnessMatches, NodePositions } from './cached-values.ts';

/** Changes of the documents since a result was computed. */
export interface Change {
  /** Documents written or deleted, ascending. */
  readonly touched: Uint32Array;
  /** Current length of document bitsets. */
  readonly bitsetLength: number;
}

export const renewDocuments = (earlier: DocSet, found: DocSet, change: Change): DocSet =>
  earlier.renewed(change.touched, found, change.bitsetLength);

/** True if none of the documents was touched. */
const isAsItWas = (docs: DocSet, { touched, bitsetLength }: Change): boolean =>
  docs.bitsetLength === bitsetLength && !docs.hasAny(touched);

export function renewCosts(
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
    .map(([cost, both]) => ({ cost, docs: renewDocuments(both.docs, both.found, change) }))
    .filter(({ docs }) => !docs.isEmpty)
    .sort((a, b) => a.cost - b.cost);
}

export const renewMatches = (
  earlier: ExactnessMatches,
  found: ExactnessMatches,
  change: Change,
): ExactnessMatches => ({
  exactMatch: renewDocuments(earlier.exactMatch, found.exactMatch, change),
  matchesStart: renewDocuments(earlier.matchesStart, found.matchesStart, change),
});

export function renewBits(
  earlier: Uint32Array,
  found: Uint32Array,
  { touched, bitsetLength }: Change,
): Uint32Array {
  const bits = new Uint32Array(bitsetLength);
  bits.set(earlier.subarray(0, bitsetLength));
  for (let i = 0; i < touched.length; i++) clearBit(bits, touched[i]!);
  return orInto(bits, found);
}

/** Rows of touched documents are replaced; all others stay. */
export function renewPositions(
  earlier: NodePositions,
  found: NodePositions,
  { touched, bitsetLength }: Change,
): NodePositions {
  const rowCount = bitsetLength * 32;
  const lengthMax = earlier.keys.length + found.keys.length;
  const offsets = new Uint32Array(rowCount + 1);
  const keys = new Uint32Array(lengthMax);
  const classes = new Uint8Array(lengthMax);
  let length = 0;
  const take = (from: NodePositions, row: number, end: number): void => {
    const known = Math.min(end, from.offsets.length - 1);
    const start = from.offsets[Math.min(row, known)]!;
    keys.set(from.keys.subarray(start, from.offsets[known]), length);
    classes.set(from.classes.subarray(start, from.offsets[known]), length);
    for (let i = row; i < end; i++)
      offsets[i + 1] = length + from.offsets[Math.min(i + 1, known)]! - start;
    length = offsets[end]!;
  };
  let row = 0;
  for (let i = 0; i < touched.length && touched[i]! < rowCount; i++) {
    take(earlier, row, touched[i]!);
    row = touched[i]! + 1;
    take(found, row - 1, row);
  }
  take(earlier, row, rowCount);
  return { rows: 'docs', offsets, keys: keys.slice(0, length), classes: classes.slice(0, length) };
}
