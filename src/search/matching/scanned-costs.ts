/**
 * Cached costs of documents of a segment, found by scans for the same terms: looks up the documents of
 * a new scan, and merges the costs of both.
 */
import { lowerBoundIn } from '../../engine/sets/sorted.ts';
import { LOOK_UP_RATIO } from '../sets/sorted-lists.ts';
import type { ScannedCosts } from '../snapshot/cached-values.ts';

/**
 * Writes the known costs.
 * @param ranks of the documents, ascending
 * @param out by document
 * @returns the places in `ranks` of the documents without a known cost, ascending
 */
export function takeKnown(known: ScannedCosts, ranks: Uint32Array, out: Int32Array): number[] {
  const { ranks: seen, costs } = known;
  const isFew = ranks.length * LOOK_UP_RATIO < seen.length;
  const unknown: number[] = [];
  for (let i = 0, at = 0; i < ranks.length; i++) {
    const rank = ranks[i]!;
    if (isFew) at = lowerBoundIn(seen, rank, at, seen.length);
    else while (at < seen.length && seen[at]! < rank) at++;
    if (seen[at] === rank) out[i] = costs[at]!;
    else unknown.push(i);
  }
  return unknown;
}

/** Both, which have no document in common. */
export function bothScanned(a: ScannedCosts, b: ScannedCosts): ScannedCosts {
  const length = a.ranks.length + b.ranks.length;
  const both = { ranks: new Uint32Array(length), costs: new Int32Array(length) };
  for (let at = 0, i = 0, j = 0; at < length; at++) {
    const isFirst = j === b.ranks.length || a.ranks[i]! < b.ranks[j]!;
    both.ranks[at] = isFirst ? a.ranks[i]! : b.ranks[j]!;
    both.costs[at] = isFirst ? a.costs[i++]! : b.costs[j++]!;
  }
  return both;
}
