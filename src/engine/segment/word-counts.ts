/**
 * Number of indexed words of each field of each document: exact from 1 to 30, rounded beyond
 * (`roundedLength`). For each field and number, the list of documents with that number.
 *
 *   wordCountLists   lists without occurrences (posting-list-format.ts), by ascending field, then count
 *   wordCountIndex   u32 × k: field * 32 + count of each list; then u32 × (k + 1): where each starts, and the end of the last
 *   longCountLists   the same for fields of more than 30 words
 *   longCountIndex   with field * 128 + step instead of field * 32 + count
 */

import { assert } from '../../core/assert.ts';
import { doubled } from '../../core/doubled.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { indexOfSorted } from '../sets/sorted.ts';

/** Counts above this are rounded. */
export const COUNTED_WORDS_MAX = 30;
const COUNT_SHIFT = 5;
const STEP_SHIFT = 7;

/** The rounded lengths: eight steps for each doubling. */
const LONG_LENGTHS = Uint32Array.from({ length: 90 }, (_, step) =>
  Math.round((COUNTED_WORDS_MAX + 1) * 2 ** (step / 8)),
);

/** The last of `LONG_LENGTHS` that is not above `wordCount`. */
function stepOf(wordCount: number): number {
  let step = LONG_LENGTHS.length - 1;
  while (LONG_LENGTHS[step]! > wordCount) step--;
  return step;
}

/** The length stored for `wordCount`: itself up to 30, the step below it beyond. */
export const roundedLength = (wordCount: number): number => lengthOfCode(lengthCode(wordCount));

/** Lengths fit a byte; 0 = none. */
export const LENGTH_CODES = COUNTED_WORDS_MAX + 1 + LONG_LENGTHS.length;

export const lengthCode = (wordCount: number): number =>
  wordCount <= COUNTED_WORDS_MAX ? wordCount : COUNTED_WORDS_MAX + 1 + stepOf(wordCount);

/** The rounded length of a code. */
export const lengthOfCode = (code: number): number =>
  code <= COUNTED_WORDS_MAX ? code : LONG_LENGTHS[code - COUNTED_WORDS_MAX - 1]!;

export interface WordCountSections {
  readonly wordCountLists: Uint8Array;
  readonly wordCountIndex: Uint32Array;
  readonly longCountLists: Uint8Array;
  readonly longCountIndex: Uint32Array;
}

export class WordCountsWriter {
  readonly #exact = new KeyedDocumentsWriter();
  readonly #long = new KeyedDocumentsWriter();

  get memoryBytes(): number {
    return this.#exact.memoryBytes + this.#long.memoryBytes;
  }

  /** The documents of a field and count must be added in ascending order. */
  add(field: number, wordCount: number, docId: number): void {
    if (wordCount > COUNTED_WORDS_MAX)
      this.#long.add((field << STEP_SHIFT) | stepOf(wordCount), docId);
    else if (wordCount > 0) this.#exact.add((field << COUNT_SHIFT) | wordCount, docId);
  }

  finish(): WordCountSections {
    const exact = this.#exact.finish();
    const long = this.#long.finish();
    return {
      wordCountLists: exact.lists,
      wordCountIndex: exact.index,
      longCountLists: long.lists,
      longCountIndex: long.index,
    };
  }
}

/** Lists of documents by a number. */
class KeyedDocumentsWriter {
  #keys = new Uint32Array(1024);
  #docs = new Uint32Array(1024);
  #count = 0;
  #keyMax = 0;

  get memoryBytes(): number {
    return this.#keys.byteLength * 2;
  }

