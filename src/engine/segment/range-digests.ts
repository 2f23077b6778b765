/** Digests of frequent ranges of terms, read without copying. Layout: range-digests-writer.ts. */
import { CorruptionError } from '../../core/errors.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { lowerBoundIn } from '../sets/sorted.ts';
import { CLASSES_MAX, PLACES } from './range-classes.ts';
import type { DigestSections } from './range-digests-writer.ts';

/** Fields and position class common to a group of documents that hold a term of a range. */
export interface FieldPositionClass {
  /** Bit f set: a term is in the segment-local field f. */
  readonly fields: number;
  /** Range of positions, in its field, of the first term. */
  readonly least: number;
  readonly most: number;
}

/** The documents of a range of terms by their fieldPositionClasses, dead ones included. */
export interface RangeDigest {
  readonly fieldPositionClasses: readonly FieldPositionClass[];
  /** Ors the DocIds of all of these documents into the bitset `bits`. */
  addDocuments(bits: Uint32Array): void;
  /** Number of the documents of class `n`. */
  documentCount(n: number): number;
  /** Ors the DocIds of the documents of class `n` into the bitset `bits`. */
  addClass(n: number, bits: Uint32Array): void;
  /** The ascending DocIds of class `n`, in scratch space that the next call overwrites. */
  readClass(n: number): Uint32Array;
}

/** Arrays of digestRanges with a number for each digest; the last one has one more. */
const RANGE_ARRAYS = 3;

export class RangeDigests {
  readonly #file: string;
  readonly #los: Uint32Array;
  readonly #his: Uint32Array;
  readonly #firstClasses: Uint32Array;
  readonly #classes: Uint32Array;
  readonly #lists: PostingLists;

  /** @param file named in error messages */
  constructor(file: string, sections: DigestSections, documentCount: number) {
    const { digestRanges, digestClasses, digestOffsets, digestLists } = sections;
    const count = Math.floor((digestRanges.length - 1) / RANGE_ARRAYS);
    this.#file = file;
    if (count < 1 || digestRanges.length !== count * RANGE_ARRAYS + 1)
      throw this.#damage(
        'three numbers for each digest and one more',
        `${digestRanges.length} numbers`,
      );
    this.#los = digestRanges.subarray(0, count);
    this.#his = digestRanges.subarray(count, 2 * count);
    this.#firstClasses = digestRanges.subarray(2 * count);
    this.#classes = digestClasses;
    const classCount = this.#firstClasses[count]!;
    if (classCount * 2 > digestClasses.length || count + classCount + 1 !== digestOffsets.length)
      throw this.#damage('a list for each class', `${digestOffsets.length} offsets`);
    this.#lists = new PostingLists(
      file,
      { postings: digestLists, offsets: digestOffsets, fieldMasks: new Uint32Array(1) },
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

  /** Number of the list of all documents; those of the classes follow. */
  #listOf(i: number): number {
    return i + this.#firstClasses[i]!;
  }

  #digest(i: number): RangeDigest {
    const all = this.#listOf(i);
    const lists = this.#lists;
    return {
      fieldPositionClasses: this.#classesOf(i),
      addDocuments: (bits) => lists.addDocuments(all, bits),
      documentCount: (n) => lists.documentFrequency(all + 1 + n),
      addClass: (n, bits) => lists.addDocuments(all + 1 + n, bits),
      readClass: (n) => lists.readDocuments(all + 1 + n),
    };
  }

  #classesOf(i: number): FieldPositionClass[] {
    const first = this.#firstClasses[i]!;
    return Array.from({ length: this.#classCount(i) }, (_, n): FieldPositionClass => {
      const { least, most } = PLACES[this.#classes[2 * (first + n) + 1] ?? 0] ?? PLACES[0]!;
      return { fields: this.#classes[2 * (first + n)] ?? 0, least, most };
    });
  }

  #classCount(i: number): number {
    return Math.max(0, Math.min(this.#firstClasses[i + 1]! - this.#firstClasses[i]!, CLASSES_MAX));
  }

  /**
   * Verifies the invariants of digests: ranges in order, known fields and classes, and each document
   * in the list of one class.
   */
  verify(termCount: number, fieldCount: number, docLimit: number): void {
    for (let i = 0; i < this.#los.length; i++) {
      this.#verifyRange(i, termCount);
      const first = this.#firstClasses[i]!;
      const end = this.#firstClasses[i + 1]!;
      if (end <= first || end - first > CLASSES_MAX)
        throw this.#damage(`1 … ${CLASSES_MAX} classes`, String(end - first));
      for (let n = first; n < end; n++) {
        const fields = this.#classes[2 * n]!;
        if (fields === 0 || fields >= 2 ** fieldCount)
          throw this.#damage(`fields below ${fieldCount}`, fields.toString(2));
        if (this.#classes[2 * n + 1]! >= PLACES.length)
          throw this.#damage(`${PLACES.length} classes of places`, 'another');
      }
      this.#verifyLists(i, docLimit);
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

  #verifyLists(i: number, docLimit: number): void {
    const all = this.#listOf(i);
    this.#lists.verifyList(all, docLimit);
    const left = new Uint32Array((docLimit + 31) >>> 5);
    this.#lists.addDocuments(all, left);
    for (let n = 0; n < this.#classCount(i); n++) {
      this.#lists.verifyList(all + 1 + n, docLimit);
      for (const doc of this.#lists.readDocuments(all + 1 + n)) {
        if (((left[doc >>> 5]! >>> (doc & 31)) & 1) === 0)
          throw this.#damage('documents of the digest, each in one class', String(doc));
        left[doc >>> 5]! &= ~(1 << (doc & 31));
      }
    }
    if (left.some((bits) => bits !== 0)) throw this.#damage('a class for each document', 'none');
  }

  #damage(expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, 0, expected, got);
  }
}
