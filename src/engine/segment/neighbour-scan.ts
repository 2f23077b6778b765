/**
 * Looks for pairs of words near each other in documents of a forward index, by a compiled kernel: it
 * looks for the rarer side of each pair, eight codes at once, and at the words around each.
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
/** Changes of the mark of terms without a code. */
const RARE_MAX = 4096;

/** Bytes of an area that the kernel addresses by their order: see `begin` in assembly/kernels.ts. */
const MASK_BYTES = 0x1000;
const RARER_BYTES = 0x100;
const RANGE_BYTES = 32;
const TABLE_BYTES = 0x10000 + MASK_BYTES + RARER_BYTES + RANGES_MAX * RANGE_BYTES;

/** Pairs as bits, by mark of a term: those that the term can be a side of. */
export interface WantedPairs {
  all: number;
  /** Left and right side in the order of the query. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** The same against the order of the query. */
  readonly reversedLeft: Int32Array;
  readonly reversedRight: Int32Array;
  /** 1 for the terms of the rarer side of a pair, else 0. */
  readonly rarer: Uint8Array;
}

export const newWantedPairs = (): WantedPairs => ({
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
}

const AREAS = [TABLE_BYTES, RARE_MAX * 5, (BATCH_DOCUMENTS + 1) * 4, BATCH_DOCUMENTS * 4] as const;

export class NeighbourScan {
  readonly #space = new KernelSpace<ForwardKernels>(FORWARD_KERNELS_BASE64);
  #forward!: ForwardIndex;
  /** Arguments of the kernel's `begin`: a new memory needs them again. */
  #settings: Parameters<ForwardKernels['begin']> = [0, 0, 0, 0, 0, 0];

  /** Sets what the next documents are scanned for; false when that is too much. */
  begin(forward: ForwardIndex, wanted: WantedTerms, pairs: WantedPairs): boolean {
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
  costs(ranks: Uint32Array, out: Int32Array): void {
    const { offsets } = this.#forward;
    for (let from = 0; from < ranks.length; ) {
      let end = from;
      let length = 0;
      while (end < ranks.length && end - from < BATCH_DOCUMENTS && length < BATCH_CODES) {
        length += offsets[ranks[end]! + 1]! - offsets[ranks[end]!]!;
        end++;
      }
      this.#batch(ranks, from, end, length, out);
      from = end;
    }
  }

  #batch(ranks: Uint32Array, from: number, end: number, length: number, out: Int32Array): void {
    const { codes, offsets } = this.#forward;
    // The kernel reads whole groups of eight codes.
    const [, , places, into, area] = this.#space.areas([...AREAS, length * 2 + 16]);
    const { words, halves, run } = this.#space;
    const base = area / 2;
    let at = 0;
    for (let i = from; i < end; i++) {
      words[places / 4 + i - from] = at;
      const first = offsets[ranks[i]!]!;
      const last = offsets[ranks[i]! + 1]!;
      halves.set(codes.subarray(first, last), base + at);
      at += last - first;
    }
    words[places / 4 + end - from] = at;
    run.begin(...this.#settings);
    run.costs(places, area, end - from, into);
    const costs = into / 4;
    for (let i = from; i < end; i++) out[i] = words[costs + i - from]!;
  }
}

/** Codes of the terms that are the rarer side of a pair, as half-open ranges. */
function rarerRanges(wanted: WantedTerms, { rarer }: WantedPairs): [from: number, end: number][] {
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
