/**
 * Which words of a query documents hold, as bits, and the most that these can give a document: what
 * is known of documents before any of them is weighed.
 */
import type { Holders, QueryPart, QueryUnit, UnitPair } from './query-units.ts';

interface Holding extends Holders {
  readonly bit: number;
}

/** What is known of one document more than that words have bits: those without one share this. */
const SHARED_BIT = 31;

const KNOWN_BITS = 12;

/** The best are found by counting documents in so many equal parts of what they can have. */
const PARTS = 1024;
/** Of those that are equally good, so many times as many as asked for are taken at most. */
const BEST_MAX = 4;

/** What bits can give, for the bits asked for lately. */
const knownBits = new Uint32Array(1 << KNOWN_BITS);
const knownMost = new Float64Array(1 << KNOWN_BITS);

/** The bits of a query and what they stand for. */
export class HeldWords {
  /** By part, then by way. */
  readonly holdings: readonly (readonly Holding[])[];
  /** Bits that every document has. */
  readonly always: number;
  /** By part: the most that a document can have that holds no word of the parts before. */
  readonly mostFrom: readonly number[];
  readonly #bitOf: ReadonlyMap<QueryUnit, number>;
  readonly #pairs: readonly (readonly [left: number, right: number, most: number])[];

  constructor(parts: readonly QueryPart[]) {
    let bit = 0;
    this.holdings = parts.map(({ unit }) =>
      unit.holders.map((holder) => ({ ...holder, bit: Math.min(bit++, SHARED_BIT) })),
    );
    this.always = bit > SHARED_BIT ? 1 << SHARED_BIT : 0;
    this.#bitOf = new Map(parts.map(({ unit }, i) => [unit, 1 << this.holdings[i]![0]!.bit]));
    this.#pairs = parts.flatMap(({ pairs }) =>
      pairs.map((pair) => [...this.pairBits(pair), pair.most] as const),
    );
    this.mostFrom = mostFrom(parts);
    knownBits.fill(0);
    knownMost.fill(0);
  }

  /** The most that a document with these bits can have. */
  mostOf(bits: number): number {
    const slot = Math.imul(bits, 0x9e3779b1) >>> (32 - KNOWN_BITS);
    if (knownBits[slot] !== bits >>> 0) {
      knownBits[slot] = bits;
      knownMost[slot] = this.#sum(bits);
    }
    return knownMost[slot]!;
  }

  #sum(bits: number): number {
    let sum = 0;
    for (const holdings of this.holdings) sum += mostOfHoldings(holdings, bits);
    for (const [left, right, most] of this.#pairs)
      sum += (bits & left) !== 0 && (bits & right) !== 0 ? most : 0;
    return sum;
  }

  /** The bits of both words of a pair, in either of which documents have them. */
  pairBits({ left, right }: UnitPair): readonly [number, number] {
    return [this.#bitOf.get(left)!, this.#bitOf.get(right)!];
  }
}

/** The most that a document with these bits can have of one unit. */
export function mostOfHoldings(holdings: readonly Holding[], bits: number): number {
  let greatest = 0;
  for (const { bit, most } of holdings)
    if (((bits >>> bit) & 1) === 1 && most > greatest) greatest = most;
  return greatest;
}

function mostFrom(parts: readonly QueryPart[]): number[] {
  const most = [0];
  const later = new Set<QueryUnit>();
  const pairs = parts.flatMap((part) => part.pairs);
  for (const { unit } of [...parts].reverse()) {
    later.add(unit);
    const own = unit.holders.reduce((greatest, holder) => Math.max(greatest, holder.most), 0);
    most.unshift(
      pairs
        .filter(({ left, right }) => left === unit || right === unit)
        .filter(({ left, right }) => later.has(left) && later.has(right))
        .reduce((sum, pair) => sum + pair.most, most[0]! + own),
    );
  }
  return most;
}

/** Documents of a universe with their bits; one at a time in a thread. */
export class HoldingDocuments {
  /** By DocId; 0 before and after a use. */
  static #bits = new Uint32Array(0);
  static #docs = new Uint32Array(1024);
  static #mostOf = new Float64Array(0);
  #count = 0;
  /** Of these all bits are known. */
  #knownCount = 0;
  #nextPart = 0;
  readonly #words: HeldWords;
  readonly #universe: Uint32Array;

