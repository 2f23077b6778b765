/**
 * Similarity of two vectors as a 32-bit float within 0 … 1:
 *
 *   cosine     (1 + cos) / 2; a zero vector is at right angles to all
 *   euclidean  1 / (1 + distance)
 *   dot        (1 + p / (1 + |p|)) / 2 of the product p
 *   hamming    1 − differing bits / (64 × ⌈dimensions / 64⌉)
 */
import type { VectorMetric } from './vectors.ts';

/**
 * @param dot Σ query × vector
 * @param querySquare Σ query²
 * @param square Σ vector²
 */
export function similarityOfSums(
  metric: Exclude<VectorMetric, 'hamming'>,
  dot: number,
  querySquare: number,
  square: number,
): number {
  if (metric === 'dot') return Math.fround((1 + dot / (1 + Math.abs(dot))) / 2);
  if (metric === 'euclidean')
    return Math.fround(1 / (1 + Math.sqrt(Math.max(0, square + querySquare - 2 * dot))));
  const norms = Math.sqrt(square * querySquare);
  return norms === 0 ? 0.5 : Math.fround(Math.min(1, Math.max(0, (1 + dot / norms) / 2)));
}

export const similarityOfBits = (differing: number, dimensions: number): number =>
  Math.fround(1 - differing / (64 * Math.ceil(dimensions / 64)));
