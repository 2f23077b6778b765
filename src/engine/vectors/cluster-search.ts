/**
 * Vectors whose codes promise the highest similarities, of several files of one space: estimates
 * are of the same scale in all. Codes are copied from the files into the kernels' memory, some
 * blocks at a time, and estimated there.
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
  readonly #files: readonly Clusters[];
  readonly #codes: CodeSpace;
  /** Number of the first vector of each file among those of all, and the end. */
  readonly #firstVectors: readonly number[];
  readonly #kernels: Kernels;
  readonly #best: BestEstimates;
  readonly #table: number;
  readonly #sums: number;
  readonly #blocks: number;
  readonly #pairs: number;

  /** @param files at least one @param candidates how many vectors to find */
  constructor(files: readonly Clusters[], query: Float32Array, candidates: number) {
    this.#files = files;
    this.#firstVectors = starts(files.map(({ ordinals }) => ordinals.length));
    this.#best = new BestEstimates(candidates);
    const { codes } = files[0]!;
    this.#codes = codes;
    const kernels = threadKernels();
    this.#kernels = kernels;
    const [signs, vector, head, sums, blocks, pairs] = kernels.areas([
      codes.signBytes,
      codes.vectorBytes,
      16 + codes.vectorBytes,
      128,
      Math.max(
        BLOCKS_AT_ONCE * codes.blockBytes,
        ...files.map(({ centroidBlocks }) => centroidBlocks.length),
      ),
      Math.max(BLOCKS_AT_ONCE, ...files.map(({ count }) => Math.ceil(count / 32))) * 32 * 8,
    ]);
    this.#table = head + 16;
    this.#sums = sums;
    this.#blocks = blocks;
    this.#pairs = pairs;
    codes.writeSigns(kernels, signs);
    codes.place(query, kernels, vector, signs);
    kernels.run.lookUp(vector, codes.dimensions, this.#table);
  }

  /** Ordinals in a file of those of its vectors that are among the best that were met, in no order. */
  candidatesOf(file: number): Uint32Array {
    const first = this.#firstVectors[file]!;
    const end = this.#firstVectors[file + 1]!;
    const { numbers, size } = this.#best;
    const ordinals = new Uint32Array(size);
    let count = 0;
    for (let i = 0; i < size; i++)
      if (numbers[i]! >= first && numbers[i]! < end) ordinals[count++] = numbers[i]! - first;
    return ordinals.subarray(0, count);
  }

  /**
   * Meets the wanted vectors of all files with one cluster, and of the `probes` clusters of the
   * others that are nearest to the query.
   * @param isWanted by file
   */
  probe(probes: number, isWanted: readonly IsWanted[]): void {
    for (const [file, { count, ordinals }] of this.#files.entries())
      if (count === 1) this.#scanPlaces(file, 0, ordinals.length, isWanted[file]!);
    if (probes > 0) this.#probeNearest(probes, isWanted);
  }

  #probeNearest(probes: number, isWanted: readonly IsWanted[]): void {
    const firstClusters = starts(this.#files.map(({ count }) => count));
    const nearest = this.#nearestClusters(probes, firstClusters);
    for (let i = 0; i < nearest.size; i++) {
      const number = nearest.numbers[i]!;
      let file = 0;
      while (number >= firstClusters[file + 1]!) file++;
      const cluster = number - firstClusters[file]!;
      const places = this.#files[file]!.starts;
      this.#scanPlaces(file, places[cluster]!, places[cluster + 1]!, isWanted[file]!);
    }
  }

  /** Meets these vectors of a file. */
  lookUp(file: number, ordinals: Uint32Array): void {
    const { records } = this.#files[file]!;
    const firstVector = this.#firstVectors[file]!;
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
        this.#best.offer(firstVector + batch[i]!, kernels.floats[estimates / 4 + i]!);
    }
  }

  /**
   * Records to where they are estimated. Each lies in a page of its own, so that the wait for memory
   * is most of it: a word of each is touched before the first is copied, which waits for many at
   * once.
   */
  #copyRecords(records: Uint32Array, recordWords: number, ordinals: Uint32Array): void {
    const { words } = this.#kernels;
    const { length } = ordinals;
    let into = this.#blocks / 4;
    let touched = 0;
    for (let i = 0; i < length; i++) touched |= records[ordinals[i]! * recordWords]!;
    words[into] = touched;
    for (let i = 0; i < length; i++) {
      // A loop, because views cost more than to copy so few words.
      const start = ordinals[i]! * recordWords;
      for (let at = start; at < start + recordWords; at++) words[into++] = records[at]!;
    }
  }

  /** Of files that have several: all, or the nearest in descending order. */
  #nearestClusters(probes: number, firstClusters: readonly number[]): BestEstimates {
    const kernels = this.#kernels;
    const best = new BestEstimates(probes);
    for (const [file, { count, centroidBlocks }] of this.#files.entries()) {
      if (count === 1) continue;
      kernels.bytes.set(centroidBlocks, this.#blocks);
      this.#scan(Math.ceil(count / 32), 1, -Infinity, 0);
      const pairs = this.#pairs / 4;
      for (let cluster = 0; cluster < count; cluster++)
        best.offer(firstClusters[file]! + cluster, kernels.floats[pairs + cluster * 2 + 1]!);
    }
    best.sort();
    return best;
  }

  #scanPlaces(file: number, start: number, end: number, isWanted: IsWanted): void {
    const { blocks } = this.#files[file]!;
    const { blockBytes, bits } = this.#codes;
    const lastBlock = Math.ceil(end / 32);
    for (let block = start >>> 5; block < lastBlock; block += BLOCKS_AT_ONCE) {
      const count = Math.min(BLOCKS_AT_ONCE, lastBlock - block);
      const bytes = blocks.subarray(block * blockBytes, (block + count) * blockBytes);
      this.#kernels.bytes.set(bytes, this.#blocks);
      const found = this.#scan(count, bits, this.#best.least, block * 32);
      this.#offerPairs(file, found, start, end, isWanted);
    }
  }

  #offerPairs(file: number, count: number, start: number, end: number, isWanted: IsWanted): void {
    const { words, floats } = this.#kernels;
    const { ordinals } = this.#files[file]!;
    const firstVector = this.#firstVectors[file]!;
    const best = this.#best;
    const first = this.#pairs / 4;
    for (let i = first; i < first + count * 2; i += 2) {
      const place = words[i]!;
      if (place < start || place >= end || floats[i + 1]! < best.least) continue;
      const ordinal = ordinals[place]!;
      if (isWanted === null || isWanted(ordinal)) best.offer(firstVector + ordinal, floats[i + 1]!);
    }
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

/** Where each of several runs of these lengths begins, one behind the other, and the end. */
function starts(lengths: readonly number[]): readonly number[] {
  let end = 0;
  return [0, ...lengths.map((length) => (end += length))];
}
