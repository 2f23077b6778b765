/**
 * The documents of a snapshot whose vectors are most similar to the query vector, over all segments
 * (relevance.md 7.2).
 */

import { andNotInto } from '../../engine/sets/bitset.ts';
import { nearestInFiles } from '../../engine/vectors/nearest-in-files.ts';
import type { Neighbour } from '../../engine/vectors/vectors.ts';
import type { Distribution, EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { openAiModel } from '../../model/embedders/openai-models.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

const USUAL_EFFORT = 1;
/** Score of a similarity of 0 after a shift: the step between 1 and the next 32-bit float. */
const SIMILARITY_MIN = 2 ** -23;

/**
 * The best `count` documents of a universe that have a vector, all when there are fewer: best
 * first, equal ones by ascending DocId. Raw similarities of the vectors decide the order;
 * `shownSimilarity` converts them to scores.
 */
export type FindNeighbours = (universe: DocSet, count: number) => readonly Neighbour[];

/** @param vector has the dimensions of the embedder */
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
 * Bits of the documents of the universe whose live copies a segment may hold; null when the segment
 * holds no other documents.
 */
function livingOf(
  universe: DocSet,
  { live, dead }: IndexSnapshot,
  segment: number,
): Uint32Array | null {
  const ownDead = dead[segment]!;
  if (ownDead === null) return universe.count === live.count ? null : universe.toBits();
  return andNotInto(TYPED_ARRAY_POOL.copyOf(universe.toBits()), ownDead);
}

/**
 * Score of a similarity. Different similarities may have the same score: those beyond the ends of a
 * shift.
 */
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

/**
 * Spreads the similarities of a model that uses a narrow range over [0, 1], so that they are
 * comparable to keyword scores: the mean becomes .5; one standard deviation becomes .4.
 */
export function shiftSimilarity(similarity: number, { mean, sigma }: Distribution): number {
  const factor = 0.4 / sigma;
  const shifted = factor * similarity + 0.5 - factor * mean;
  if (shifted <= 0) return SIMILARITY_MIN;
  return Math.fround(Math.min(shifted, 1));
}

/** The configured distribution, else the model's known one; null = similarities are not shifted. */
export const distributionOf = ({
  source,
  model = '',
  distribution,
}: EmbedderSettings): Distribution | null =>
  distribution ?? (source === 'openAi' ? (openAiModel(model)?.distribution ?? null) : null);

/** Best first, equal ones by ascending DocId. */
export const compareNeighbours = (a: Neighbour, b: Neighbour): number =>
  b.similarity - a.similarity || a.docId - b.docId;
