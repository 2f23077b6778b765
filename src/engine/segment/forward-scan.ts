/**
 * Scans documents of a forward index by a compiled kernel. For pairs of words near each other it
 * looks for the rarer side of each pair, sixteen codes at once, and at the words around each. For the
 * best places of words it reads all codes up to the best places that there are, but not those of words
 * that no step names, and for costs by field not those of the document's last field.
 */
import { KernelSpace } from '../bytes/kernel-space.ts';
import { FORWARD_KERNELS_BASE64 } from './compiled-kernels.ts';
import { type ForwardIndex, RARE_TERM } from './forward-index.ts';
import { MARKS_END, WantedTerms } from './wanted-terms.ts';

/** Documents, and roughly codes, that are copied into the kernel's memory at once. */
const BATCH_DOCUMENTS = 1024;
const BATCH_CODES = 1 << 17;
/** Shorter documents are copied code by code, which needs no view of them. */
const VIEWED_CODES_MIN = 48;
/** Ranges of codes that are compared with eight or sixteen codes at once; more are looked up by code. */
const RANGES_MAX = 8;
/** Largest number of steps: pairs and steps are bits of a number. */
export const STEPS_MAX = 31;
/** Changes of the mark of terms without a code. */
const RARE_MAX = 4096;

/** Bytes of an area that the kernel addresses by their order: see `begin` in assembly/kernels.ts. */
const CODE_BYTES = 0x10000;
const MASK_BYTES = 0x2000;
const RARER_BYTES = 0x100;
const RANGE_BYTES = 32;
const RANGES_BYTES = RANGES_MAX * RANGE_BYTES;
const TABLE_BYTES = CODE_BYTES + MASK_BYTES + RARER_BYTES + 2 * RANGES_BYTES;
const RARE_BYTES = RARE_MAX * 5;

/** Scans whose terms stay marked in the memory of one kernel. */
export const SCANS_MAX = 16;

/** Bits by mark of a term: pairs of which it can be a side, or steps. */
export interface WantedMarks {
  /** All pairs: bit `n` stands for the steps `n` and `n + 1`. */
  all: number;
  /** Left side in the order of the query. */
  readonly left: Int32Array;
  /** Right side in the order of the query. */
  readonly right: Int32Array;
  /** The same against the order of the query. */
  readonly reversedLeft: Int32Array;
  readonly reversedRight: Int32Array;
  /** Steps for which the place of the term counts. */
  readonly place: Int32Array;
  /** Steps of which it is the exact word. */
  readonly exact: Int32Array;
  /** 1 for the terms of the rarer side of a pair, else 0. */
  readonly rarer: Uint8Array;
}

const newWantedMarks = (): WantedMarks => ({
  all: 0,
  left: new Int32Array(MARKS_END),
  right: new Int32Array(MARKS_END),
  reversedLeft: new Int32Array(MARKS_END),
  reversedRight: new Int32Array(MARKS_END),
  place: new Int32Array(MARKS_END),
  exact: new Int32Array(MARKS_END),
  rarer: new Uint8Array(MARKS_END),
});

interface ForwardKernels {
  begin(
    tables: number,
    rarerRanges: number,
    markedRanges: number,
    rare: number,
    rareCount: number,
    hasRareTerms: number,
    pairs: number,
  ): void;
  costs(places: number, codes: number, count: number, into: number): void;
  placeCosts(
    places: number,
    codes: number,
    count: number,
    steps: number,
    costs: number,
    byField: number,
    into: number,
  ): void;
  exactFields(
    places: number,
    codes: number,
    count: number,
    steps: number,
    buckets: number,
    fields: number,
    into: number,
  ): void;
}

/**
 * Bytes of the costs of a step, of which the last two are the kernel's, and of the least costs from
 * each bucket on.
 */
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
  SCANS_MAX * TABLE_BYTES,
  SCANS_MAX * RARE_BYTES,
  BATCH_DOCUMENTS * 8,
  BATCH_DOCUMENTS * 4,
  2 * STEPS_MAX * STEP_BYTES,
] as const;

/** Documents in the kernel's memory, as addresses. */
interface Batch {
  readonly run: ForwardKernels;
  readonly places: number;
  readonly codes: number;
  readonly count: number;
  readonly into: number;
  /** Room for numbers of each step. */
  readonly steps: number;
}

/** The scans of a thread: they take turns, and share a kernel and its memory. */
export class ForwardScans {
  readonly #space = new KernelSpace<ForwardKernels>(FORWARD_KERNELS_BASE64);
  readonly #scans: ForwardScan[] = [];

