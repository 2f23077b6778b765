/**
 * Documents that may be relevant, with the sets of words that contain each, ascending by DocId.
 * Sets are processed window by window, so that the data of a window stays in the CPU cache.
 */
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { HeldSet } from './held-words.ts';

/** DocIds per window; a power of two. */
const WINDOW = 16_384;
const WINDOW_MASK = WINDOW - 1;

/**
 * Documents are looked up in a set without bits if the set has at least 8 times as many documents.
 */
const LOOK_UP_RATIO = 8;

/** Each document has the bits of its words, the ranks of their sets, and its score bound. */
class DocumentRows {
  docs = new Uint32Array(0);
  bits = new Uint32Array(0);
  ranks = new Uint32Array(0);
  most = new Float32Array(0);
  count = 0;

  reserve(more: number): void {
    if (this.count + more <= this.docs.length) return;
    const length = Math.max(this.count + more, 2 * this.docs.length);
    const { docs, bits, ranks, most, count } = this;
    this.docs = new Uint32Array(length);
    this.docs.set(docs.subarray(0, count));
    this.bits = new Uint32Array(length);
    this.bits.set(bits.subarray(0, count));
    this.ranks = new Uint32Array(length);
    this.ranks.set(ranks.subarray(0, count));
    this.most = new Float32Array(length);
    this.most.set(most.subarray(0, count));
  }
}

/**
 * The rows of a window in order of arrival, and for each DocId of the window its row number,
 * starting at 1.
 */
const window = new DocumentRows();
const rowOf = new Uint16Array(WINDOW);
/** Bits of the window's DocIds that have a row. */
const touched = new Uint32Array(WINDOW / 32);

/** Documents of a set, and how many of them have been processed. */
interface Taken {
  readonly set: HeldSet;
  readonly docs: Uint32Array;
  at: number;
}

export class KnownDocuments {
  #rows = new DocumentRows();
  #spare = new DocumentRows();

  get rows(): Readonly<DocumentRows> {
    return this.#rows;
  }

  /** Adds the documents of a universe that are in the sets, and records their sets. */
  add(sets: readonly HeldSet[], universe: Uint32Array): void {
    const taken = sets.map((set) => ({ set, docs: listWithin(set.docs, universe), at: 0 }));
    const from = this.#rows;
    const into = this.#spare;
    into.count = 0;
    for (let known = 0; ; ) {
      const first = taken.reduce(
        (least, { docs, at }) => Math.min(least, docs[at] ?? Number.POSITIVE_INFINITY),
        known < from.count ? from.docs[known]! : Number.POSITIVE_INFINITY,
      );
      if (first === Number.POSITIVE_INFINITY) break;
      const end = (first | WINDOW_MASK) + 1;
      window.count = 0;
      known = takeRows(from, known, end);
      for (const each of taken) takeSet(each, end, universe);
      sweep(into, end - WINDOW);
    }
    this.#rows = into;
    this.#spare = from;
  }

