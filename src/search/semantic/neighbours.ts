/**
 * The documents of a snapshot whose vectors are most similar to that of a query, over all segments
 * (relevance.md 7.2).
 */

import { andNotInto } from '../../engine/sets/bitset.ts';
import { nearestInFiles } from '../../engine/vectors/nearest-in-files.ts';
import type { Neighbour } from '../../engine/vectors/vectors.ts';
import { distributionOf } from '../../model/embedders/embedder-distribution.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SEARCH_SPACE } from '../sets/search-space.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { shiftSimilarity } from './distribution-shift.ts';

const USUAL_EFFORT = 1;

/**
 * The best `count` documents of a universe that have a vector, all when there are fewer: best
 * first, equals by ascending DocId. Similarities are those of the vectors, which decide the order;
 * `shownSimilarity` makes scores of them.
 */
export type FindNeighbours = (universe: DocSet, count: number) => readonly Neighbour[];

/** @param vector of the embedder's dimensions */
export function neighboursOf(
  snapshot: IndexSnapshot,
  embedder: string,
  vector: Float32Array,
): FindNeighbours {
  return (universe, count) => {
    const files = snapshot.vectors.flatMap((readers, s) => {
      const file = readers.get(embedder);
      return file === undefined ? [] : [{ file, universe: livingOf(universe, snapshot, s) }];
    });
    return nearestInFiles(files, vector, count, USUAL_EFFORT);
  };
}

/**
 * Bits of the documents of the universe whose living copies a segment may hold; null when those are
 * all that it holds.
 */
function livingOf(
  universe: DocSet,
  { live, dead }: IndexSnapshot,
  segment: number,
): Uint32Array | null {
  const ownDead = dead[segment]!;
  if (ownDead === null) return universe.count === live.count ? null : universe.toBits();
  return andNotInto(SEARCH_SPACE.copyOf(universe.toBits()), ownDead);
}

/** What a similarity counts as a score. Many may count the same: those beyond the ends of a shift. */
export function shownSimilarity(
  { manifest }: IndexSnapshot,
  embedder: string,
): (similarity: number) => number {
  const declared = manifest.settings.embedders[embedder];
  const shift = declared === undefined ? null : distributionOf(declared);
  return shift === null
    ? (similarity) => similarity
    : (similarity) => shiftSimilarity(similarity, shift);
}

/** Best first, equals by ascending DocId. */
export const compareNeighbours = (a: Neighbour, b: Neighbour): number =>
  b.similarity - a.similarity || a.docId - b.docId;
