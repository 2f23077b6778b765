/** The terms that a scan of a forward index looks for. */
import { lowerBoundIn } from '../sets/sorted.ts';
import { CODES_MAX } from './forward-index.ts';

/** Mark of terms that a scan ignores. */
const NO_MARK = 0;
/** Mark of codes that are no term with a code. */
const SPECIAL_MARK = 0xff;
/** Marks of combinations of uses are below. */
export const MARKS_END = 0xff;

const NO_RARE_TERMS = { starts: new Uint32Array(0), marks: [] };

/**
 * The terms a scan looks for, and their uses: a term has a mark, which represents all its uses. A
 * use is a number chosen by the caller.
 */
export class WantedTerms {
  #byCode: Uint8Array = new Uint8Array(0x10000).fill(SPECIAL_MARK, CODES_MAX);
  /** Uses of each mark. */
  readonly uses: (readonly number[])[] = [[]];
  /** `[lo, hi, use]` of the ranges with terms that have no code. */
  readonly #rare: number[] = [];
  /** Ordinals at which the mark of terms without a code changes, ascending, and the marks from there on. */
  rare: { readonly starts: Uint32Array; readonly marks: readonly number[] } = NO_RARE_TERMS;
  /** Codes that have marks, as half-open ranges. */
  readonly #marked: number[] = [];
  readonly #combined = new Map<string, number>();

  /** Mark of each code. */
  get byCode(): Uint8Array {
    return this.#byCode;
  }

  /** Memory for the marks from now on. */
  set byCode(memory: Uint8Array) {
    memory.set(this.#byCode);
    this.#byCode = memory;
  }

  /** Adds a use of the terms `[lo, hi)` of a forward index. */
  add({ terms }: { readonly terms: Uint32Array }, lo: number, hi: number, use: number): void {
    const from = lowerBoundIn(terms, lo, 0, terms.length);
    const end =
      hi === lo + 1
        ? from + Number(terms[from] === lo)
        : lowerBoundIn(terms, hi, from, terms.length);
    const byCode = this.#byCode;
    let before = -1;
    let mark = NO_MARK;
    for (let code = from; code < end; code++) {
      const own = byCode[code]!;
      if (own !== before) mark = this.#with(own, use);
      before = own;
      byCode[code] = mark;
    }
    this.#marked.push(from, end);
    if (end - from < hi - lo) this.#rare.push(lo, hi, use);
  }

  /** Call after the last `add`, before a scan; false when there are too many combinations of uses. */
  finish(): boolean {
    const ranges = this.#rare;
    const starts = new Set<number>();
    for (let i = 0; i < ranges.length; i += 3) starts.add(ranges[i]!).add(ranges[i + 1]!);
    const sorted = Uint32Array.from(starts).sort();
    const byStart = Uint32Array.from({ length: ranges.length / 3 }, (_, i) => 3 * i).sort(
      (a, b) => ranges[a]! - ranges[b]!,
    );
    let next = 0;
    let open: number[] = [];
    const marks = Array.from(sorted, (ordinal) => {
      open = open.filter((i) => ranges[i + 1]! > ordinal);
      while (next < byStart.length && ranges[byStart[next]!] === ordinal)
        open.push(byStart[next++]!);
      let mark = NO_MARK;
      for (const i of open) mark = this.#with(mark, ranges[i + 2]!);
      return mark;
    });
    this.rare = { starts: sorted, marks };
    return this.uses.length <= MARKS_END;
  }

  /** Calls `visit` with ranges that hold all codes with a mark; ranges may overlap. */
  forEachRange(visit: (from: number, end: number) => void): void {
    for (let i = 0; i < this.#marked.length; i += 2) visit(this.#marked[i]!, this.#marked[i + 1]!);
  }

  clear(): void {
    this.forEachRange((from, end) => this.#byCode.fill(NO_MARK, from, end));
    this.#marked.length = 0;
    this.#rare.length = 0;
    this.uses.length = 1;
    this.#combined.clear();
  }

  /** The mark of the uses of another mark plus one more use. */
  #with(mark: number, use: number): number {
    const key = `${mark} ${use}`;
    let combined = this.#combined.get(key);
    if (combined === undefined) {
      combined = Math.min(this.uses.length, MARKS_END - 1);
      this.uses.push([...this.uses[mark]!, use]);
      this.#combined.set(key, combined);
    }
    return combined;
  }
}
