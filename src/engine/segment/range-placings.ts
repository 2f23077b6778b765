/**
 * Placings of the documents of a range of terms, merged term by term. Meaning of a placing:
 * range-digests-writer.ts. Here it is a number with the fields as bits above the class.
 */
import { SYMBOLS_MAX } from '../bytes/prefix-code.ts';
import { fieldOfOccurrence, positionOfOccurrence } from '../postings/occurrence-key.ts';
import { makeBitset, setBit } from '../sets/bitset.ts';
import type { OccurrenceBuffer } from './segment.ts';

/** Last position of each class but the last. */
const PLACE_ENDS = [0, 1, 4, 7, 11, 15, 23, 64, 256, 1024];
const POSITION_END = 0x10000;

/** Bits of a placing's class; the bits above are of its code, or its fields. */
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

/** The placings of the documents `first … last` for one range after the other. */
export class RangePlacings {
  readonly #first: number;
  /** By DocId less the first; 0 = none. */
  readonly #placings: Uint32Array;
  /** Documents that have a placing. */
  readonly #members: Uint32Array;

  constructor(first: number, last: number) {
    this.#first = first;
    this.#placings = new Uint32Array(last - first + 1);
    this.#members = makeBitset(this.#placings.length);
  }

  add({ docs, keys, length }: OccurrenceBuffer): void {
    const placings = this.#placings;
    const members = this.#members;
    for (let i = 0; i < length; i++) {
      const at = docs[i]! - this.#first;
      const key = keys[i]!;
      const field = 1 << (fieldOfOccurrence(key) + CLASS_BITS);
      const placing = field | CLASS_OF_POSITION[positionOfOccurrence(key)]!;
      const before = placings[at]!;
      if (before === 0) setBit(members, at);
      placings[at] = before === 0 ? placing : joined(before, placing);
    }
  }

  /** Adds all placings of a range inside this one. */
  join(inner: RangePlacings): void {
    const placings = this.#placings;
    const innerPlacings = inner.#placings;
    const innerMembers = inner.#members;
    for (let word = 0; word < innerMembers.length; word++) {
      for (let rest = innerMembers[word]!; rest !== 0; rest &= rest - 1) {
        const at = (word << 5) + 31 - Math.clz32(rest & -rest);
        const before = placings[at]!;
        placings[at] = before === 0 ? innerPlacings[at]! : joined(before, innerPlacings[at]!);
      }
      this.#members[word]! |= innerMembers[word]!;
    }
  }

  clear(): void {
    this.#placings.fill(0);
    this.#members.fill(0);
  }

  /**
   * Fills in all documents, ascending, and the numbers of their placings; returns the number of
   * documents.
   */
  number(docs: Uint32Array, symbols: Uint16Array, numbers: PlacingNumbers): number {
    const placings = this.#placings;
    const members = this.#members;
    let count = 0;
    for (let word = 0; word < members.length; word++) {
      for (let rest = members[word]!; rest !== 0; rest &= rest - 1) {
        const at = (word << 5) + 31 - Math.clz32(rest & -rest);
        docs[count] = at + this.#first;
        symbols[count++] = numbers.of(placings[at]!);
      }
    }
    return count;
  }
}

/** At least four slots for each placing. */
const SLOT_BITS = 12;

/** Numbers placings in order of first use, up to one more than a digest can have. */
export class PlacingNumbers {
  readonly placings: number[] = [];
  readonly counts: number[] = [];
  /** Open addressing: number of a placing plus one, 0 = free. */
  readonly #slots = new Uint16Array(1 << SLOT_BITS);

  of(placing: number): number {
    const { placings, counts } = this;
    let slot = Math.imul(placing, 0x9e3779b1) >>> (32 - SLOT_BITS);
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (this.#slots.length - 1)) {
      const number = this.#slots[slot]! - 1;
      if (placings[number] !== placing) continue;
      counts[number]!++;
      return number;
    }
    if (placings.length > SYMBOLS_MAX) return SYMBOLS_MAX;
    counts.push(1);
    this.#slots[slot] = placings.push(placing);
    return placings.length - 1;
  }
}
