/** Builds clusters of codes from vectors (vectors-format.ts). */

import { AssignmentMemory, BATCH, type VectorSource } from './assignment-memory.ts';
import type { Clusters } from './cluster-search.ts';
import { trainClusters } from './cluster-trainer.ts';
import { CodeSpace } from './code-space.ts';
import { threadKernels } from './kernels.ts';
import type { VectorSpace } from './vectors.ts';

/** Smaller numbers of vectors are compared exactly in the time of estimates. */
const CODED_MIN = 1_000;

/**
 * Minimum average number of vectors per cluster: smaller clusters would share most of their blocks
 * with others.
 */
const CLUSTER_VECTORS_MIN = 100;

/** Marks a vector that is not in the new file. */
export const NOWHERE = 0xffffffff;

/** Sections of a file; places are numbered through all clusters. */
export interface ClusterSections {
  readonly clusters: number;
  readonly centroids: Uint8Array;
  readonly centroidBlocks: Uint8Array;
  /** First place of each cluster, and the end. */
  readonly clusterStarts: Uint32Array;
  readonly ordinals: Uint32Array;
  readonly records: Uint8Array;
  readonly blocks: Uint8Array;
}

/** 0 = no codes either. */
export function clusterCountFor(vectors: number): number {
  if (vectors < CODED_MIN) return 0;
  return Math.round(Math.min(2 * Math.sqrt(vectors), vectors / CLUSTER_VECTORS_MIN));
}

/** The clusters of the file that most vectors come from: its centroids and codes are reused. */
export interface KnownClusters {
  readonly clusters: Clusters;
  /** New ordinal by ordinal in that file, or `NOWHERE`. */
  readonly newOrdinals: Uint32Array;
}

/** null when there are too few vectors for clusters to pay. */
export function buildClusters(
  space: VectorSpace,
  source: VectorSource,
  known: KnownClusters | null,
): ClusterSections | null {
  const wanted = clusterCountFor(source.count);
  if (wanted === 0) return null;
  const codes = new CodeSpace(space);
  const memory = new AssignmentMemory(threadKernels(), codes, known?.clusters.count ?? wanted);
  if (known === null) trainClusters(memory, source);
  else memory.loadCentroids(known.clusters.centroids);
  const encoded = new EncodedVectors(source.count, codes.recordBytes);
  if (known !== null) takeOver(known, codes.recordBytes, encoded);
  encodeMissing(memory, source, encoded);
  const { clusters } = memory;
  const clusterStarts = startsOf(encoded.clusters, clusters);
  const ordinals = placesInOrder(encoded.clusters, clusterStarts);
  const { bytes } = memory.kernels;
  const centroidsEnd = memory.centroids + (clusters + 1) * codes.vectorBytes;
  return {
    clusters,
    centroids: bytes.slice(memory.centroids, centroidsEnd),
    centroidBlocks: memory.centroidBlocks(),
    clusterStarts,
    ordinals,
    records: encoded.records,
    blocks: packAll(codes, encoded.records, ordinals),
  };
}

/** The cluster of each vector, and its code. */
class EncodedVectors {
  /** By ordinal; `NOWHERE` until the cluster is known. */
  readonly clusters: Uint32Array;
  readonly records: Uint8Array;
  readonly #recordBytes: number;

  constructor(count: number, recordBytes: number) {
    this.clusters = new Uint32Array(count).fill(NOWHERE);
    this.records = new Uint8Array(count * recordBytes);
    this.#recordBytes = recordBytes;
  }

  set(ordinal: number, cluster: number, record: Uint8Array): void {
    this.clusters[ordinal] = cluster;
    this.records.set(record, ordinal * this.#recordBytes);
  }
}

/** Clusters and codes of the vectors that come from the file with the known clusters. */
function takeOver(
  { clusters, newOrdinals }: KnownClusters,
  recordBytes: number,
  encoded: EncodedVectors,
): void {
  for (let cluster = 0; cluster < clusters.count; cluster++) {
    const end = clusters.starts[cluster + 1]!;
    for (let place = clusters.starts[cluster]!; place < end; place++) {
      const old = clusters.ordinals[place]!;
      const ordinal = newOrdinals[old]!;
      if (ordinal === NOWHERE) continue;
      const at = old * recordBytes;
      encoded.set(ordinal, cluster, clusters.records.subarray(at, at + recordBytes));
    }
  }
}

function encodeMissing(
  memory: AssignmentMemory,
  source: VectorSource,
  encoded: EncodedVectors,
): void {
  const missing: number[] = [];
  for (let ordinal = 0; ordinal < source.count; ordinal++) {
    if (encoded.clusters[ordinal] === NOWHERE) missing.push(ordinal);
    if (missing.length < BATCH && ordinal < source.count - 1) continue;
    encodeBatch(memory, source, missing, encoded);
    missing.length = 0;
  }
}

function encodeBatch(
  memory: AssignmentMemory,
  source: VectorSource,
  ordinals: readonly number[],
  encoded: EncodedVectors,
): void {
  memory.place(source, ordinals);
  const nearest = memory.assign(ordinals.length).slice();
  for (const [i, ordinal] of ordinals.entries()) {
    memory.encode(i);
    encoded.set(ordinal, nearest[i]!, memory.recordBytes());
  }
}

function startsOf(numbers: Uint32Array, clusters: number): Uint32Array {
  const starts = new Uint32Array(clusters + 1);
  for (const cluster of numbers) starts[cluster + 1]! += 1;
  for (let cluster = 0; cluster < clusters; cluster++) starts[cluster + 1]! += starts[cluster]!;
  return starts;
}

/** The ordinals of all vectors, cluster by cluster, ascending within one. */
function placesInOrder(numbers: Uint32Array, starts: Uint32Array): Uint32Array {
  const next = starts.slice();
  const ordinals = new Uint32Array(numbers.length);
  for (let ordinal = 0; ordinal < numbers.length; ordinal++)
    ordinals[next[numbers[ordinal]!]!++] = ordinal;
  return ordinals;
}

function packAll(codes: CodeSpace, records: Uint8Array, ordinals: Uint32Array): Uint8Array {
  const kernels = threadKernels();
  const { recordBytes, blockBytes, groups } = codes;
  const [record, block] = kernels.areas([recordBytes, blockBytes]);
  const blocks = new Uint8Array(Math.ceil(ordinals.length / 32) * blockBytes);
  for (let from = 0; from < ordinals.length; from += 32) {
    kernels.bytes.fill(0, block, block + blockBytes);
    const end = Math.min(from + 32, ordinals.length);
    for (let place = from; place < end; place++) {
      const at = ordinals[place]! * recordBytes;
      kernels.bytes.set(records.subarray(at, at + recordBytes), record);
      kernels.run.pack(record, block, place & 31, groups);
    }
    blocks.set(kernels.bytes.subarray(block, block + blockBytes), (from / 32) * blockBytes);
  }
  return blocks;
}