  /** Records which of the documents are in a set. */
  lookUp(set: HeldSet): void {
    const { docs, count } = this.#rows;
    if (set.docs.bits !== null || count * LOOK_UP_RATIO >= set.docs.count)
      set.docs.withBits(SCRATCH.pairs, (bits) => this.#lookUp(set, bits));
    else for (let row = 0; row < count; row++) if (set.docs.has(docs[row]!)) this.#note(row, set);
  }

  /**
   * Records the membership of some rows in the sets of a match kind; the last set contains all of
   * their documents.
   */
  lookUpIn(sets: readonly HeldSet[], some: readonly number[]): void {
    const { docs, bits } = this.#rows;
    const last = sets.at(-1)!;
    for (const row of some) {
      const doc = docs[row]!;
      if ((bits[row]! & last.bit) !== 0 || !last.docs.has(doc)) continue;
      this.#note(row, sets.find((set) => set.docs.has(doc))!);
    }
  }

  #lookUp({ bit, unitBits, rankBits, most }: HeldSet, from: Uint32Array): void {
    const { docs, bits, ranks, most: mosts, count } = this.#rows;
    for (let row = 0; row < count; row++) {
      const doc = docs[row]!;
      if (((from[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      const before = bits[row]!;
      bits[row] = before | bit;
      if ((before & unitBits) !== 0) continue;
      ranks[row]! |= rankBits;
      mosts[row]! += most;
    }
  }

  /** Records that the document of a row is in a set. */
  #note(row: number, { bit, unitBits, rankBits, most }: HeldSet): void {
    const { bits, ranks, most: mosts } = this.#rows;
    const before = bits[row]!;
    bits[row] = before | bit;
    if ((before & unitBits) !== 0) return;
    ranks[row]! |= rankBits;
    mosts[row]! += most;
  }

  /**
   * Keeps the documents whose bound is at least `least`; `moreOf` returns the maximum gain for
   * bits.
   */
  dropBelow(least: number, moreOf: (bits: number) => number): void {
    const rows = this.#rows;
    const { docs, bits, ranks, most, count } = rows;
    let n = 0;
    for (let row = 0; row < count; row++) {
      docs[n] = docs[row]!;
      bits[n] = bits[row]!;
      ranks[n] = ranks[row]!;
      const own = most[row]!;
      most[n] = own;
      n += own + moreOf(bits[n]!) >= least ? 1 : 0;
    }
    rows.count = n;
  }

  clear(): void {
    this.#rows.count = 0;
  }
}

/** Copies rows of documents below `end`, starting at a row; returns the next row. */
function takeRows(from: DocumentRows, first: number, end: number): number {
  const { docs, bits, ranks, most, count } = from;
  let row = first;
  while (row < count && docs[row]! < end) row++;
  window.reserve(row - first);
  const { docs: ownDocs, bits: ownBits, ranks: ownRanks, most: ownMost } = window;
  for (let at = first, n = 0; at < row; at++) {
    const place = docs[at]! & WINDOW_MASK;
    ownDocs[n] = docs[at]!;
    ownBits[n] = bits[at]!;
    ownRanks[n] = ranks[at]!;
    ownMost[n] = most[at]!;
    rowOf[place] = ++n;
    touched[place >>> 5]! |= 1 << (place & 31);
  }
  window.count = row - first;
  return row;
}

/** Adds the documents of a set that are below `end` and in the universe. */
function takeSet(taken: Taken, end: number, universe: Uint32Array): void {
  const { docs: list, set } = taken;
  const { bit, unitBits, rankBits, most } = set;
  let at = taken.at;
  const from = at;
  while (at < list.length && list[at]! < end) at++;
  taken.at = at;
  window.reserve(at - from);
  const { docs, bits, ranks, most: mosts } = window;
  let { count } = window;
  for (let i = from; i < at; i++) {
    const doc = list[i]!;
    const place = doc & WINDOW_MASK;
    const row = rowOf[place]! - 1;
    if (row < 0) {
      if (((universe[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      docs[count] = doc;
      bits[count] = bit;
      ranks[count] = rankBits;
      mosts[count] = most;
      rowOf[place] = ++count;
      touched[place >>> 5]! |= 1 << (place & 31);
      continue;
    }
    const before = bits[row]!;
    bits[row] = before | bit;
    if ((before & unitBits) !== 0) continue;
    ranks[row]! |= rankBits;
    mosts[row]! += most;
  }
  window.count = count;
}

/** Moves the rows of the window, ascending, to the end of `into`. */
function sweep(into: DocumentRows, start: number): void {
  into.reserve(window.count);
  const { docs, bits, ranks, most } = into;
  const { bits: ownBits, ranks: ownRanks, most: ownMost } = window;
  let { count } = into;
  for (let i = 0; i < touched.length; i++) {
    for (let word = touched[i]!; word !== 0; word &= word - 1) {
      const place = (i << 5) | (31 - Math.clz32(word & -word));
      const row = rowOf[place]! - 1;
      rowOf[place] = 0;
      docs[count] = start + place;
      bits[count] = ownBits[row]!;
      ranks[count] = ownRanks[row]!;
      most[count++] = ownMost[row]!;
    }
    touched[i] = 0;
  }
  into.count = count;
}

/** The documents of a set; for a set with bits only the documents in the universe. */
const listWithin = (docs: DocSet, universe: Uint32Array): Uint32Array =>
  (docs.bits === null ? docs : docs.intersect(universe)).toList();
