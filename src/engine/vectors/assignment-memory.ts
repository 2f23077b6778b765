/**
 * The kernels' memory for assigning vectors to clusters: a batch of vectors, the centroids, and
 * codes of the centroids that find the nearest one fast.
 */
import type { CodeSpace } from './code-space.ts';
import type { Kernels } from './kernels.ts';

/** Vectors that are placed and assigned in one batch. */
export const BATCH = 128;

export interface VectorSource {
  readonly count: number;
  /** Reads the vector with this ordinal. */
  read(ordinal: number, into: Float32Array): void;
}

/** Address members are the start of the named area. */
export class AssignmentMemory {
  readonly kernels: Kernels;
  readonly codes: CodeSpace;
  readonly clusters: number;
  /** f32 rows of the batch, in the space of codes. */
  readonly vectors: number;
  /** f32 rows of the centroids, then of their mean. */
  readonly centroids: number;
  /** f32 sums of each cluster's vectors. */
  readonly sums: number;
  /** u32 number of vectors of each cluster. */
  readonly counts: number;
  readonly #signs: number;
  /** f32 |centroid|² / 2. */
  readonly #halves: number;
  /** 1-bit codes of the centroids. */
  readonly #blocks: number;
  /** u32 cluster of each vector of the batch. */
  readonly #assigned: number;
  readonly #record: number;
  readonly #scratch: number;
  readonly #vector: Float32Array;

  constructor(kernels: Kernels, codes: CodeSpace, clusters: number) {
    this.kernels = kernels;
    this.codes = codes;
    this.clusters = clusters;
    const { vectorBytes } = codes;
    [
      this.#signs,
      this.vectors,
      this.centroids,
      this.#halves,
      this.#blocks,
      this.#assigned,
      this.#record,
      this.sums,
      this.counts,
      this.#scratch,
    ] = kernels.areas([
      codes.signBytes,
      BATCH * vectorBytes,
      (clusters + 1) * vectorBytes,
      clusters * 4,
      codes.centroidBytes(clusters),
      BATCH * 4,
      codes.recordBytes,
      clusters * vectorBytes,
      clusters * 4,
      16 + vectorBytes + 64 + 128 + 256,
    ]);
    codes.writeSigns(kernels, this.#signs);
    this.#vector = new Float32Array(codes.space.dimensions);
  }

  /** The record that was written last; valid until the next one. */
  recordBytes(): Uint8Array {
    return this.kernels.bytes.subarray(this.#record, this.#record + this.codes.recordBytes);
  }

  /** @param rows centroids and their mean, as in a file */
  loadCentroids(rows: Uint8Array): void {
    this.kernels.bytes.set(rows, this.centroids);
    this.indexCentroids();
  }

  /** The origin of codes: the mean of the centroids. */
  get centre(): number {
    return this.centroidAt(this.clusters);
  }

  centroidAt(cluster: number): number {
    return this.centroids + cluster * this.codes.vectorBytes;
  }

  /** Puts vectors of a source into the area of the batch. */
  place(source: VectorSource, ordinals: ArrayLike<number>): void {
    for (let i = 0; i < ordinals.length; i++) {
      source.read(ordinals[i]!, this.#vector);
      const at = this.vectors + i * this.codes.vectorBytes;
      this.codes.place(this.#vector, this.kernels, at, this.#signs);
    }
  }

  /** The nearest clusters of the first `count` vectors of the batch; valid until the next call. */
  assign(count: number): Uint32Array {
    this.kernels.run.assign(
      this.vectors,
      count,
      this.codes.dimensions,
      this.centroids,
      this.#halves,
      this.clusters,
      this.#blocks,
      this.#assigned,
      this.#scratch,
    );
    return this.kernels.words.subarray(this.#assigned / 4, this.#assigned / 4 + count);
  }

  forgetSums(): void {
    const { kernels, clusters } = this;
    kernels.bytes.fill(0, this.sums, this.sums + clusters * this.codes.vectorBytes);
    kernels.bytes.fill(0, this.counts, this.counts + clusters * 4);
  }

  /** Adds the vectors of the batch to the sums of the clusters that they were assigned to. */
  accumulate(count: number): void {
    this.kernels.run.accumulate(
      this.vectors,
      count,
      this.codes.dimensions,
      this.#assigned,
      this.sums,
      this.counts,
    );
  }

  /** Writes the record of a vector of the batch. */
  encode(place: number): void {
    const { kernels, codes } = this;
    const vector = this.vectors + place * codes.vectorBytes;
    kernels.bytes.fill(0, this.#record, this.#record + codes.recordBytes);
    const penalty = codes.space.metric === 'euclidean' ? this.#halfSquare(vector) : 0;
    kernels.run.encode(vector, this.centre, codes.dimensions, codes.bits, penalty, this.#record);
  }

  #halfSquare(vector: number): number {
    this.kernels.run.products(vector, vector, 1, this.codes.dimensions, this.#assigned);
    return this.kernels.floats[this.#assigned / 4]! / 2;
  }

  /**
   * Codes of the centroids for the file: 1 bit a dimension, in blocks. If products are compared, a
   * long centroid is a good one, and the blocks can no longer assign vectors.
   */
  centroidBlocks(): Uint8Array {
    if (this.codes.space.metric === 'dot') this.#encodeCentroids(() => 0);
    const end = this.#blocks + this.codes.centroidBytes(this.clusters);
    return this.kernels.bytes.slice(this.#blocks, end);
  }

  /** Call after the centroids changed: updates their mean, lengths and codes. */
  indexCentroids(): void {
    const { kernels, clusters } = this;
    this.#writeMean();
    const halves = this.#halves / 4;
    for (let cluster = 0; cluster < clusters; cluster++) {
      const at = this.centroidAt(cluster);
      kernels.run.products(at, at, 1, this.codes.dimensions, this.#halves + cluster * 4);
      kernels.floats[halves + cluster]! /= 2;
    }
    this.#encodeCentroids((cluster) => kernels.floats[halves + cluster]!);
  }

  #encodeCentroids(penaltyOf: (cluster: number) => number): void {
    const { kernels, clusters } = this;
    const { dimensions, recordBytes } = this.codes;
    kernels.bytes.fill(0, this.#blocks, this.#blocks + this.codes.centroidBytes(clusters));
    for (let cluster = 0; cluster < clusters; cluster++) {
      kernels.bytes.fill(0, this.#record, this.#record + recordBytes);
      const at = this.centroidAt(cluster);
      kernels.run.encode(at, this.centre, dimensions, 1, penaltyOf(cluster), this.#record);
      const block = this.#blocks + (cluster >>> 5) * this.codes.centroidBytes(32);
      kernels.run.pack(this.#record, block, cluster & 31, dimensions / 4);
    }
  }

  #writeMean(): void {
    const { floats } = this.kernels;
    const { dimensions } = this.codes;
    const first = this.centroids / 4;
    const mean = first + this.clusters * dimensions;
    floats.fill(0, mean, mean + dimensions);
    for (let cluster = 0; cluster < this.clusters; cluster++)
      for (let i = 0; i < dimensions; i++)
        floats[mean + i]! += floats[first + cluster * dimensions + i]!;
    for (let i = 0; i < dimensions; i++) floats[mean + i]! /= this.clusters;
  }
}
