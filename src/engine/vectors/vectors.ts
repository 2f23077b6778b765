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

export interface NearestOptions {
  /** Bitset of the DocIds to search among, without dead ones; null = all of the file. */
  readonly universe: Uint32Array | null;
  /** Multiple of the usual work; `Infinity` gives the answer of an exhaustive search. Default 1. */
  readonly effort?: number;
}

export interface VectorsReader {
  readonly id: string;
  readonly space: VectorSpace;
  readonly vectorCount: number;
  /** Documents with at least one vector, dead ones included. */
  readonly documentCount: number;
  /** Bitset of those documents; owned by the reader. */
  readonly documents: Uint32Array;
  /** Number of vectors of these documents. @param documents bitset of DocIds */
  countVectorsOf(documents: Uint32Array): number;
  /** The document's vectors as stored (bytes are approximations, bits are 1 and 0). */
  vectorsOf(docId: number): Float32Array[];
  /** Names of the vectors' fragments, in the same order; empty = none. */
  fragmentsOf(docId: number): readonly string[];
  /** Bitset of the documents with a vector of that fragment, dead ones included. */
  documentsOfFragment(name: string): Uint32Array;
  /**
   * The `k` most similar documents of the universe (fewer when it has fewer), by descending
   * similarity, equal ones by ascending DocId. Similarities are exact for the kept precision.
   * @param query `space.dimensions` finite numbers
   */
  nearest(query: Float32Array, k: number, options: NearestOptions): Neighbour[];
  /** Bytes of the file by purpose. */
  readonly bytes: { readonly vectors: number; readonly search: number };
  /** Compares every byte with its checksum; throws `CorruptionError`. */
  verifyChecksums(): void;
  /** The same, and verifies that all parts fit together, which takes thirty times as long. */
  verify(): void;
}

/** Takes documents in ascending DocId order and yields the bytes of a file. Single use. */
export interface VectorsWriter {
  /**
   * @param vectors one or several, `space.dimensions` finite numbers each; copied. A document
   * without vectors is not added.
   * @param fragments names of the vectors' fragments, one each; none = no fragments
   */
  add(docId: number, vectors: readonly Float32Array[], fragments?: readonly string[]): void;
  readonly vectorCount: number;
  /** Bytes held now, for the caller's memory budget. */
  readonly memoryBytes: number;
  /** The file's bytes in order. */
  finish(): Uint8Array[];
}
