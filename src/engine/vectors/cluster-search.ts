/**
 * Finds the vectors whose codes promise the highest similarities, in several files of one space:
 * estimates have the same scale in all files. Codes are copied from the files into the kernels'
 * memory, some blocks at a time, and estimated there.
 */
import { BestEstimates } from './best-estimates.ts';
import type { CodeSpace } from './code-space.ts';
import { type Kernels, threadKernels } from './kernels.ts';

/** Blocks that are copied and estimated in one batch. */
const BLOCKS_AT_ONCE = 64;
/** Codes that are looked up in one batch: they use the area of the blocks. */
const RECORDS_AT_ONCE = BLOCKS_AT_ONCE * 32;

/**
 * A probe ends after a row of vectors without a kept estimate, as long as this share of all vectors
 * it may estimate: the remaining clusters are farther away still. Vectors that cluster well then
 * need a third of their probes, other vectors all of them (ADR 3).
 */
const FRUITLESS_SHARE = 0.25;

/** The cluster sections of a file, as views (vectors-format.ts). */
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

/** Whether the search includes the vector of an ordinal; null = all vectors. */
type IsWanted = ((ordinal: number) => boolean) | null;

/** One search; owns the kernels' memory until it ends. */
export class ClusterSearch {
  readonly #files: readonly Clusters[];
  readonly #codes: CodeSpace;
  /** First vector number of each file in the numbering over all files, and the end. */
  readonly #firstVectors: Float64Array;
  /** Product of the query with the centre of each file; codes are relative to the centre. */
  readonly #ofCentres: Float64Array;
  readonly #kernels: Kernels;
  readonly #best: BestEstimates;
  readonly #table: number;
  readonly #sums: number;
  readonly #blocks: number;
  readonly #pairs: number;

  /** @param files at least one @param candidates how many vectors to find */
  constructor(files: readonly Clusters[], query: Float32Array, candidates: number) {
    this.#files = files;
    this.#firstVectors = starts(files, ({ ordinals }) => ordinals.length);
    this.#best = new BestEstimates(candidates);
    const { codes } = files[0]!;
    this.#codes = codes;
    const kernels = threadKernels();
    this.#kernels = kernels;
    let centroidBytesMax = 0;
    let centroidBlocksMax = 0;
    for (const { centroidBlocks, count } of files) {
      centroidBytesMax = Math.max(centroidBytesMax, centroidBlocks.length);
      centroidBlocksMax = Math.max(centroidBlocksMax, Math.ceil(count / 32));
    }
    const [signs, vector, head, sums, blocks, pairs] = kernels.areas([
      codes.signBytes,
      codes.vectorBytes,
      16 + codes.vectorBytes,
      128,
      Math.max(BLOCKS_AT_ONCE * codes.blockBytes, centroidBytesMax),
      Math.max(BLOCKS_AT_ONCE, centroidBlocksMax) * 32 * 8,
    ]);
    this.#table = head + 16;
    this.#sums = sums;
    this.#blocks = blocks;
    this.#pairs = pairs;
    codes.writeSigns(kernels, signs);
    codes.place(query, kernels, vector, signs);
    kernels.run.lookUp(vector, codes.dimensions, this.#table);
    this.#ofCentres = new Float64Array(files.length);
    for (const [number, file] of files.entries()) {
      kernels.bytes.set(file.centroids.subarray(file.count * codes.vectorBytes), blocks);
      kernels.run.products(vector, blocks, 1, codes.dimensions, sums);
      this.#ofCentres[number] = kernels.floats[sums / 4]!;
    }
  }

  /** Ordinals of the best vectors found, ascending, by file. Ends the search. */
  candidates(): Uint32Array[] {
    const numbers = this.#best.numbers.subarray(0, this.#best.size).sort();
    let at = 0;
    return this.#files.map((_, file) => {
      const from = at;
      const first = this.#firstVectors[file]!;
      for (; at < numbers.length && numbers[at]! < this.#firstVectors[file + 1]!; at++)
        numbers[at]! -= first;
      return numbers.subarray(from, at);
    });
  }

