/**
 * Number of indexed words of each field of each document: exact from 1 to 30, rounded beyond
 * (`lengthOfCode`). For each field and number, the list of documents with that number.
 *
 *   wordCountLists   lists without occurrences (posting-list-format.ts), by ascending field, then count
 *   wordCountIndex   u32 × k: field * 32 + count of each list; then u32 × (k + 1): where each starts, and the end of the last
 *   longCountLists   the same for fields of more than 30 words
 *   longCountIndex   with field * 128 + step instead of field * 32 + count
 */

import { NumberList } from '../bytes/number-list.ts';
import { type ListSections, NumberedLists, NumberedListsWriter } from './numbered-lists.ts';

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

  add(field: number, wordCount: number, docId: number): void {
    if (wordCount > COUNTED_WORDS_MAX)
      this.#long.add((field << STEP_SHIFT) | stepOf(wordCount), docId);
    else if (wordCount > 0) this.#exact.add((field << COUNT_SHIFT) | wordCount, docId);
  }

  finish(): WordCountSections {
    const exact = this.#exact.finish();
    const long = this.#long.finish();
    return {
      wordCountLists: exact.documents,
      wordCountIndex: exact.index,
      longCountLists: long.documents,
      longCountIndex: long.index,
    };
  }
}

/** Lists of documents by a number. */
class KeyedDocumentsWriter {
  readonly #keys = new NumberList();
  readonly #docs = new NumberList();
  #keyMax = 0;
  #isAscending = true;

  get memoryBytes(): number {
    return this.#keys.items.byteLength * 2;
  }

  add(key: number, docId: number): void {
    const { items, length } = this.#docs;
    if (key > this.#keyMax) this.#keyMax = key;
    if (length > 0 && docId < items[length - 1]!) this.#isAscending = false;
    this.#keys.push(key);
    this.#docs.push(docId);
  }

  finish(): ListSections {
    const { items: keys, length } = this.#keys;
    const ends = new Uint32Array(this.#keyMax + 2);
    for (let i = 0; i < length; i++) ends[keys[i]! + 1]!++;
    for (let key = 0; key <= this.#keyMax; key++) ends[key + 1]! += ends[key]!;
    const sorted = new Uint32Array(length);
    const next = ends.slice();
    for (let i = 0; i < length; i++) sorted[next[keys[i]!]!++] = this.#docs.items[i]!;
    const writer = new NumberedListsWriter();
    for (let key = 0; key <= this.#keyMax; key++) {
      const [start, end] = [ends[key]!, ends[key + 1]!];
      if (!this.#isAscending) sorted.subarray(start, end).sort();
      if (start < end) writer.add(key, sorted, start, end);
    }
    return writer.finish();
  }
}

export class WordCounts {
  readonly #exact: NumberedLists;
  /** null in files of releases that did not count long fields. */
  readonly #long: NumberedLists | null;

  /** @param file named in error messages */
  constructor(file: string, exact: ListSections, long: ListSections | null, documentCount: number) {
    this.#exact = new NumberedLists(file, exact, documentCount);
    this.#long = long === null ? null : new NumberedLists(file, long, documentCount);
  }

  /** Ors the DocIds of documents whose `field` holds exactly `wordCount` (1 … 30) indexed words. */
  addDocuments(field: number, wordCount: number, bits: Uint32Array): void {
    if (wordCount < 1 || wordCount > COUNTED_WORDS_MAX) return;
    this.#exact.addDocuments((field << COUNT_SHIFT) | wordCount, bits);
  }

  /**
   * Calls `visit` for each field and its number of indexed words, exact up to 30 and rounded beyond
   * (`lengthOfCode`), with the ascending DocIds; they are valid during the call.
   */
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
