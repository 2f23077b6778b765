/**
 * For each field and number of words 1 … 30: the documents whose field has exactly that many
 * indexed words.
 *
 *   wordCountLists   lists without occurrences (posting-list-writer.ts), by ascending field, then count
 *   wordCountIndex   u32 × k: field * 32 + count of each list; then u32 × (k + 1): where each starts, and the end of the last
 */

import { assert } from '../../core/assert.ts';
import { doubled } from '../bytes/doubled.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { indexOfSorted } from '../sets/sorted.ts';

/** Counts above this are not recorded. */
export const COUNTED_WORDS_MAX = 30;
const COUNT_SHIFT = 5;

export interface WordCountSections {
  readonly wordCountLists: Uint8Array;
  readonly wordCountIndex: Uint32Array;
}

export class WordCountsWriter {
  #keys = new Uint32Array(1024);
  #docs = new Uint32Array(1024);
  #count = 0;
  #keyMax = 0;

  get memoryBytes(): number {
    return this.#keys.byteLength * 2;
  }

  /** Documents come in ascending order. */
  add(field: number, wordCount: number, docId: number): void {
    if (wordCount < 1 || wordCount > COUNTED_WORDS_MAX) return;
    if (this.#count === this.#keys.length) this.#grow();
    const key = (field << COUNT_SHIFT) | wordCount;
    if (key > this.#keyMax) this.#keyMax = key;
    this.#keys[this.#count] = key;
    this.#docs[this.#count++] = docId;
  }

  #grow(): void {
    this.#keys = doubled(this.#keys);
    this.#docs = doubled(this.#docs);
  }

  finish(): WordCountSections {
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
      wordCountLists: writer.finish().postings,
      wordCountIndex: Uint32Array.from([...keys, ...offsets]),
    };
  }
}

export class WordCounts {
  readonly keys: Uint32Array;
  readonly #lists: PostingLists;

  constructor(file: string, sections: WordCountSections, documentCount: number) {
    const { wordCountIndex } = sections;
    const count = (wordCountIndex.length - 1) >>> 1;
    assert(wordCountIndex.length === count * 2 + 1, 'the word count index has keys and offsets');
    this.keys = wordCountIndex.subarray(0, count);
    const offsets = wordCountIndex.subarray(count);
    const fieldMasks = new Uint32Array(1);
    this.#lists = new PostingLists(
      file,
      { postings: sections.wordCountLists, offsets, fieldMasks },
      documentCount,
      1,
    );
  }

  addDocuments(field: number, wordCount: number, bits: Uint32Array): void {
    if (wordCount < 1 || wordCount > COUNTED_WORDS_MAX) return;
    const list = this.#find((field << COUNT_SHIFT) | wordCount);
    if (list >= 0) this.#lists.addDocuments(list, bits);
  }

  /** Calls `visit` for each list; the DocIds are valid during the call. */
  forEachList(visit: (field: number, wordCount: number, docIds: Uint32Array) => void): void {
    for (let list = 0; list < this.keys.length; list++) {
      const key = this.keys[list]!;
      visit(key >>> COUNT_SHIFT, key & ((1 << COUNT_SHIFT) - 1), this.#lists.readDocuments(list));
    }
  }

  verify(docLimit: number): void {
    for (let list = 0; list < this.keys.length; list++) this.#lists.verifyList(list, docLimit);
  }

  #find(key: number): number {
    return indexOfSorted(this.keys, key);
  }
}
