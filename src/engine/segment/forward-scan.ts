/**
 * Scans documents of a forward index by a compiled kernel. For pairs of words near each other it
 * looks for the rarer side of each pair, eight codes at once, and at the words around each. For the
 * best places of words it reads all codes up to the best places that there are.
 */
import { KernelSpace } from '../bytes/kernel-space.ts';
import { FORWARD_KERNELS_BASE64 } from './compiled-kernels.ts';
import type { ForwardIndex } from './forward-index.ts';
import { RARE_TERM } from './forward-index-format.ts';
import { MARKS_END, type WantedTerms } from './wanted-terms.ts';

/** Costs of a pair below `PAIR_COSTS` are its distance less one, or its distance if it is reversed. */
export const PAIR_COSTS = 3;

/** Documents, and roughly codes, that are copied into the kernel's memory at once. */
const BATCH_DOCUMENTS = 1024;
const BATCH_CODES = 1 << 17;
/** Ranges of codes that are compared with eight codes at once; more are looked up by code. */
const RANGES_MAX = 8;
/** Largest number of steps: pairs and steps are bits of a number. */
export const STEPS_MAX = 31;
/** Changes of the mark of terms without a code. */
const RARE_MAX = 4096;

/** Bytes of an area that the kernel addresses by their order: see `begin` in assembly/kernels.ts. */
const MASK_BYTES = 0x1000;
const RARER_BYTES = 0x100;
const RANGE_BYTES = 32;
const TABLE_BYTES = 0x10000 + MASK_BYTES + RARER_BYTES + RANGES_MAX * RANGE_BYTES;

/** Bits by mark of a term. For pairs: those that the term can be a side of. */
export interface WantedMarks {
  /** All pairs. */
  all: number;
  /** Left side in the order of the query; or, for places, the steps of the term. */
  readonly left: Int32Array;
  /** Right side in the order of the query. */
  readonly right: Int32Array;
  /** The same against the order of the query. */
  readonly reversedLeft: Int32Array;
  readonly reversedRight: Int32Array;
  /** 1 for the terms of the rarer side of a pair, else 0. */
  readonly rarer: Uint8Array;
}

export const newWantedMarks = (): WantedMarks => ({
  all: 0,
  left: new Int32Array(MARKS_END),
  right: new Int32Array(MARKS_END),
  reversedLeft: new Int32Array(MARKS_END),
  reversedRight: new Int32Array(MARKS_END),
  rarer: new Uint8Array(MARKS_END),
});

interface ForwardKernels {
  begin(
    tables: number,
    rangeCount: number,
    rare: number,
    rareCount: number,
    hasRareTerms: number,
    pairs: number,
  ): void;
  costs(offsets: number, codes: number, count: number, into: number): void;
  placeCosts(
    offsets: number,
    codes: number,
    count: number,
    steps: number,
    costs: number,
    byField: number,
    into: number,
  ): void;
}

/** Bytes of the costs of a step; the last two are the kernel's. */
const STEP_BYTES = 32;
/** Buckets of positions, or fields, with a cost. */
export const PLACES_MAX = STEP_BYTES - 2;

/** Costs of the places of words. */
export interface PlaceCosts {
  /** By step: costs of at most 254, by bucket of positions or by local field. */
  readonly steps: readonly Uint8Array[];
  readonly byField: boolean;
}

const AREAS = [
  TABLE_BYTES,
  RARE_MAX * 5,
  (BATCH_DOCUMENTS + 1) * 4,
  BATCH_DOCUMENTS * 4,
  STEPS_MAX * STEP_BYTES,
] as const;

export class ForwardScan {
  readonly #space = new KernelSpace<ForwardKernels>(FORWARD_KERNELS_BASE64);
  #forward!: ForwardIndex;
  /** Arguments of the kernel's `begin`: a new memory needs them again. */
  #settings: Parameters<ForwardKernels['begin']> = [0, 0, 0, 0, 0, 0];

