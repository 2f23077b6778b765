/**
 * Vectors of one embedder in one segment: interfaces of writers and readers. Start here. One
 * immutable file holds them, ordered by DocId; a document may have several. Search is filter first:
 * the set of documents comes in, its nearest come out, best first, with exact similarities.
 */

/** How two vectors are compared; `hamming` looks at signs only (a value counts as 1 when > 0). */
export type VectorMetric = 'cosine' | 'euclidean' | 'dot' | 'hamming';

/**
 * Stored precision of a vector: 32-bit floats, a byte a dimension, or the sign of each dimension.
 */
export type VectorPrecision = 'float' | 'byte' | 'bit';

/** Files of one space can be searched together and merged. */
export interface VectorSpace {
  /** 1 … 65,536. */
  readonly dimensions: number;
  readonly metric: VectorMetric;
  /** `bit` if and only if the metric is `hamming`. */
  readonly precision: VectorPrecision;
}

export interface Neighbour {
  readonly docId: number;
  /** Of the document's best vector, 0 … 1, a 32-bit float (`similarity.ts`). */
  readonly similarity: number;
}
