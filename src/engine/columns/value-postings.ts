/**
 * Reads the map of a column's documents to values and the reverse map, without copying. Layout:
 * value-postings-writer.ts.
 */
import { assert } from '../../core/assert.ts';
import type { DocIdRun, DocumentRanks } from '../sets/document-ranks.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import type { ColumnParts, NumberArray } from './column-parts.ts';
import { type PostingParts, RowLayout } from './value-postings-writer.ts';

/**
 * A range with more than this share (one in …) of all documents is found faster by scanning all
 * documents.
 */
const WIDE_RANGE = 4;

/** Operations common to string and number values of a column. */
export class ValueSet {
  /** Distinct values. */
  readonly count: number;
  readonly #documents: DocumentRanks;
  readonly #layout: RowLayout;
  readonly #rows: NumberArray;
  readonly #starts: Uint32Array;
  readonly #ordinals: NumberArray;
  readonly #offsets: Uint32Array | null;
  readonly #ranks: NumberArray;

  /** Throws a plain error when the arrays do not fit together. */
  constructor(
    parts: ColumnParts,
    places: PostingParts,
    count: number,
    layout: number,
    documents: DocumentRanks,
  ) {
    this.count = count;
    this.#documents = documents;
    this.#layout = layout as RowLayout;
    this.#rows = parts.numbers(places.rows, documents.count);
    this.#starts = parts.words(places.starts);
    this.#ordinals = parts.numbers(places.ordinals, count);
    const offsets = parts.words(places.offsets);
    this.#offsets = offsets.length === 0 ? null : offsets;
    this.#ranks = parts.numbers(places.ranks, documents.count);
    this.#checkLengths();
  }

  #checkLengths(): void {
    assert(this.#layout <= RowLayout.listedMultiple, 'the layout of rows is known');
    const entries = this.#ranks.length;
    assert(
      this.#offsets === null ? entries === this.count : this.#offsets.length === this.count + 1,
      'each value has an offset',
    );
    const rowCount = this.#isListed ? this.#rows.length : this.#documents.count;
    if (this.#isMultiple) assert(this.#starts.length === rowCount + 1, 'each row has a start');
    const ordinalCount = this.#layout === RowLayout.single && this.count > 0 ? rowCount : entries;
    assert(this.#ordinals.length === ordinalCount, 'each row has its ordinals');
  }

  get #isListed(): boolean {
    return this.#layout === RowLayout.listedSingle || this.#layout === RowLayout.listedMultiple;
  }

  get #isMultiple(): boolean {
    return this.#layout === RowLayout.multiple || this.#layout === RowLayout.listedMultiple;
  }

  /**
   * Ors the documents that have one of the values `[lo, hi)` into `bits`. Cost: proportional to the
   * documents added.
   */
  addDocuments(lo: number, hi: number, bits: Uint32Array): void {
    if (lo >= hi) return;
    const ranks = this.#ranks;
    const start = this.#offset(lo);
    const end = this.#offset(hi);
    const { docIds, first, count } = this.#documents;
    if (
      docIds === null &&
      this.#layout === RowLayout.single &&
      (end - start) * WIDE_RANGE > count
    ) {
      this.#addByOrdinals(lo, hi, bits);
    } else if (docIds === null) {
      for (let i = start; i < end; i++) {
        const docId = first + ranks[i]!;
        bits[docId >>> 5]! |= 1 << (docId & 31);
      }
    } else {
      for (let i = start; i < end; i++) {
        const docId = docIds[ranks[i]!]!;
        bits[docId >>> 5]! |= 1 << (docId & 31);
      }
    }
  }