  constructor(words: HeldWords, universe: Uint32Array) {
    this.#words = words;
    this.#universe = universe;
    if (HoldingDocuments.#bits.length < universe.length * 32)
      HoldingDocuments.#bits = new Uint32Array(universe.length * 32);
  }

  get count(): number {
    return this.#count;
  }

  get nextPart(): number {
    return this.#nextPart;
  }

  /** Whether the documents of all parts have been taken in. */
  get isWhole(): boolean {
    return this.#nextPart === this.#words.holdings.length;
  }

  /** Documents, outside the universe too, that hold the word of the next part. */
  get nextCount(): number {
    return this.#words.holdings[this.#nextPart]!.reduce((sum, { docs }) => sum + docs.count, 0);
  }

  clear(): void {
    const bits = HoldingDocuments.#bits;
    const docs = HoldingDocuments.#docs;
    for (let i = 0; i < this.#count; i++) bits[docs[i]!] = 0;
    this.#count = 0;
  }

  /** Takes in the documents of the universe that hold the word of the next part. */
  addNext(): void {
    for (const { docs, bit } of this.#words.holdings[this.#nextPart++]!) {
      this.#reserve(docs.count);
      if (docs.bits) this.#addBits(docs.bits, bit);
      else this.#addList(docs.toList(), bit);
    }
  }

  #reserve(more: number): void {
    const docs = HoldingDocuments.#docs;
    if (this.#count + more <= docs.length) return;
    HoldingDocuments.#docs = new Uint32Array(Math.max(this.#count + more, 2 * docs.length));
    HoldingDocuments.#docs.set(docs.subarray(0, this.#count));
  }

  #addList(list: Uint32Array, bit: number): void {
    const universe = this.#universe;
    const bits = HoldingDocuments.#bits;
    const docs = HoldingDocuments.#docs;
    const own = 1 << bit;
    let count = this.#count;
    for (let i = 0; i < list.length; i++) {
      const doc = list[i]!;
      if (((universe[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      const before = bits[doc]!;
      docs[count] = doc;
      count += before === 0 ? 1 : 0;
      bits[doc] = before | own | this.#words.always;
    }
    this.#count = count;
  }

  #addBits(from: Uint32Array, bit: number): void {
    const universe = this.#universe;
    const bits = HoldingDocuments.#bits;
    const docs = HoldingDocuments.#docs;
    const own = (1 << bit) | this.#words.always;
    let count = this.#count;
    for (let i = 0; i < from.length; i++) {
      for (let word = from[i]! & universe[i]!; word !== 0; word &= word - 1) {
        const doc = (i << 5) | (31 - Math.clz32(word & -word));
        const before = bits[doc]!;
        docs[count] = doc;
        count += before === 0 ? 1 : 0;
        bits[doc] = before | own;
      }
    }
    this.#count = count;
  }

  /** Looks which words of the parts that have not been taken in the documents hold. */
  lookUpOthers(): void {
    const bits = HoldingDocuments.#bits;
    const docs = HoldingDocuments.#docs;
    for (const { docs: having, bit } of this.#words.holdings.slice(this.#nextPart).flat()) {
      const from = having.bits;
      if (from === null) {
        for (const doc of having.toList()) if (bits[doc] !== 0) bits[doc]! |= 1 << bit;
        continue;
      }
      for (let i = this.#knownCount; i < this.#count; i++) {
        const doc = docs[i]!;
        bits[doc]! |= ((from[doc >>> 5]! >>> (doc & 31)) & 1) << bit;
      }
    }
    this.#knownCount = this.#count;
  }

  /** About `count` documents that can have most; all bits must be known. */
  best(count: number): Candidates {
    const most = this.#most();
    const scale = PARTS / this.#words.mostFrom[0]!;
    const counts = new Uint32Array(PARTS + 1);
    for (let i = 0; i < this.#count; i++) counts[(most[i]! * scale) | 0]!++;
    let part = PARTS;
    for (let above = counts[part]!; above < count && part > 0; ) above += counts[--part]!;
    return this.#above(part / scale, most, BEST_MAX * count);
  }

  /** The documents that can have at least so much; all bits must be known. */
  above(least: number): Candidates {
    return this.#above(least, this.#most(), this.#count);
  }

  /** What each document can have. */
  #most(): Float64Array {
    if (HoldingDocuments.#mostOf.length < this.#count)
      HoldingDocuments.#mostOf = new Float64Array(HoldingDocuments.#docs.length);
    const most = HoldingDocuments.#mostOf;
    const bits = HoldingDocuments.#bits;
    const docs = HoldingDocuments.#docs;
    for (let i = 0; i < this.#count; i++) most[i] = this.#words.mostOf(bits[docs[i]!]!);
    return most;
  }

  #above(least: number, most: Float64Array, countMax: number): Candidates {
    const found: number[] = [];
    for (let i = 0; i < this.#count && found.length < countMax; i++)
      if (most[i]! >= least) found.push(HoldingDocuments.#docs[i]!);
    const docs = Uint32Array.from(found).sort();
    const bits = docs.map((doc) => HoldingDocuments.#bits[doc]!);
    const left = Float64Array.from(bits, (own) => this.#words.mostOf(own));
    return { docs, bits, left, count: docs.length };
  }
}

/** Documents in question. */
export interface Candidates {
  /** Ascending. */
  readonly docs: Uint32Array;
  /** The words that each holds. */
  readonly bits: Uint32Array;
  /** What each can still gain. */
  readonly left: Float64Array;
  count: number;
}
