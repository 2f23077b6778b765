/** Documents that hold words of a query, taken in set by set, with the most that each can have. */
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { HeldSet, HeldWords } from './held-words.ts';

/** Documents in question. */
export interface Candidates {
  /** Ascending. */
  readonly docs: Uint32Array;
  /** The words that each holds, and in which of their sets it is. */
  readonly bits: Uint32Array;
  readonly ranks: Uint32Array;
  /** What each can still gain. */
  readonly left: Float64Array;
  count: number;
}

/** The best are found by counting documents in so many equal parts of what they can have. */
const PARTS = 1024;
/** So many times as many as the best that are asked for are looked at closer. */
const LOOKED_AT = 2;
/** Documents are dropped when others can have so much less than before, as a share of the least. */
const DROP_SHARE = 0.1;
/** A set without bits must have so many times as many documents for these to be looked up in it. */
const LOOK_UP_RATIO = 8;

/** What is known of the documents of the thread's search, each at a place. */
class KnownDocuments {
  docs = new Uint32Array(0);
  bits = new Uint32Array(0);
  ranks = new Uint32Array(0);
  /** What the words that are known can give. */
  most = new Float32Array(0);
  count = 0;

  /** Notes that documents are in a set, those too that have no place yet. */
  add({ bit, unitBits, rankBits, most }: HeldSet, added: Uint32Array): void {
    this.#reserve(added.length);
    const { docs, bits, ranks, most: mosts } = this;
    let { count } = this;
    for (let i = 0; i < added.length; i++) {
      const doc = added[i]!;
      const at = placeOf[doc]!;
      if (at === 0) {
        docs[count] = doc;
        bits[count] = bit;
        ranks[count] = rankBits;
        mosts[count] = most;
        placeOf[doc] = ++count;
        continue;
      }
      const before = bits[at - 1]!;
      bits[at - 1] = before | bit;
      if ((before & unitBits) !== 0) continue;
      ranks[at - 1]! |= rankBits;
      mosts[at - 1]! += most;
    }
    this.count = count;
  }

