/** Documents that may be relevant, with the sets of words that contain each and a score bound. */
import { doubled } from '../../core/doubled.ts';
import { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { HeldSet } from './held-words.ts';

/**
 * Documents are looked up in a set without bits if the set has at least 8 times as many documents.
 */
const LOOK_UP_RATIO = 8;

/** Rows in the order in which documents were added, in arrays of the thread. */
export class KnownDocuments {
  docs = new Uint32Array(1024);
  /** Bits of the words of each document. */
  bits = new Uint32Array(1024);
  /** Ranks of their sets. */
  ranks = new Uint32Array(1024);
  /** Score bounds by these sets. */
  most = new Float32Array(1024);
  count = 0;
  /** By DocId: the row of a document plus one; 0 = none. */
  #rowOf = new Uint32Array(0);

  #reserve(more: number): void {
    while (this.count + more > this.docs.length) {
      this.docs = doubled(this.docs);
      this.bits = doubled(this.bits);
      this.ranks = doubled(this.ranks);
      this.most = doubled(this.most);
    }
  }

  /** Adds the documents of a universe that are in the sets, and records their sets. */
  add(sets: readonly HeldSet[], universe: Uint32Array): void {
    const docIds = universe.length * 32;
    if (this.#rowOf.length < docIds) this.#rowOf = new Uint32Array(docIds);
    for (const set of sets) this.#addSet(set, universe);
  }

  #addSet(
    { docs: held, bit, unitBits, rankBits, most: more }: HeldSet,
    universe: Uint32Array,
  ): void {
    // Of a set with bits, the documents outside of the universe are never listed.
    const list = (held.bits === null ? held : held.intersect(universe)).toList();
    this.#reserve(list.length);
    const { docs, bits, ranks, most } = this;
    const rowOf = this.#rowOf;
    let { count } = this;
    for (let i = 0; i < list.length; i++) {
      const doc = list[i]!;
      const row = rowOf[doc]! - 1;
      if (row < 0) {
        if (((universe[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
        docs[count] = doc;
        bits[count] = bit;
        ranks[count] = rankBits;
        most[count] = more;
        rowOf[doc] = ++count;
        continue;
      }
      const before = bits[row]!;
      bits[row] = before | bit;
      if ((before & unitBits) !== 0) continue;
      ranks[row]! |= rankBits;
      most[row]! += more;
    }
    this.count = count;
  }

  /** Records which of the documents are in a set. */
  lookUp(set: HeldSet): void {
    const { docs, count } = this;
    if (set.docs.bits !== null || count * LOOK_UP_RATIO >= set.docs.count)
      set.docs.withBits(SCRATCH.pairs, (held) => {
        for (let row = 0; row < count; row++)
          if (((held[docs[row]! >>> 5]! >>> (docs[row]! & 31)) & 1) !== 0) this.#note(row, set);
      });
    else for (let row = 0; row < count; row++) if (set.docs.has(docs[row]!)) this.#note(row, set);
  }

  /**
   * Records the membership of some rows in the sets of a match kind; the last set contains all of
   * their documents.
   */
  lookUpIn(sets: readonly HeldSet[], some: readonly number[]): void {
    const last = sets.at(-1)!;
    for (const row of some) {
      const doc = this.docs[row]!;
      if ((this.bits[row]! & last.bit) !== 0 || !last.docs.has(doc)) continue;
      this.#note(row, sets.find((set) => set.docs.has(doc))!);
    }
  }

  /** Records that the document of a row is in a set. */
  #note(row: number, { bit, unitBits, rankBits, most }: HeldSet): void {
    const before = this.bits[row]!;
    this.bits[row] = before | bit;
    if ((before & unitBits) !== 0) return;
    this.ranks[row]! |= rankBits;
    this.most[row]! += most;
  }

  /**
   * Keeps the documents whose bound is at least `least`; `moreOf` returns the maximum gain for
   * bits.
   */
  dropBelow(least: number, moreOf: (bits: number) => number): void {
    const { docs, bits, ranks, most, count } = this;
    const rowOf = this.#rowOf;
    let n = 0;
    for (let row = 0; row < count; row++) {
      const doc = docs[row]!;
      const isKept = most[row]! + moreOf(bits[row]!) >= least;
      docs[n] = doc;
      bits[n] = bits[row]!;
      ranks[n] = ranks[row]!;
      most[n] = most[row]!;
      if (isKept) n++;
      rowOf[doc] = isKept ? n : 0;
    }
    this.count = n;
  }

  /** Rows of some documents, ascending by DocId. @param rows null = all */
  ascending(rows: readonly number[] | null, bitsetLength: number): Uint32Array {
    const { docs, count } = this;
    const own = rows === null ? docs.slice(0, count) : Uint32Array.from(rows, (row) => docs[row]!);
    const rowOf = this.#rowOf;
    return DocSet.fromUnordered(own, bitsetLength)
      .toList()
      .map((doc) => rowOf[doc]! - 1);
  }

  clear(): void {
    for (let row = 0; row < this.count; row++) this.#rowOf[this.docs[row]!] = 0;
    this.count = 0;
  }
}
