/**
 * Vectors whose codes promise the highest similarities. Codes are copied from the file into the
 * kernels' memory, some blocks at a time, and estimated there.
 */
import { BestEstimates } from './best-estimates.ts';
import type { CodeSpace } from './code-space.ts';
import { type Kernels, threadKernels } from './kernels.ts';

/** Blocks that are copied and estimated at once. */
const BLOCKS_AT_ONCE = 64;
/** Codes that are looked up at once: they fit where blocks do. */
const RECORDS_AT_ONCE = BLOCKS_AT_ONCE * 32;

/** The cluster sections of a file, in place (vectors-format.ts). */
export interface Clusters {
  readonly count: number;
  readonly codes: CodeSpace;
  readonly centroids: Uint8Array;
  readonly centroidBlocks: Uint8Array;
  readonly starts: Uint32Array;
  readonly ordinals: Uint32Array;
  readonly records: Uint8Array;
  readonly blocks: Uint8Array;
}

/** Whether the vector of an ordinal is searched for; null = all are. */
type IsWanted = ((ordinal: number) => boolean) | null;

/** One search; owns the kernels' memory until it ends. */
export class ClusterSearch {
  readonly #clusters: Clusters;
  readonly #kernels: Kernels;
  readonly #best: BestEstimates;
  readonly #table: number;
  readonly #sums: number;
  readonly #blocks: number;
  readonly #pairs: number;

  /** @param candidates how many vectors to find */
  constructor(clusters: Clusters, query: Float32Array, candidates: number) {
    this.#clusters = clusters;
    this.#best = new BestEstimates(candidates);
    const { codes } = clusters;
    const kernels = threadKernels();
    this.#kernels = kernels;
    const [signs, vector, head, sums, blocks, pairs] = kernels.areas([
      codes.signBytes,
      codes.vectorBytes,
      16 + codes.vectorBytes,
      128,
      Math.max(BLOCKS_AT_ONCE * codes.blockBytes, clusters.centroidBlocks.length),
      Math.max(BLOCKS_AT_ONCE, Math.ceil(clusters.count / 32)) * 32 * 8,
    ]);
    this.#table = head + 16;
    this.#sums = sums;
    this.#blocks = blocks;
    this.#pairs = pairs;
    codes.writeSigns(kernels, signs);
    codes.place(query, kernels, vector, signs);
    kernels.run.lookUp(vector, codes.dimensions, this.#table);
  }

  /** Ordinals of the best that were met, in no order. */
  get candidates(): Uint32Array {
    return this.#best.numbers.subarray(0, this.#best.size);
  }

  /** Meets the wanted vectors of the `probes` clusters that are nearest to the query. */
  probe(probes: number, isWanted: IsWanted): void {
    const { starts } = this.#clusters;
    const nearest = this.#nearestClusters(probes);
    for (let i = 0; i < nearest.size; i++) {
      const cluster = nearest.numbers[i]!;
      this.#scanPlaces(starts[cluster]!, starts[cluster + 1]!, isWanted);
    }
  }

  /** Meets these vectors. */
  lookUp(ordinals: Uint32Array): void {
    const { records, codes } = this.#clusters;
    const kernels = this.#kernels;
    const { dimensions, bits, recordBytes } = codes;
    const recordWords = recordBytes / 4;
    const words = new Uint32Array(records.buffer, records.byteOffset, records.length / 4);
    for (let from = 0; from < ordinals.length; from += RECORDS_AT_ONCE) {
      const batch = ordinals.subarray(from, from + RECORDS_AT_ONCE);
      let into = this.#blocks / 4;
      for (const ordinal of batch) {
        // A loop, because views cost more than to copy so few words.
        const end = (ordinal + 1) * recordWords;
        for (let at = ordinal * recordWords; at < end; at++) kernels.words[into++] = words[at]!;
      }
      const { length } = batch;
      const estimates = this.#pairs;
      kernels.run.estimate(
        this.#blocks,
        length,
        recordBytes,
        this.#table,
        dimensions,
        bits,
        estimates,
      );
      for (let i = 0; i < length; i++)
        this.#best.offer(batch[i]!, kernels.floats[estimates / 4 + i]!);
    }
  }

  /** All of them, or the nearest in descending order. */
  #nearestClusters(probes: number): BestEstimates {
    const { count, centroidBlocks } = this.#clusters;
    const kernels = this.#kernels;
    const best = new BestEstimates(probes);
    kernels.bytes.set(centroidBlocks, this.#blocks);
    this.#scan(Math.ceil(count / 32), 1, -Infinity, 0);
    const first = this.#pairs / 4;
    for (let cluster = 0; cluster < count; cluster++)
      best.offer(cluster, kernels.floats[first + cluster * 2 + 1]!);
    best.sort();
    return best;
  }

  #scanPlaces(start: number, end: number, isWanted: IsWanted): void {
    const { blocks, codes } = this.#clusters;
    const { blockBytes, bits } = codes;
    const lastBlock = Math.ceil(end / 32);
    for (let block = start >>> 5; block < lastBlock; block += BLOCKS_AT_ONCE) {
      const count = Math.min(BLOCKS_AT_ONCE, lastBlock - block);
      const bytes = blocks.subarray(block * blockBytes, (block + count) * blockBytes);
      this.#kernels.bytes.set(bytes, this.#blocks);
      const found = this.#scan(count, bits, this.#best.least, block * 32);
      this.#offerPairs(found, start, end, isWanted);
    }
  }

  #offerPairs(count: number, start: number, end: number, isWanted: IsWanted): void {
    const { words, floats } = this.#kernels;
    const { ordinals } = this.#clusters;
    const best = this.#best;
    const first = this.#pairs / 4;
    for (let i = first; i < first + count * 2; i += 2) {
      const place = words[i]!;
      if (place < start || place >= end || floats[i + 1]! < best.least) continue;
      const ordinal = ordinals[place]!;
      if (isWanted === null || isWanted(ordinal)) best.offer(ordinal, floats[i + 1]!);
    }
  }

  #scan(count: number, bits: number, least: number, first: number): number {
    return this.#kernels.run.scan(
      this.#blocks,
      count,
      this.#table,
      this.#clusters.codes.dimensions,
      bits,
      least,
      first,
      this.#pairs,
      this.#sums,
    );
  }
}