  /** @param place below `SCANS_MAX` */
  at(place: number): ForwardScan {
    this.#scans[place] ??= new ForwardScan(this.#space, place);
    return this.#scans[place];
  }
}

export class ForwardScan {
  readonly #space: KernelSpace<ForwardKernels>;
  readonly #place: number;
  readonly #wanted = new WantedTerms();
  readonly marks = newWantedMarks();
  #forward: ForwardIndex | null = null;
  /** Arguments of the kernel's `begin`. */
  #settings: Parameters<ForwardKernels['begin']> = [0, 0, 0, 0, 0, 0, 0];

  constructor(space: KernelSpace<ForwardKernels>, place: number) {
    this.#space = space;
    this.#place = place;
  }

  /** The kernel looks codes up in its memory, which is replaced when it needs more room. */
  #placeTable(): void {
    const [tables] = this.#space.areas(AREAS);
    const { bytes } = this.#space;
    if (this.#wanted.byCode.buffer === bytes.buffer) return;
    const from = tables + this.#place * TABLE_BYTES;
    this.#wanted.byCode = bytes.subarray(from, from + CODE_BYTES);
  }

  /** Drops the terms of the scan before; the next ones are added. */
  want(forward: ForwardIndex): WantedTerms {
    this.#forward = forward;
    this.#placeTable();
    this.#wanted.clear();
    return this.#wanted;
  }

  /**
   * Sets what the next documents are scanned for; false when that is too much.
   * @param addUse adds a use of a term to the bits of its mark
   */
  begin(isRarer: (use: number) => boolean, addUse: (use: number, mark: number) => void): boolean {
    const wanted = this.#wanted;
    if (!wanted.finish() || wanted.rare.starts.length > RARE_MAX) return false;
    const { marks } = this;
    wanted.uses.forEach((uses, mark) => {
      marks.left[mark] = marks.right[mark] = marks.rarer[mark] = 0;
      marks.reversedLeft[mark] = marks.reversedRight[mark] = 0;
      marks.place[mark] = marks.exact[mark] = 0;
      for (const use of uses) {
        if (isRarer(use)) marks.rarer[mark] = 1;
        addUse(use, mark);
      }
    });
    this.#writeTables(wanted.uses.length);
    return true;
  }

  #writeTables(markCount: number): void {
    const { rare } = this.#wanted;
    const { marks } = this;
    const [allTables, allRareTerms] = this.#space.areas(AREAS);
    const { bytes, words } = this.#space;
    const tables = allTables + this.#place * TABLE_BYTES;
    const rareTerms = allRareTerms + this.#place * RARE_BYTES;
    for (let mark = 0, at = (tables + CODE_BYTES) / 4; mark < markCount; mark++, at += 8) {
      words[at] = marks.left[mark]!;
      words[at + 1] = marks.right[mark]!;
      words[at + 2] = marks.reversedLeft[mark]!;
      words[at + 3] = marks.reversedRight[mark]!;
      words[at + 4] = marks.place[mark]!;
      words[at + 5] = marks.exact[mark]!;
    }
    bytes.set(marks.rarer, tables + CODE_BYTES + MASK_BYTES);
    const hasRareTerms = rare.marks.some((mark) => marks.rarer[mark] === 1);
    const rarer = rarerRanges(this.#wanted, marks);
    if (hasRareTerms) rarer.push([RARE_TERM, RARE_TERM + 1]);
    const ranges = tables + CODE_BYTES + MASK_BYTES + RARER_BYTES;
    const counts = [
      this.#writeRanges(rarer, ranges),
      this.#writeRanges(markedRanges(this.#wanted), ranges + RANGES_BYTES),
    ] as const;
    const { length } = rare.starts;
    words.set(rare.starts, rareTerms / 4);
    bytes.set(rare.marks, rareTerms + length * 4);
    this.#settings = [tables, ...counts, rareTerms, length, hasRareTerms ? 1 : 0, marks.all];
  }

