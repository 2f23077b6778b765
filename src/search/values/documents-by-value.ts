/**
 * Documents of a set by their values in one column, best first: found by a walk of the values, or
 * by a look-up of each document.
 */
import type { NumberValues, StringValues } from '../../engine/columns/columns-reader.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { KeyHeap } from '../../engine/sets/key-heap.ts';
import { DocSet } from '../sets/doc-set.ts';
import { walksToPage } from './walk-or-look-up.ts';

/** Cost of the look-up of one document, in entries of a walk. */
const LOOK_UP_COST = 8;
/**
 * A walk ends, and look-ups begin, after 8 entries without a match for each document of the set.
 */
const WALK_ENTRIES_PER_DOCUMENT = 8;

/** Documents of a column to skip, and the direction of the order. */
export interface ValueOrder {
  /** Deleted documents of the column's segment. */
  readonly dead: Uint32Array | null;
  /** True if the least value is the best. */
  readonly isAscending: boolean;
}

/** From call to call, the set may only shrink, and must lose the documents that were taken. */
export class DocumentsByValue<Values extends NumberValues | StringValues> {
  readonly values: Values;
  readonly #order: ValueOrder;
  readonly #dead: Uint32Array | null;
  readonly #isAscending: boolean;
  /** Next entry of the walk. */
  #entry: number;
  #passed = 0;
  /** null while walking. */
  #sorted: LookedUpDocuments | null = null;

  constructor(values: Values, order: ValueOrder) {
    this.values = values;
    this.#order = order;
    this.#dead = order.dead;
    this.#isAscending = order.isAscending;
    this.#entry = order.isAscending ? 0 : values.entryCount - 1;
  }

  /** The best value of the documents of the set, or −1. */
  first(docs: DocSet): number {
    if (this.values.entryCount === 0) return -1;
    if (this.#sorted === null) {
      const ordinal = this.#walk(docs);
      if (ordinal !== null) return ordinal;
      this.#sorted = new LookedUpDocuments(this.values, docs, this.#order);
    }
    return this.#sorted.first(docs);
  }

  /** True if the skipped entries are known by value and not by document. */
  get isWalking(): boolean {
    return this.#sorted === null;
  }

  /** Advances the walk to the next value. */
  pass(ordinal: number): void {
    const { values } = this;
    this.#entry = this.#isAscending
      ? values.firstEntry(ordinal + 1)
      : values.firstEntry(ordinal) - 1;
  }

  /** The documents that have the first value. */
  take(ordinal: number, docs: DocSet): DocSet {
    if (this.#sorted !== null) return this.#sorted.take(docs);
    const { values } = this;
    this.pass(ordinal);
    if (values.documentFrequency(ordinal) > docs.bitsetLength) {
      const bits = new Uint32Array(docs.bitsetLength);
      values.addDocuments(ordinal, ordinal + 1, bits);
      const taken = docs.intersect(bits);
      return this.#dead === null ? taken : taken.subtract(this.#dead);
    }
    const taken: number[] = [];
    for (let entry = values.firstEntry(ordinal); entry < values.firstEntry(ordinal + 1); entry++) {
      const doc = values.documentAt(entry);
      if (docs.has(doc) && !this.#isDead(doc)) taken.push(doc);
    }
    return DocSet.fromList(Uint32Array.from(taken), docs.bitsetLength);
  }

  /** As `first`; null when a walk is more expensive than look-ups. */
  #walk(docs: DocSet): number | null {
    const { values } = this;
    const { bits } = docs;
    if (bits === null || !walksToPage(docs.count, values.entryCount, LOOK_UP_COST)) return null;
    const end = this.#isAscending ? values.entryCount : -1;
    const passedMax = docs.count * WALK_ENTRIES_PER_DOCUMENT;
    while (this.#entry !== end) {
      const stop = this.#entryAhead(Math.max(1, passedMax - this.#passed), end);
      const found = values.seekEntry(this.#entry, stop, bits);
      this.#passed += Math.abs(found - this.#entry);
      this.#entry = found;
      if (found !== stop) {
        if (!this.#isDead(values.documentAt(found))) return values.ordinalOf(found);
        this.#entry += this.#isAscending ? 1 : -1;
      }
      if (this.#passed >= passedMax) return null;
    }
    return -1;
  }

  /** The entry after `steps` steps, `end` at most. */
  #entryAhead(steps: number, end: number): number {
    return this.#isAscending
      ? Math.min(end, this.#entry + steps)
      : Math.max(end, this.#entry - steps);
  }

  #isDead(doc: number): boolean {
    return this.#dead !== null && hasBit(this.#dead, doc);
  }
}

/** The best value of each document of a set. */
class LookedUpDocuments {
  readonly #docs: Uint32Array;
  readonly #valueCount: number;
  readonly #isAscending: boolean;
  /** (place of the value from the best on) × documents + place of the document. */
  readonly #keys: KeyHeap;

  constructor(
    values: NumberValues | StringValues,
    docs: DocSet,
    { dead, isAscending }: ValueOrder,
  ) {
    this.#docs = docs.toList();
    this.#valueCount = values.count;
    this.#isAscending = isAscending;
    const keys = new Float64Array(this.#docs.length);
    let count = 0;
    for (let i = 0; i < this.#docs.length; i++) {
      const doc = this.#docs[i]!;
      if (dead !== null && hasBit(dead, doc)) continue;
      const ordinal = isAscending ? values.leastOf(doc) : values.greatestOf(doc);
      if (ordinal < 0) continue;
      keys[count++] = (isAscending ? ordinal : values.count - 1 - ordinal) * this.#docs.length + i;
    }
    this.#keys = new KeyHeap(keys.subarray(0, count));
  }

  first(docs: DocSet): number {
    const keys = this.#keys;
    while (keys.size > 0 && !docs.has(this.#docs[keys.least % this.#docs.length]!)) keys.drop();
    if (keys.size === 0) return -1;
    const place = this.#placeOf(keys.least);
    return this.#isAscending ? place : this.#valueCount - 1 - place;
  }

  take(docs: DocSet): DocSet {
    const keys = this.#keys;
    const place = this.#placeOf(keys.least);
    const taken: number[] = [];
    for (; keys.size > 0 && this.#placeOf(keys.least) === place; keys.drop()) {
      const doc = this.#docs[keys.least % this.#docs.length]!;
      if (docs.has(doc)) taken.push(doc);
    }
    return DocSet.fromList(Uint32Array.from(taken), docs.bitsetLength);
  }

  #placeOf(key: number): number {
    return Math.floor(key / this.#docs.length);
  }
}