  /**
   * For consecutive documents with at most one value each: scans all documents, without branches.
   */
  #addByOrdinals(lo: number, hi: number, bits: Uint32Array): void {
    const ordinals = this.#ordinals;
    const { first, count } = this.#documents;
    const span = hi - lo;
    const lastWord = (first + count + 31) >>> 5;
    for (let index = first >>> 5; index < lastWord; index++) {
      const base = index * 32 - first;
      const to = Math.min(base + 32, count);
      let word = 0;
      for (let rank = Math.max(base, 0); rank < to; rank++) {
        const distance = ordinals[rank]! - 1 - lo;
        // The sign bit is set when 0 ≤ distance < span.
        word |= (((distance - span) & ~distance) >>> 31) << (rank - base);
      }
      bits[index]! |= word;
    }
  }

  /** Number of documents in the segment (dead ones too) that have the value. */
  documentFrequency(ordinal: number): number {
    return this.#offset(ordinal + 1) - this.#offset(ordinal);
  }

  /** Lowest DocId of `docs` (a bitset) that has the value, or −1. */
  firstOf(ordinal: number, docs: Uint32Array): number {
    const end = this.#offset(ordinal + 1);
    for (let i = this.#offset(ordinal); i < end; i++) {
      const docId = this.#documents.docIdAt(this.#ranks[i]!);
      if (((docs[docId >>> 5]! >>> (docId & 31)) & 1) === 1) return docId;
    }
    return -1;
  }

  /**
   * Documents of `docs` (a bitset) that have the value. Cost: proportional to the value's
   * frequency.
   */
  countOf(ordinal: number, docs: Uint32Array): number {
    return this.countEntries(this.#offset(ordinal), this.#offset(ordinal + 1), docs);
  }

  /** True if a document may have several values. */
  get hasSeveral(): boolean {
    return this.#isMultiple;
  }

  /** Documents of `docs` (a bitset) among the entries `[from, to)`; one with several counts as often. */
  countEntries(from: number, to: number, docs: Uint32Array): number {
    const ranks = this.#ranks;
    const { docIds, first } = this.#documents;
    let count = 0;
    if (docIds === null)
      for (let i = from; i < to; i++) {
        const docId = first + ranks[i]!;
        count += (docs[docId >>> 5]! >>> (docId & 31)) & 1;
      }
    else
      for (let i = from; i < to; i++) {
        const docId = docIds[ranks[i]!]!;
        count += (docs[docId >>> 5]! >>> (docId & 31)) & 1;
      }
    return count;
  }

  /** Pairs of a value and a document that has it, numbered by value, then document. */
  get entryCount(): number {
    return this.#ranks.length;
  }

  /** First entry of the value; `firstEntry(count)` is past the last entry. */
  firstEntry(ordinal: number): number {
    return this.#offset(ordinal);
  }

  documentAt(entry: number): number {
    return this.#documents.docIdAt(this.#ranks[entry]!);
  }

  /** The value of an entry. */
  ordinalOf(entry: number): number {
    const offsets = this.#offsets;
    if (offsets === null) return entry;
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (offsets[middle]! <= entry) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * First entry from `from` towards `to` (not included, may be lower) whose document is in `docs`
   * (a bitset), else `to`.
   */
  seekEntry(from: number, to: number, docs: Uint32Array): number {
    const ranks = this.#ranks;
    const { docIds, first } = this.#documents;
    const step = from <= to ? 1 : -1;
    for (let entry = from; entry !== to; entry += step) {
      const docId = docIds === null ? first + ranks[entry]! : docIds[ranks[entry]!]!;
      if (((docs[docId >>> 5]! >>> (docId & 31)) & 1) === 1) return entry;
    }
    return to;
  }

  /** Index of a document that has the value among all documents that have it. */
  placeOf(docId: number, ordinal: number): number {
    const rank = this.#documents.rankOf(docId);
    const ranks = this.#ranks;
    let low = this.#offset(ordinal);
    let high = this.#offset(ordinal + 1);
    const start = low;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ranks[middle]! < rank) low = middle + 1;
      else high = middle;
    }
    return low - start;
  }

  #offset(ordinal: number): number {
    return this.#offsets === null ? ordinal : this.#offsets[ordinal]!;
  }

  /**
   * Adds to `counts[ordinal]` the documents of `candidates` (a bitset) that have the value. One
   * sequential pass.
   */
  countInto(candidates: Uint32Array, counts: Uint32Array): void {
    if (this.count === 0) return;
    const runs = this.#isListed ? null : this.#documents.runs;
    if (runs === null) this.#countByRows(candidates, counts);
    else if (this.#isMultiple)
      for (const run of runs) this.#countSeveralByBits(run, candidates, counts);
    else for (const run of runs) this.#countByBits(run, candidates, counts);
  }

  /** Consecutive documents, at most one value each. */
  #countByBits(
    { first, rank: firstRank, count }: DocIdRun,
    candidates: Uint32Array,
    counts: Uint32Array,
  ): void {
    const ordinals = this.#ordinals;
    const end = first + count;
    const lastWord = Math.min(candidates.length, (end + 31) >>> 5);
    for (let index = first >>> 5; index < lastWord; index++) {
      const base = index * 32 - first + firstRank;
      const word = candidates[index]! & insideMask(index, first, end);
      if (word === -1) {
        for (let rank = base; rank < base + 32; rank++) {
          const ordinal = ordinals[rank]!;
          if (ordinal !== 0) counts[ordinal - 1]!++;
        }
      } else {
        for (let left = word; left !== 0; left &= left - 1) {
          const ordinal = ordinals[base + 31 - Math.clz32(left & -left)]!;
          if (ordinal !== 0) counts[ordinal - 1]!++;
        }
      }
    }
  }

  /** Consecutive documents with any number of values. */
  #countSeveralByBits(
    { first, rank: firstRank, count }: DocIdRun,
    candidates: Uint32Array,
    counts: Uint32Array,
  ): void {
    const ordinals = this.#ordinals;
    const starts = this.#starts;
    const end = first + count;
    const lastWord = Math.min(candidates.length, (end + 31) >>> 5);
    for (let index = first >>> 5; index < lastWord; index++) {
      const base = index * 32 - first + firstRank;
      for (
        let left = candidates[index]! & insideMask(index, first, end);
        left !== 0;
        left &= left - 1
      ) {
        const rank = base + 31 - Math.clz32(left & -left);
        const to = starts[rank + 1]!;
        for (let i = starts[rank]!; i < to; i++) counts[ordinals[i]!]!++;
      }
    }
  }

  #countByRows(candidates: Uint32Array, counts: Uint32Array): void {
    const ordinals = this.#ordinals;
    const isMultiple = this.#isMultiple;
    const rows = this.#isListed ? this.#rows : null;
    const shift = this.#layout === RowLayout.single ? 1 : 0;
    const rowCount = rows === null ? this.#documents.count : rows.length;
    const { docIds, first } = this.#documents;
    for (let row = 0; row < rowCount; row++) {
      const rank = rows === null ? row : rows[row]!;
      const docId = docIds === null ? first + rank : docIds[rank]!;
      const word = docId >>> 5;
      if (word >= candidates.length || ((candidates[word]! >>> (docId & 31)) & 1) === 0) continue;
      if (isMultiple) {
        const to = this.#starts[row + 1]!;
        for (let i = this.#starts[row]!; i < to; i++) counts[ordinals[i]!]!++;
      } else {
        const ordinal = ordinals[row]! - shift;
        if (ordinal >= 0) counts[ordinal]!++;
      }
    }
  }

  /**
   * Least and greatest ordinal among the document's values, or −1 when it has none. O(1) or
   * O(values of the document).
   */
  leastOf(docId: number): number {
    const row = this.#rowOf(docId);
    if (row < 0) return -1;
    if (this.#layout === RowLayout.single) return this.#ordinals[row]! - 1;
    if (this.#layout === RowLayout.listedSingle) return this.#ordinals[row]!;
    const start = this.#starts[row]!;
    return start < this.#starts[row + 1]! ? this.#ordinals[start]! : -1;
  }

  greatestOf(docId: number): number {
    if (!this.#isMultiple) return this.leastOf(docId);
    const row = this.#rowOf(docId);
    if (row < 0) return -1;
    const end = this.#starts[row + 1]!;
    return this.#starts[row]! < end ? this.#ordinals[end - 1]! : -1;
  }

  /** Ordinals of the document's values, ascending. */
  forEachOf(docId: number, visit: (ordinal: number) => void): void {
    if (!this.#isMultiple) {
      const ordinal = this.leastOf(docId);
      if (ordinal >= 0) visit(ordinal);
      return;
    }
    const row = this.#rowOf(docId);
    if (row < 0) return;
    const end = this.#starts[row + 1]!;
    for (let i = this.#starts[row]!; i < end; i++) visit(this.#ordinals[i]!);
  }

  /** Row of the document, or −1. */
  #rowOf(docId: number): number {
    if (this.count === 0) return -1;
    const rank = this.#documents.rankOf(docId);
    return rank >= 0 && this.#isListed ? indexOfSorted(this.#rows, rank) : rank;
  }

  /** Throws a plain error unless both maps are well formed and agree. */
  check(): void {
    if (this.count === 0) {
      assert(this.#ranks.length === 0, 'no value has no documents');
      return;
    }
    const documentCount = this.#documents.count;
    const rows = this.#isListed ? this.#rows : null;
    const rowCount = rows === null ? documentCount : rows.length;
    const seen = new Uint32Array(this.count);
    let entries = 0;
    for (let row = 0; row < rowCount; row++) {
      const rank = rows === null ? row : rows[row]!;
      assert(
        rank < documentCount && (rows === null || row === 0 || rank > rows[row - 1]!),
        'ranks of rows ascend',
      );
      let before = -1;
      this.forEachOf(this.#documents.docIdAt(rank), (ordinal) => {
        assert(ordinal > before && ordinal < this.count, 'ordinals of a document ascend');
        const at = this.#offset(ordinal) + seen[ordinal]!++;
        assert(
          at < this.#offset(ordinal + 1) && this.#ranks[at] === rank,
          'values and documents name each other',
        );
        before = ordinal;
        entries++;
      });
    }
    assert(
      entries === this.#ranks.length && this.#offset(this.count) === entries,
      'both maps have the same entries',
    );
  }
}

/** Bits of word `index` whose numbers are in `[first, end)`. */
function insideMask(index: number, first: number, end: number): number {
  let mask = -1;
  if (index === first >>> 5) mask &= -1 << (first & 31);
  if (index === end >>> 5 && (end & 31) !== 0) mask &= (1 << (end & 31)) - 1;
  return mask;
}