  #reserve(more: number): void {
    if (this.count + more <= this.docs.length) return;
    const length = Math.max(this.count + more, 2 * this.docs.length);
    const { docs, bits, ranks, most } = this;
    this.docs = new Uint32Array(length);
    this.docs.set(docs);
    this.bits = new Uint32Array(length);
    this.bits.set(bits);
    this.ranks = new Uint32Array(length);
    this.ranks.set(ranks);
    this.most = new Float32Array(length);
    this.most.set(most);
  }

  /** Notes which of the documents are in a set. */
  lookUp({ bit, unitBits, rankBits, most }: HeldSet, from: Uint32Array): void {
    const { docs, bits, ranks, most: mosts, count } = this;
    for (let place = 0; place < count; place++) {
      const doc = docs[place]!;
      if (((from[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      const before = bits[place]!;
      bits[place] = before | bit;
      if ((before & unitBits) !== 0) continue;
      ranks[place]! |= rankBits;
      mosts[place]! += most;
    }
  }

  /** The same, for few documents and a set that has no bits. */
  lookUpEach(set: HeldSet): void {
    for (let place = 0; place < this.count; place++)
      if (set.docs.has(this.docs[place]!)) this.note(place, set);
  }

  /** Notes that the document at the place is in a set. */
  note(place: number, { bit, unitBits, rankBits, most }: HeldSet): void {
    const before = this.bits[place]!;
    this.bits[place] = before | bit;
    if ((before & unitBits) !== 0) return;
    this.ranks[place]! |= rankBits;
    this.most[place]! += most;
  }

  /** Keeps the documents that have at least so much. */
  dropBelow(least: number): void {
    const { docs, bits, ranks, most } = this;
    let n = 0;
    for (let i = 0; i < this.count; i++) {
      if (most[i]! < least) {
        placeOf[docs[i]!] = 0;
        continue;
      }
      docs[n] = docs[i]!;
      bits[n] = bits[i]!;
      ranks[n] = ranks[i]!;
      most[n++] = most[i]!;
    }
    this.count = n;
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) placeOf[this.docs[i]!] = 0;
    this.count = 0;
  }
}

const known = new KnownDocuments();
/** Places by DocId, counted from 1; 0 before and after a use. */
let placeOf = new Uint32Array(0);

/** Documents of a universe that hold words; one such at a time in a thread. */
export class HoldingDocuments {
  readonly #words: HeldWords;
  readonly #universe: Uint32Array;
  /** Place in the order of sets of the next to be taken in. */
  #next = 0;

  constructor(words: HeldWords, universe: Uint32Array) {
    this.#words = words;
    this.#universe = universe;
    if (placeOf.length < universe.length * 32) placeOf = new Uint32Array(universe.length * 32);
  }

  get count(): number {
    return known.count;
  }

  /** Whether all sets have been taken in. */
  get isWhole(): boolean {
    return this.#next === this.#words.order.length;
  }

  /** The most that a document can have that has not been taken in. */
  get mostOfOthers(): number {
    return this.isWhole ? 0 : this.#words.mostFrom[this.#next]!;
  }

  /** Documents of the next set, outside the universe too. */
  get nextCount(): number {
    return this.#words.order[this.#next]!.docs.count;
  }

  clear(): void {
    known.clear();
  }

  /** Takes in the documents of the next set that are in the universe. */
  addNext(): void {
    const set = this.#words.order[this.#next++]!;
    known.add(set, listWithin(set.docs, this.#universe));
  }

  /** About `count` documents that can have most. */
  best(count: number): Candidates {
    const places = this.#best(LOOKED_AT * count);
    for (const set of this.#words.order.slice(this.#next))
      for (const place of places) if (set.docs.has(known.docs[place]!)) known.note(place, set);
    const bounds = new Map(places.map((place) => [place, this.#boundOf(place)]));
    places.sort((a, b) => bounds.get(b)! - bounds.get(a)!);
    return this.#candidates(places.slice(0, count));
  }

  /** Places of about `count` documents that can have most by the words that are known. */
  #best(count: number): number[] {
    const { most } = known;
    const scale = PARTS / this.#words.mostFrom[0]!;
    const counts = new Uint32Array(PARTS + 1);
    for (let i = 0; i < known.count; i++) counts[(most[i]! * scale) | 0]!++;
    let part = PARTS;
    for (let above = counts[part]!; above < count && part > 0; ) above += counts[--part]!;
    const places: number[] = [];
    for (let i = 0; i < known.count && places.length < count; i++)
      if (most[i]! * scale >= part) places.push(i);
    return places;
  }

  /** The documents that can have at least so much; after that no more can be taken in. */
  above(least: number): Candidates {
    const { order, wordsFrom, mostOfPairs } = this.#words;
    let dropped = Number.POSITIVE_INFINITY;
    for (; !this.isWhole; this.#next++) {
      const others = wordsFrom[this.#next]!;
      if (dropped - others > least * DROP_SHARE) {
        known.dropBelow(least - others - mostOfPairs);
        dropped = others;
      }
      const set = order[this.#next]!;
      if (set.docs.bits === null && known.count * LOOK_UP_RATIO < set.docs.count)
        known.lookUpEach(set);
      else set.docs.withBits(SCRATCH.pairs, (bits) => known.lookUp(set, bits));
    }
    const places: number[] = [];
    for (let place = 0; place < known.count; place++)
      if (this.#boundOf(place) >= least) places.push(place);
    return this.#candidates(places);
  }

  /** What a document can have whose words are all known. */
  #boundOf(place: number): number {
    return known.most[place]! + this.#words.pairsOf(known.bits[place]!);
  }

  #candidates(places: readonly number[]): Candidates {
    const byDoc = places.toSorted((a, b) => known.docs[a]! - known.docs[b]!);
    const of = (list: Uint32Array): Uint32Array => Uint32Array.from(byDoc, (place) => list[place]!);
    return {
      docs: of(known.docs),
      bits: of(known.bits),
      ranks: of(known.ranks),
      left: Float64Array.from(byDoc, (place) => this.#boundOf(place)),
      count: places.length,
    };
  }
}

/** In scratch space that the next call overwrites. */
function listWithin(docs: DocSet, universe: Uint32Array): Uint32Array {
  const out = SCRATCH.list.atLeast(docs.count);
  const { bits } = docs;
  let n = 0;
  if (bits === null) {
    const list = docs.toList();
    for (let i = 0; i < list.length; i++) {
      const doc = list[i]!;
      out[n] = doc;
      n += (universe[doc >>> 5]! >>> (doc & 31)) & 1;
    }
  } else {
    for (let i = 0; i < bits.length; i++)
      for (let word = bits[i]! & universe[i]!; word !== 0; word &= word - 1)
        out[n++] = (i << 5) | (31 - Math.clz32(word & -word));
  }
  return out.subarray(0, n);
}
