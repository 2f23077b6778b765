/**
 * The file of vectors, in the frame of segment-format.ts with the magic "GANNETVE". A vector's
 * ordinal is its place when documents are in ascending order. Sections:
 *
 *   meta      u32 dimensions, u32 metric, u32 precision, u32 vectors, u32 documents, u32 first
 *             DocId, u32 clusters, u32 zero
 *   docIds    u32 × documents: ascending DocIds; empty when they are consecutive
 *   starts    u32 × documents + 1: ordinal of each document's first vector; empty when each has one
 *   rows      one row a vector, by ordinal (vector-rows.ts)
 *
 * and when there are clusters (numbers of code-space.ts, codes of assembly/codes.ts in blocks of
 * assembly/scan.ts):
 *
 *   centroids       f32 × dimensions of codes × (clusters + 1): centroids, then the centre, which
 *                   is their mean
 *   centroidBlocks  blocks of 1-bit codes of the centroids
 *   clusterStarts   u32 × clusters + 1: place of each cluster's first vector
 *   ordinals        u32 × vectors: ordinal by place, ascending in a cluster
 *   records         the code of each vector, by ordinal (assembly/codes.ts)
 *   blocks          blocks of the same codes, by place
 *
 * and when vectors were made of fragments (vector-fragments.ts):
 *
 *   fragmentNames   JSON array of texts
 *   fragments       u16 × vectors: 1 + place of the fragment's name, by ordinal; 0 = of none
 */
import { asciiBytes } from '../segment/segment-format.ts';
import type { VectorMetric, VectorPrecision } from './vectors.ts';

export const VECTORS_MAGIC = asciiBytes('GANNETVE');

export const VectorsSection = {
  meta: 1,
  docIds: 2,
  starts: 3,
  rows: 4,
  centroids: 5,
  centroidBlocks: 6,
  clusterStarts: 7,
  ordinals: 8,
  records: 9,
  blocks: 10,
  fragmentNames: 11,
  fragments: 12,
} as const;

export const VECTORS_META_WORDS = 8;

/** Numbers on disk are places in these lists. */
export const METRICS: readonly VectorMetric[] = ['cosine', 'euclidean', 'dot', 'hamming'];
export const PRECISIONS: readonly VectorPrecision[] = ['float', 'byte', 'bit'];
