/**
 * Field position classes of the documents of a range of terms, merged term by term. What they mean:
 * range-digests-writer.ts. Here each is a number with the fields as bits above the position class.
 */

import { NumberTable } from '../bytes/number-table.ts';
import type { OccurrenceBuffer } from '../postings/occurrence-key.ts';
import { fieldOfOccurrence, positionOfOccurrence } from '../postings/occurrence-key.ts';
import { makeBitset, setBit } from '../sets/bitset.ts';

/** Last position of each class but the last. */
const PLACE_ENDS = [0, 1, 4, 7, 11, 15, 23, 64, 256, 1024];
const POSITION_END = 0x10000;

/** Largest number of fieldPositionClasses of a digest. */
export const CLASSES_MAX = 1024;

/** Bits of a fieldPositionClass's class; the bits above are its fields. */
export const CLASS_BITS = 4;
const CLASS_MASK = (1 << CLASS_BITS) - 1;

/** First and last position of each class. */
export const PLACES: readonly { readonly least: number; readonly most: number }[] = [
  ...PLACE_ENDS,
  POSITION_END - 1,
].map((most, i, ends) => ({ least: i === 0 ? 0 : ends[i - 1]! + 1, most }));

const CLASS_OF_POSITION = new Uint8Array(POSITION_END);
for (const [number, { least, most }] of PLACES.entries())
  CLASS_OF_POSITION.fill(number, least, most + 1);

/** The fields of both, and the class of the earlier one. */
function joined(a: number, b: number): number {
  const first = (a & CLASS_MASK) < (b & CLASS_MASK) ? a : b;
  return ((a | b) & ~CLASS_MASK) | (first & CLASS_MASK);
}

/** The fieldPositionClasses of the documents `first … last` for one range after the other. */
export class RangeClasses {
  readonly #first: number;
  /** By DocId less the first; 0 = none. */
  readonly #fieldPositionClasses: Uint32Array;
  /** Documents that have a fieldPositionClass. */
  readonly #members: Uint32Array;

  constructor(first: number, last: number) {
    this.#first = first;
    this.#fieldPositionClasses = new Uint32Array(last - first + 1);
    this.#members = makeBitset(this.#fieldPositionClasses.length);
  }

  add({ docs, keys, length }: OccurrenceBuffer): void {
    const fieldPositionClasses = this.#fieldPositionClasses;
    const members = this.#members;
    for (let i = 0; i < length; i++) {
      const at = docs[i]! - this.#first;
      const key = keys[i]!;
      const field = 1 << (fieldOfOccurrence(key) + CLASS_BITS);
      const fieldPositionClass = field | CLASS_OF_POSITION[positionOfOccurrence(key)]!;
      const before = fieldPositionClasses[at]!;
      if (before === 0) setBit(members, at);
      fieldPositionClasses[at] =
        before === 0 ? fieldPositionClass : joined(before, fieldPositionClass);
    }
  }

  /** Adds all fieldPositionClasses of a range inside this one. */
  join(inner: RangeClasses): void {
    const fieldPositionClasses = this.#fieldPositionClasses;
    const innerClasses = inner.#fieldPositionClasses;
    const innerMembers = inner.#members;
    for (let word = 0; word < innerMembers.length; word++) {
      for (let rest = innerMembers[word]!; rest !== 0; rest &= rest - 1) {
        const at = (word << 5) + 31 - Math.clz32(rest & -rest);
        const before = fieldPositionClasses[at]!;
        fieldPositionClasses[at] =
          before === 0 ? innerClasses[at]! : joined(before, innerClasses[at]!);
      }
      this.#members[word]! |= innerMembers[word]!;
    }
  }

  clear(): void {
    this.#fieldPositionClasses.fill(0);
    this.#members.fill(0);
  }

  /**
   * Fills in all documents, ascending, and the numbers of their fieldPositionClasses; returns the number of
   * documents.
   */
  number(docs: Uint32Array, symbols: Uint16Array, numbers: ClassNumbers): number {
    const fieldPositionClasses = this.#fieldPositionClasses;
    const members = this.#members;
    let count = 0;
    for (let word = 0; word < members.length; word++) {
      for (let rest = members[word]!; rest !== 0; rest &= rest - 1) {
        const at = (word << 5) + 31 - Math.clz32(rest & -rest);
        docs[count] = at + this.#first;
        symbols[count++] = numbers.of(fieldPositionClasses[at]!);
      }
    }
    return count;
  }
}

/** Numbers fieldPositionClasses in order of first use, up to one more than a digest can have. */
export class ClassNumbers {
  readonly fieldPositionClasses: number[] = [];
  readonly counts: number[] = [];
  readonly #numbers = new NumberTable();

  of(fieldPositionClass: number): number {
    const { fieldPositionClasses, counts } = this;
    const known = this.#numbers.get(fieldPositionClass);
    if (known >= 0) {
      counts[known]!++;
      return known;
    }
    const number = fieldPositionClasses.length;
    if (number > CLASSES_MAX) return CLASSES_MAX;
    this.#numbers.set(fieldPositionClass, number);
    fieldPositionClasses.push(fieldPositionClass);
    counts.push(1);
    return number;
  }
}
