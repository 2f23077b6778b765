/** Digests of frequent ranges of terms, read without copying. Layout: range-digests-writer.ts. */
import { CorruptionError } from '../../core/errors.ts';
import { CODE_BITS_MAX, decodingTable, SYMBOLS_MAX } from '../bytes/prefix-code.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { lowerBoundIn } from '../sets/sorted.ts';
import type { DigestSections } from './range-digests-writer.ts';
import { CLASS_BITS, PLACES } from './range-placings.ts';
import type { DigestedRange, Placing, RangeDigest } from './segment.ts';

const CLASS_MASK = (1 << CLASS_BITS) - 1;
/** Arrays of the index with a number for each digest; three of them have one more. */
const INDEX_ARRAYS = 5;
const INDEX_ENDS = 3;

export class RangeDigests {
  readonly #file: string;
  readonly #los: Uint32Array;
  readonly #his: Uint32Array;
  readonly #firstPlacings: Uint32Array;
  readonly #firstWords: Uint32Array;
  readonly #fieldPositionClasses: Uint32Array;
  readonly #codes: Uint32Array;
  readonly #documents: PostingLists;

  /** @param file named in error messages */
  constructor(file: string, sections: DigestSections, documentCount: number) {
    const { digestIndex: index, digestPlacings, digestDocuments, digestCodes } = sections;
    const count = Math.floor((index.length - INDEX_ENDS) / INDEX_ARRAYS);
    if (count < 1 || index.length !== count * INDEX_ARRAYS + INDEX_ENDS) {
      const expected = 'an index with five numbers for each digest and three more';
      throw new CorruptionError(file, 0, expected, `${index.length} numbers`);
    }
    this.#file = file;
    this.#los = index.subarray(0, count);
    this.#his = index.subarray(count, 2 * count);
    this.#firstPlacings = index.subarray(2 * count, 3 * count + 1);
    this.#firstWords = index.subarray(3 * count + 1, 4 * count + 2);
    this.#fieldPositionClasses = digestPlacings;
    this.#codes = digestCodes;
    this.#documents = new PostingLists(
      file,
      {
        postings: digestDocuments,
        offsets: index.subarray(4 * count + 2),
        fieldMasks: new Uint32Array(1),
      },
      documentCount,
      1,
    );
  }

  /** Digest of the terms `[lo, hi)`, or null. */
  of(lo: number, hi: number): RangeDigest | null {
    const los = this.#los;
    for (let i = lowerBoundIn(los, lo, 0, los.length); los[i] === lo; i++)
      if (this.#his[i] === hi) return this.#digest(i);
    return null;
  }

  /** Ascending. */
  ranges(): DigestedRange[] {
    return Array.from(this.#los, (lo, i) => ({
      lo,
      hi: this.#his[i]!,
      documentCount: this.#documents.documentFrequency(i),
    }));
  }

  #digest(i: number): RangeDigest {
    const { fieldPositionClasses, lengths } = this.#placingsOf(i);
    return {
      fieldPositionClasses,
      addDocuments: (bits) => this.#documents.addDocuments(i, bits),
      deal: (setOf, sets, setLength) => {
        // 0 = no set.
        const values = setOf.map((set) => set + 1);
        const docs = this.#documents.readDocuments(i);
        const table = decodingTable(lengths, values);
        deal(docs, this.#codes, this.#firstWords[i]! * 32, table, sets, setLength);
      },
    };
  }

  #placingsOf(i: number): { fieldPositionClasses: Placing[]; lengths: Uint8Array } {
    const pairs = this.#fieldPositionClasses;
    const first = this.#firstPlacings[i]!;
    const count = Math.min(this.#firstPlacings[i + 1]! - first, SYMBOLS_MAX);
    const lengths = new Uint8Array(Math.max(count, 0));
    const fieldPositionClasses = Array.from(lengths, (_, n): Placing => {
      const head = pairs[2 * (first + n) + 1] ?? 0;
      lengths[n] = Math.min((head >>> CLASS_BITS) & 0xff, CODE_BITS_MAX);
      return { fields: pairs[2 * (first + n)] ?? 0, ...placeOf(head) };
    });
    return { fieldPositionClasses, lengths };
  }

  /**
   * Verifies the invariants of digests: ranges in order, known fields and classes, codes for all
   * documents.
   */
  verify(termCount: number, fieldCount: number, docLimit: number): void {
    for (let i = 0; i < this.#los.length; i++) {
      this.#verifyRange(i, termCount);
      this.#documents.verifyList(i, docLimit);
      const first = this.#firstPlacings[i]!;
      const end = this.#firstPlacings[i + 1]!;
      if (end <= first || end - first > SYMBOLS_MAX || end * 2 > this.#fieldPositionClasses.length)
        throw this.#damage(`1 … ${SYMBOLS_MAX} fieldPositionClasses`, String(end - first));
      const { fieldPositionClasses, lengths } = this.#placingsOf(i);
      for (const { fields } of fieldPositionClasses)
        if (fields === 0 || fields >= 2 ** fieldCount)
          throw this.#damage(`fields below ${fieldCount}`, fields.toString(2));
      for (let n = first; n < end; n++)
        if ((this.#fieldPositionClasses[2 * n + 1]! & CLASS_MASK) >= PLACES.length)
          throw this.#damage(`${PLACES.length} classes of places`, 'another');
      this.#verifyCodes(i, lengths);
    }
  }

  #verifyRange(i: number, termCount: number): void {
    const lo = this.#los[i]!;
    const hi = this.#his[i]!;
    const before = i === 0 ? -1 : this.#los[i - 1]!;
    const isNext = lo > before || (lo === before && hi > this.#his[i - 1]!);
    if (!isNext || hi <= lo || hi > termCount)
      throw this.#damage(`ascending ranges of ${termCount} terms`, `${lo} … ${hi}`);
  }

  /** The codes of all documents fill the words of the digest. */
  #verifyCodes(i: number, lengths: Uint8Array): void {
    const { length } = this.#documents.readDocuments(i);
    const first = this.#firstWords[i]!;
    const words = this.#firstWords[i + 1]! - first;
    if (first + words >= this.#codes.length)
      throw this.#damage('codes within their section', 'more');
    const table = decodingTable(lengths, lengths);
    let at = first * 32;
    for (let doc = 0; doc < length; doc++)
      at += table[codeAt(this.#codes, at) & (table.length - 1)]! & 0xf;
    if ((at + 31) >>> 5 !== first + words)
      throw this.#damage(`codes of ${length} documents in ${words} words`, 'another number');
  }

  #damage(expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, 0, expected, got);
  }
}

const placeOf = (head: number): { readonly least: number; readonly most: number } =>
  PLACES[head & CLASS_MASK] ?? PLACES[0]!;

/** The bits from bit `at` on, at least as many as the longest code has. */
function codeAt(words: Uint32Array, at: number): number {
  const word = at >>> 5;
  const shift = at & 31;
  // Two shifts, because a shift by 32 is a shift by 0.
  return (words[word]! >>> shift) | ((words[word + 1]! << 1) << (31 - shift));
}

/** @param table decodes to one more than the number of the set; 0 = no set */
function deal(
  docs: Uint32Array,
  codes: Uint32Array,
  firstBit: number,
  table: Uint16Array,
  sets: Uint32Array,
  setLength: number,
): void {
  const mask = table.length - 1;
  let at = firstBit;
  for (let i = 0; i < docs.length; i++) {
    const entry = table[codeAt(codes, at) & mask]!;
    at += entry & 0xf;
    const set = entry >>> 4;
    const doc = docs[i]!;
    if (set !== 0) sets[(set - 1) * setLength + (doc >>> 5)]! |= 1 << (doc & 31);
  }
}