  add(key: number, docId: number): void {
    if (this.#count === this.#keys.length) {
      this.#keys = doubled(this.#keys);
      this.#docs = doubled(this.#docs);
    }
    if (key > this.#keyMax) this.#keyMax = key;
    this.#keys[this.#count] = key;
    this.#docs[this.#count++] = docId;
  }

  finish(): { readonly lists: Uint8Array; readonly index: Uint32Array } {
    const ends = new Uint32Array(this.#keyMax + 2);
    for (let i = 0; i < this.#count; i++) ends[this.#keys[i]! + 1]!++;
    for (let key = 0; key <= this.#keyMax; key++) ends[key + 1]! += ends[key]!;
    const sorted = new Uint32Array(this.#count);
    const next = ends.slice();
    for (let i = 0; i < this.#count; i++) sorted[next[this.#keys[i]!]!++] = this.#docs[i]!;
    const writer = new PostingListWriter(1, []);
    const keys: number[] = [];
    const offsets: number[] = [];
    for (let key = 0; key <= this.#keyMax; key++) {
      const lo = ends[key]!;
      const hi = ends[key + 1]!;
      if (lo === hi) continue;
      keys.push(key);
      offsets.push(writer.length);
      writer.writeDocuments(sorted, lo, hi);
    }
    offsets.push(writer.length);
    return {
      lists: writer.finish().postings,
      index: Uint32Array.from([...keys, ...offsets]),
    };
  }
}

export class WordCounts {
  readonly #exact: KeyedDocuments;
  /** null in files of releases that did not count long fields. */
  readonly #long: KeyedDocuments | null;

  constructor(
    file: string,
    {
      wordCountLists,
      wordCountIndex,
      longCountLists,
      longCountIndex,
    }: Omit<WordCountSections, 'longCountLists' | 'longCountIndex'> & {
      readonly longCountLists: Uint8Array | null;
      readonly longCountIndex: Uint32Array | null;
    },
    documentCount: number,
  ) {
    this.#exact = new KeyedDocuments(file, wordCountLists, wordCountIndex, documentCount);
    this.#long =
      longCountLists && longCountIndex
        ? new KeyedDocuments(file, longCountLists, longCountIndex, documentCount)
        : null;
  }

  addDocuments(field: number, wordCount: number, bits: Uint32Array): void {
    if (wordCount < 1 || wordCount > COUNTED_WORDS_MAX) return;
    this.#exact.addDocuments((field << COUNT_SHIFT) | wordCount, bits);
  }

  /** Calls `visit` for each field and rounded length; the DocIds are valid during the call. */
  forEachLength(visit: (field: number, length: number, docIds: Uint32Array) => void): void {
    this.#exact.forEachList((key, docIds) =>
      visit(key >>> COUNT_SHIFT, key & ((1 << COUNT_SHIFT) - 1), docIds),
    );
    this.#long?.forEachList((key, docIds) =>
      visit(key >>> STEP_SHIFT, LONG_LENGTHS[key & ((1 << STEP_SHIFT) - 1)]!, docIds),
    );
  }

  verify(docLimit: number): void {
    this.#exact.verify(docLimit);
    this.#long?.verify(docLimit);
  }
}

class KeyedDocuments {
  readonly #keys: Uint32Array;
  readonly #lists: PostingLists;

  constructor(file: string, lists: Uint8Array, index: Uint32Array, documentCount: number) {
    const count = (index.length - 1) >>> 1;
    assert(index.length === count * 2 + 1, 'the word count index has keys and offsets');
    this.#keys = index.subarray(0, count);
    const offsets = index.subarray(count);
    const fieldMasks = new Uint32Array(1);
    this.#lists = new PostingLists(
      file,
      { postings: lists, offsets, fieldMasks },
      documentCount,
      1,
    );
  }

  addDocuments(key: number, bits: Uint32Array): void {
    const list = indexOfSorted(this.#keys, key);
    if (list >= 0) this.#lists.addDocuments(list, bits);
  }

  forEachList(visit: (key: number, docIds: Uint32Array) => void): void {
    for (let list = 0; list < this.#keys.length; list++)
      visit(this.#keys[list]!, this.#lists.readDocuments(list));
  }

  verify(docLimit: number): void {
    for (let list = 0; list < this.#keys.length; list++) this.#lists.verifyList(list, docLimit);
  }
}