  /** Sets what the next documents are scanned for; false when that is too much. */
  begin(forward: ForwardIndex, wanted: WantedTerms, pairs: WantedMarks): boolean {
    const { starts, marks } = wanted.rare;
    if (starts.length > RARE_MAX) return false;
    this.#forward = forward;
    const [tables, rare] = this.#space.areas(AREAS);
    const { bytes, words, halves } = this.#space;
    bytes.set(wanted.byCode, tables);
    const ranges = rarerRanges(wanted, pairs);
    const hasRareTerms = marks.some((mark) => pairs.rarer[mark] === 1);
    if (hasRareTerms) ranges.push([RARE_TERM, RARE_TERM + 1]);
    const masks = (tables + 0x10000) / 4;
    for (let mark = 0; mark < wanted.uses.length; mark++) {
      words[masks + mark * 4] = pairs.left[mark]!;
      words[masks + mark * 4 + 1] = pairs.right[mark]!;
      words[masks + mark * 4 + 2] = pairs.reversedLeft[mark]!;
      words[masks + mark * 4 + 3] = pairs.reversedRight[mark]!;
    }
    bytes.set(pairs.rarer, tables + 0x10000 + MASK_BYTES);
    const rangeCount = ranges.length > RANGES_MAX ? 0 : ranges.length;
    ranges.slice(0, rangeCount).forEach(([from, end], i) => {
      const at = (tables + 0x10000 + MASK_BYTES + RARER_BYTES + i * RANGE_BYTES) / 2;
      halves.fill(from, at, at + 8).fill(end - from, at + 8, at + 16);
    });
    words.set(starts, rare / 4);
    bytes.set(marks, rare + starts.length * 4);
    const rareTerms = hasRareTerms ? 1 : 0;
    this.#settings = [tables, rangeCount, rare, starts.length, rareTerms, pairs.all];
    return true;
  }

  /**
   * Writes the sum of the costs of the pairs in each document: 0 to `PAIR_COSTS` a pair.
   * @param ranks of the documents
   */
  pairCosts(ranks: Uint32Array, out: Int32Array): void {
    this.#eachBatch(ranks, out, ({ run, places, codes, count, into }) =>
      run.costs(places, codes, count, into),
    );
  }

  /** Writes the sum over steps of the least cost of a word of the step in each document. */
  placeCosts(ranks: Uint32Array, { steps, byField }: PlaceCosts, out: Int32Array): void {
    const areas = this.#space.areas(AREAS);
    const costs = areas[4];
    steps.forEach((own, i) => {
      const at = costs + i * STEP_BYTES;
      this.#space.bytes.set(own, at);
      this.#space.bytes[at + STEP_BYTES - 2] = own.reduce((a, b) => Math.min(a, b), 0xff);
    });
    this.#eachBatch(ranks, out, ({ run, places, codes, count, into }) =>
      run.placeCosts(places, codes, count, steps.length, costs, byField ? 1 : 0, into),
    );
  }

  #eachBatch(ranks: Uint32Array, out: Int32Array, run: (batch: Batch) => void): void {
    const { offsets } = this.#forward;
    for (let from = 0; from < ranks.length; ) {
      let end = from;
      let length = 0;
      while (end < ranks.length && end - from < BATCH_DOCUMENTS && length < BATCH_CODES) {
        length += offsets[ranks[end]! + 1]! - offsets[ranks[end]!]!;
        end++;
      }
      const batch = this.#load(ranks.subarray(from, end), length);
      batch.run.begin(...this.#settings);
      run(batch);
      const costs = batch.into / 4;
      for (let i = from; i < end; i++) out[i] = this.#space.words[costs + i - from]!;
      from = end;
    }
  }

  /** Copies the codes of documents into the kernel's memory. @param length of all codes */
  #load(ranks: Uint32Array, length: number): Batch {
    const { codes, offsets } = this.#forward;
    // The kernel reads whole groups of eight codes.
    const [, , places, into, , area] = this.#space.areas([...AREAS, length * 2 + 16]);
    const { words, halves, run } = this.#space;
    const base = area / 2;
    let at = 0;
    for (let i = 0; i < ranks.length; i++) {
      words[places / 4 + i] = at;
      const first = offsets[ranks[i]!]!;
      const last = offsets[ranks[i]! + 1]!;
      halves.set(codes.subarray(first, last), base + at);
      at += last - first;
    }
    words[places / 4 + ranks.length] = at;
    return { run, places, codes: area, count: ranks.length, into };
  }
}

/** Documents in the kernel's memory, as addresses. */
interface Batch {
  readonly run: ForwardKernels;
  readonly places: number;
  readonly codes: number;
  readonly count: number;
  readonly into: number;
}

/** Codes of the terms that are the rarer side of a pair, as half-open ranges. */
function rarerRanges(wanted: WantedTerms, { rarer }: WantedMarks): [from: number, end: number][] {
  const ranges: [from: number, end: number][] = [];
  wanted.forEachRange((from, end) => {
    for (let code = from; code < end; code++) {
      if (rarer[wanted.byCode[code]!] === 0) continue;
      const last = ranges[ranges.length - 1];
      if (last && last[1] === code) last[1] = code + 1;
      else ranges.push([code, code + 1]);
    }
  });
  return ranges;
}