  /**
   * Estimates the wanted vectors of the clusters that are nearest to the query, as long as
   * estimates are kept. Half of a file's probes go to its own nearest clusters, since the distance
   * of the nearest centroid depends on the number of clusters of the file; the other half go to the
   * nearest clusters of all files, since the topic of the query may be concentrated in one file.
   * @param probes most clusters, by file
   */
  probe(probes: readonly number[], isWanted: readonly IsWanted[]): void {
    const firsts = starts(this.#files, ({ count }) => count);
    const chosen = this.#nearestClusters(probes, firsts);
    const fruitlessMax = this.#vectorsOf(probes) * FRUITLESS_SHARE;
    let fruitless = 0;
    for (let i = 0; i < chosen.size && fruitless <= fruitlessMax; i++) {
      const number = chosen.numbers[i]!;
      let file = 0;
      while (number >= firsts[file + 1]!) file++;
      const places = this.#files[file]!.starts;
      const cluster = number - firsts[file]!;
      const [start, end] = [places[cluster]!, places[cluster + 1]!];
      const isFruitful = this.#scanPlaces(file, start, end, isWanted[file]!);
      fruitless = isFruitful || !this.#best.isFull ? 0 : fruitless + end - start;
    }
  }

  /** Estimated number of vectors in this number of clusters of each file. */
  #vectorsOf(probes: readonly number[]): number {
    return this.#files.reduce(
      (sum, { count, ordinals }, file) => sum + ordinals.length * (probes[file]! / count),
      0,
    );
  }

  /**
   * Numbers of clusters, the nearest first, so that fewer vectors of the later clusters are
   * offered.
   */
  #nearestClusters(probes: readonly number[], firsts: Float64Array): BestEstimates {
    let total = 0;
    let ofOwn = 0;
    for (const [file, { count }] of this.#files.entries()) {
      total += probes[file]!;
      ofOwn += ownProbes(probes[file]!, count);
    }
    const shared = new BestEstimates(total - ofOwn);
    const chosen = new BestEstimates(total);
    for (const [file, { count }] of this.#files.entries()) {
      const nearest = new BestEstimates(ownProbes(probes[file]!, count));
      this.#offerClusters(file, firsts[file]!, nearest, shared);
      chosen.offerAll(nearest);
    }
    chosen.offerAll(shared);
    chosen.sort();
    return chosen;
  }

  /** Estimates these vectors of a file. */
  lookUp(file: number, ordinals: Uint32Array): void {
    const { records } = this.#files[file]!;
    const firstVector = this.#firstVectors[file]!;
    const ofCentre = this.#ofCentres[file]!;
    const kernels = this.#kernels;
    const { dimensions, bits, recordBytes } = this.#codes;
    const words = new Uint32Array(records.buffer, records.byteOffset, records.length / 4);
    for (let from = 0; from < ordinals.length; from += RECORDS_AT_ONCE) {
      const batch = ordinals.subarray(from, from + RECORDS_AT_ONCE);
      this.#copyRecords(words, recordBytes / 4, batch);
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
        this.#best.offer(firstVector + batch[i]!, ofCentre + kernels.floats[estimates / 4 + i]!);
    }
  }

  /**
   * Copies records to the area where they are estimated. Each record lies in a page of its own, so
   * waiting for memory takes most of the time: one word of each is read before the first is copied,
   * which overlaps the waits.
   */
  #copyRecords(records: Uint32Array, recordWords: number, ordinals: Uint32Array): void {
    const { words } = this.#kernels;
    const { length } = ordinals;
    let into = this.#blocks / 4;
    let touched = 0;
    for (let i = 0; i < length; i++) touched |= records[ordinals[i]! * recordWords]!;
    words[into] = touched;
    for (let i = 0; i < length; i++) {
      // A loop: creating views costs more than copying these few words.
      const start = ordinals[i]! * recordWords;
      for (let at = start; at < start + recordWords; at++) words[into++] = records[at]!;
    }
  }

  /**
   * Offers the nearest clusters of a file to `nearest`, the rest to `shared`, numbered from `first`
   * on.
   */
  #offerClusters(file: number, first: number, nearest: BestEstimates, shared: BestEstimates): void {
    const { count, centroidBlocks } = this.#files[file]!;
    this.#kernels.bytes.set(centroidBlocks, this.#blocks);
    this.#scan(Math.ceil(count / 32), 1, -Infinity, 0);
    const pairs = this.#pairs / 4;
    const ofCentre = this.#ofCentres[file]!;
    for (let cluster = 0; cluster < count; cluster++) {
      const estimate = ofCentre + this.#kernels.floats[pairs + cluster * 2 + 1]!;
      if (nearest.size === nearest.capacity) {
        if (estimate <= nearest.least) {
          shared.offer(first + cluster, estimate);
          continue;
        }
        shared.offer(nearest.numbers[0]!, nearest.least);
      }
      nearest.offer(first + cluster, estimate);
    }
  }

  /** Returns whether any estimate was kept. */
  #scanPlaces(file: number, start: number, end: number, isWanted: IsWanted): boolean {
    let isFruitful = false;
    const { blocks } = this.#files[file]!;
    const { blockBytes, bits } = this.#codes;
    const lastBlock = Math.ceil(end / 32);
    for (let block = start >>> 5; block < lastBlock; block += BLOCKS_AT_ONCE) {
      const count = Math.min(BLOCKS_AT_ONCE, lastBlock - block);
      const bytes = blocks.subarray(block * blockBytes, (block + count) * blockBytes);
      this.#kernels.bytes.set(bytes, this.#blocks);
      const least = this.#best.least - this.#ofCentres[file]!;
      const found = this.#scan(count, bits, least, block * 32);
      if (this.#offerPairs(file, found, start, end, isWanted)) isFruitful = true;
    }
    return isFruitful;
  }

  /** Returns whether any estimate was kept. */
  #offerPairs(
    file: number,
    count: number,
    start: number,
    end: number,
    isWanted: IsWanted,
  ): boolean {
    let isFruitful = false;
    const { words, floats } = this.#kernels;
    const { ordinals } = this.#files[file]!;
    const firstVector = this.#firstVectors[file]!;
    const best = this.#best;
    const ofCentre = this.#ofCentres[file]!;
    const first = this.#pairs / 4;
    for (let i = first; i < first + count * 2; i += 2) {
      const place = words[i]!;
      const estimate = ofCentre + floats[i + 1]!;
      if (place < start || place >= end || estimate < best.least) continue;
      const ordinal = ordinals[place]!;
      if (isWanted !== null && !isWanted(ordinal)) continue;
      if (best.offer(firstVector + ordinal, estimate)) isFruitful = true;
    }
    return isFruitful;
  }

  #scan(count: number, bits: number, least: number, first: number): number {
    return this.#kernels.run.scan(
      this.#blocks,
      count,
      this.#table,
      this.#codes.dimensions,
      bits,
      least,
      first,
      this.#pairs,
      this.#sums,
    );
  }
}

/** Number of probes of a file that go to its own nearest clusters. */
const ownProbes = (probes: number, clusters: number): number =>
  probes === clusters ? clusters : Math.ceil(probes / 2);

/** Start of each file's items in a numbering over all files, and the end. */
function starts(files: readonly Clusters[], lengthOf: (file: Clusters) => number): Float64Array {
  const all = new Float64Array(files.length + 1);
  for (const [number, file] of files.entries()) all[number + 1] = all[number]! + lengthOf(file);
  return all;
}