  /** Returns the number of ranges, or 0 when there are too many. */
  #writeRanges(ranges: readonly CodeRange[], at: number): number {
    if (ranges.length > RANGES_MAX) return 0;
    const { halves } = this.#space;
    ranges.forEach(([from, end], i) => {
      const first = (at + i * RANGE_BYTES) / 2;
      halves.fill(from, first, first + 8).fill(end - 1 - from, first + 8, first + 16);
    });
    return ranges.length;
  }

  /**
   * Writes the sum of the costs of the pairs in each document: 0 to `PAIR_COSTS` a pair.
   * @param ranks of the documents, ascending
   */
  pairCosts(ranks: Uint32Array, out: Int32Array): void {
    this.#eachBatch(ranks, out, ({ run, places, codes, count, into }) =>
      run.costs(places, codes, count, into),
    );
  }

  /**
   * Writes the sum over steps of the least cost of a word of the step in each document. By field, each
   * of the documents has a word of each step.
   */
  placeCosts(ranks: Uint32Array, costs: PlaceCosts, out: Int32Array): void {
    const byField = costs.byField ? 1 : 0;
    const { length } = costs.steps;
    this.#eachBatch(ranks, out, ({ run, places, codes, count, into, steps }) => {
      costs.steps.forEach((own, i) => {
        const at = steps + i * STEP_BYTES;
        this.#space.bytes.set(own, at);
        this.#space.bytes[at + STEP_BYTES - 2] = own.reduce((a, b) => Math.min(a, b), 0xff);
      });
      run.placeCosts(places, codes, count, length, steps, byField, into);
    });
  }

  /**
   * Writes for each document the local fields below 32 with the exact words of all steps, as bits; 0
   * when a step has none in its bucket of positions.
   */
  exactFields(ranks: Uint32Array, buckets: Uint8Array, out: Int32Array): void {
    const { length } = buckets;
    this.#eachBatch(ranks, out, ({ run, places, codes, count, into, steps }) => {
      const fields = steps + STEPS_MAX + 1;
      this.#space.bytes.set(buckets, steps);
      run.exactFields(places, codes, count, length, steps, fields, into);
    });
  }

  #eachBatch(ranks: Uint32Array, out: Int32Array, scan: (batch: Batch) => void): void {
    const { offsets } = this.#forward!;
    for (let from = 0; from < ranks.length; ) {
      let end = from;
      let length = 0;
      while (end < ranks.length && end - from < BATCH_DOCUMENTS && length < BATCH_CODES) {
        length += offsets[ranks[end]! + 1]! - offsets[ranks[end]!]!;
        end++;
      }
      const batch = this.#batchOf(ranks.subarray(from, end), length);
      batch.run.begin(...this.#settings);
      scan(batch);
      const costs = batch.into / 4;
      const { words } = this.#space;
      for (let i = from; i < end; i++) out[i] = words[costs + i - from]!;
      from = end;
    }
  }

  /** Copies the codes of documents. @param length of all codes */
  #batchOf(ranks: Uint32Array, length: number): Batch {
    // The kernel reads whole groups of sixteen codes, and numbers behind a code.
    const [, , places, into, steps, codes] = this.#space.areas([...AREAS, length * 2 + 40]);
    this.#copyCodes(ranks, codes / 2, places / 4);
    return { run: this.#space.run, places, codes, count: ranks.length, into, steps };
  }

  /** Copies codes to `base`, and writes where those of each document begin and end to `places`. */
  #copyCodes(ranks: Uint32Array, base: number, places: number): void {
    const { codes, offsets } = this.#forward!;
    const { halves, words } = this.#space;
    let at = 0;
    for (let i = 0; i < ranks.length; i++) {
      words[places + 2 * i] = at;
      const first = offsets[ranks[i]!]!;
      const last = offsets[ranks[i]! + 1]!;
      if (last - first >= VIEWED_CODES_MIN) halves.set(codes.subarray(first, last), base + at);
      else for (let n = first; n < last; n++) halves[base + at + n - first] = codes[n]!;
      at += last - first;
      words[places + 2 * i + 1] = at;
    }
  }
}

/** Codes from a first one up to the one before `end`. */
type CodeRange = readonly [from: number, end: number];

/** Codes of all terms that are looked for; ranges may overlap. */
function markedRanges(wanted: WantedTerms): CodeRange[] {
  const ranges: CodeRange[] = [];
  wanted.forEachRange((from, end) => {
    if (from < end) ranges.push([from, end]);
  });
  return ranges;
}

/** Codes of the terms that are the rarer side of a pair. */
function rarerRanges(wanted: WantedTerms, { rarer }: WantedMarks): CodeRange[] {
  const ranges: CodeRange[] = [];
  for (const [from, end] of markedRanges(wanted)) {
    for (let code = from; code < end; code++) {
      if (rarer[wanted.byCode[code]!] === 0) continue;
      const last = ranges[ranges.length - 1];
      if (last && last[1] === code) ranges[ranges.length - 1] = [last[0], code + 1];
      else ranges.push([code, code + 1]);
    }
  }
  return ranges;
}
