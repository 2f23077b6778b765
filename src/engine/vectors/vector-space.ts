/** Chooses the space of an embedder's vectors. */
import type { VectorMetric, VectorSpace } from './vectors.ts';

/**
 * Up to this number of dimensions a binary-quantized embedder compares signs, as its contract says
 * (relevance.md 7.2). With more dimensions signs alone find only half of the true neighbours (.54
 * at 384 dimensions), so a byte a dimension is stored and compared instead: a quarter of the disk.
 */
const SIGN_DIMENSIONS_MAX = 128;

export function vectorSpace(embedder: {
  readonly dimensions: number;
  readonly metric: VectorMetric;
  readonly binaryQuantized: boolean;
}): VectorSpace {
  const { dimensions, metric, binaryQuantized } = embedder;
  const comparesSigns =
    metric === 'hamming' || (binaryQuantized && dimensions <= SIGN_DIMENSIONS_MAX);
  if (comparesSigns) return { dimensions, metric: 'hamming', precision: 'bit' };
  return { dimensions, metric, precision: binaryQuantized ? 'byte' : 'float' };
}
