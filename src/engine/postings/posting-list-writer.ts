/** Writes posting lists in the form of `posting-list-format.ts`, one after the other in term order. */
import { assert } from '../../core/assert.ts';
import { doubled } from '../../core/doubled.ts';
import { bitWidth, pack, packedWordCount } from '../bytes/bitpacking.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { fieldOfOccurrence, positionOfOccurrence } from './occurrence-key.ts';
import {
  BITMAP_ENCODING,
  BLOCK_SHIFT,
  BLOCK_SIZE,
  ENTRY_WORDS,
  MASK_CODE_ESCAPE,
  WIDE_FIELD,
} from './posting-list-format.ts';

const DOCUMENTS_MAX = 2 ** 28 - 1;
const DOCS_WORD_MAX = 2 ** 24 - 1;
const EXCEPTION_INDEX_MAX = 0xffff;
const EXCEPTION_BITS_MAX = 16;

/**
 * Documents of one term and where each one's occurrences end: those of document `i` are
 * `values[ends[i − 1] … ends[i])`.
 */
interface Postings {
  docs: Uint32Array;
  ends: Uint32Array;
  count: number;
}

export class PostingListWriter {
  readonly #out = new ByteBuffer(1 << 16);
  readonly #wideBits: number;
  readonly #masks: number[];
  readonly #maskIndexes = new Map<number, number>();
  readonly #fieldCodes = new Int32Array(WIDE_FIELD);
  readonly #postings: Postings = {
    docs: new Uint32Array(256),
    ends: new Uint32Array(256),
    count: 0,
  };
  #values = new Uint32Array(256);
  #words = new Uint32Array(1024);
  #wordCount = 0;
  readonly #entries: number[] = [];
  readonly #gaps = new Uint32Array(BLOCK_SIZE);
  readonly #widths = new Uint32Array(33);

  /**
   * @param frequentMasks field masks expected in most lists, most frequent first; other masks may
   * occur
   */
  constructor(fieldCount: number, frequentMasks: readonly number[]) {
    this.#wideBits = bitWidth(Math.max(fieldCount - 1, 0));
    this.#masks = [...frequentMasks];
    for (const [index, mask] of frequentMasks.entries()) this.#maskIndexes.set(mask, index);
  }

  /** Where the next list will start. */
  get length(): number {
    return this.#out.length;
  }

  /**
   * Writes the list of the occurrences `[lo, hi)`, sorted by document; each has its
   * `occurrenceKey`, in any order within one. Returns the number of documents.
   */
  write(docs: Uint32Array, keys: Uint32Array, lo: number, hi: number): number {
    const mask = maskOf(keys, lo, hi);
    const wide = mask >>> WIDE_FIELD === 1;
    this.#collect(docs, keys, lo, hi, mask, wide);
    const { count, ends } = this.#postings;
    const allSingle = ends[count - 1] === count;
    this.#writeHead(count, allSingle, mask);
    if (count < BLOCK_SIZE) {
      this.#writeRun(0, -1, allSingle, wide);
      return count;
    }
    this.#encodeBlocks(true);
    this.#writeBlocks(() =>
      this.#writeRun(count & -BLOCK_SIZE, this.#lastBlockDoc(), allSingle, wide),
    );
    return count;
  }

  /** Writes a list of documents without occurrences. */
  writeDocuments(docs: Uint32Array, lo: number, hi: number): void {
    const postings = this.#postings;
    postings.count = 0;
    for (let i = lo; i < hi; i++) this.#pushDoc(docs[i]!);
    const { count } = postings;
    assert(count <= DOCUMENTS_MAX, 'too many documents in a list');
    this.#out.pushVarint(count << 4);
    if (count < BLOCK_SIZE) {
      this.#writeRunDocs(0, -1);
      return;
    }
    this.#encodeBlocks(false);
    this.#writeBlocks(() => this.#writeRunDocs(count & -BLOCK_SIZE, this.#lastBlockDoc()));
  }

  finish(): { readonly postings: Uint8Array; readonly fieldMasks: Uint32Array } {
    this.#out.align();
    for (let i = 0; i < 4; i++) this.#out.pushU32(0);
    return { postings: this.#out.view(), fieldMasks: Uint32Array.from(this.#masks) };
  }

  #collect(
    docs: Uint32Array,
    keys: Uint32Array,
    lo: number,
    hi: number,
    mask: number,
    wide: boolean,
  ): void {
    const postings = this.#postings;
    postings.count = 0;
    if (this.#values.length < hi - lo) this.#values = new Uint32Array((hi - lo) * 2);
    const values = this.#values;
    const bits = wide ? this.#wideBits : this.#assignCodes(mask);
    const codes = this.#fieldCodes;
    for (let i = lo; i < hi; ) {
      const doc = docs[i]!;
      const start = i - lo;
      for (; i < hi && docs[i] === doc; i++) {
        const key = keys[i]!;
        const field = fieldOfOccurrence(key);
        values[i - lo] = (positionOfOccurrence(key) << bits) | (wide ? field : codes[field]!);
      }
      const end = i - lo;
      if (end - start > 1) sortAndDelta(values, start, end);
      this.#pushDoc(doc);
      postings.ends[postings.count - 1] = end;
    }
  }

  #assignCodes(mask: number): number {
    let count = 0;
    for (let rest = mask; rest !== 0; rest &= rest - 1)
      this.#fieldCodes[31 - Math.clz32(rest & -rest)] = count++;
    return bitWidth(count - 1);
  }

  #pushDoc(doc: number): void {
    const postings = this.#postings;
    if (postings.count === postings.docs.length) {
      postings.docs = doubled(postings.docs);
      postings.ends = doubled(postings.ends);
    }
    postings.docs[postings.count++] = doc;
  }

  #writeHead(count: number, allSingle: boolean, mask: number): void {
    assert(count <= DOCUMENTS_MAX, 'too many documents in a list');
    let index = this.#maskIndexes.get(mask);
    if (index === undefined) {
      index = this.#masks.push(mask) - 1;
      this.#maskIndexes.set(mask, index);
    }
    const code = Math.min(index, MASK_CODE_ESCAPE);
    this.#out.pushVarint((count << 4) | (allSingle ? 8 : 0) | code);
    if (code === MASK_CODE_ESCAPE) this.#out.pushVarint(index);
  }

  #lastBlockDoc(): number {
    const { docs, count } = this.#postings;
    return docs[(count & -BLOCK_SIZE) - 1]!;
  }

  #writeRun(from: number, docBefore: number, allSingle: boolean, wide: boolean): void {
    this.#writeRunDocs(from, docBefore);
    const { ends, count } = this.#postings;
    const out = this.#out;
    const values = this.#values;
    let at = from === 0 ? 0 : ends[from - 1]!;
    for (let i = from; i < count; i++) {
      const end = ends[i]!;
      if (wide && !allSingle) out.pushVarint(end - at);
      for (; at < end; at++) {
        if (allSingle || wide) out.pushVarint(values[at]!);
        else out.pushVarint((values[at]! << 1) | Number(at + 1 < end));
      }
    }
  }

  #writeRunDocs(from: number, docBefore: number): void {
    const { docs, count } = this.#postings;
    let before = docBefore;
    for (let i = from; i < count; i++) {
      const doc = docs[i]!;
      this.#out.pushVarint(doc - before - 1);
      before = doc;
    }
  }

  /**
   * Fills `#words` with the documents of all full blocks, then with their occurrences, and
   * `#entries` with their block table.
   */
  #encodeBlocks(withOccurrences: boolean): void {
    const blockCount = this.#postings.count >>> BLOCK_SHIFT;
    this.#entries.length = 0;
    this.#wordCount = 0;
    for (let block = 0; block < blockCount; block++) {
      const at = this.#wordCount;
      assert(at <= DOCS_WORD_MAX, 'a posting list is too long');
      const encoding = this.#encodeDocs(block * BLOCK_SIZE);
      this.#entries.push(
        this.#postings.docs[block * BLOCK_SIZE + BLOCK_SIZE - 1]!,
        at,
        encoding,
        0,
      );
    }
    if (!withOccurrences) return;
    for (let block = 0; block < blockCount; block++) {
      this.#entries[block * 4 + 3] = this.#wordCount;
      this.#encodeOccurrences(block * BLOCK_SIZE);
    }
  }

  #encodeDocs(from: number): number {
    const { docs } = this.#postings;
    const before = from === 0 ? -1 : docs[from - 1]!;
    const last = docs[from + BLOCK_SIZE - 1]!;
    let previous = before;
    let all = 0;
    for (let i = 0; i < BLOCK_SIZE; i++) {
      const gap = docs[from + i]! - previous - 1;
      previous = docs[from + i]!;
      this.#gaps[i] = gap;
      all |= gap;
    }
    const width = bitWidth(all);
    const firstWord = (before + 1) >>> 5;
    const bitmapWords = (last >>> 5) - firstWord + 1;
    if (width > 0 && bitmapWords <= packedWordCount(BLOCK_SIZE, width)) {
      this.#reserveWords(bitmapWords);
      this.#words.fill(0, this.#wordCount, this.#wordCount + bitmapWords);
      for (let i = 0; i < BLOCK_SIZE; i++) {
        const doc = docs[from + i]!;
        this.#words[this.#wordCount + (doc >>> 5) - firstWord]! |= 1 << (doc & 31);
      }
      this.#wordCount += bitmapWords;
      return BITMAP_ENCODING;
    }
    this.#reserveWords(packedWordCount(BLOCK_SIZE, width));
    this.#wordCount = pack(this.#gaps, 0, BLOCK_SIZE, width, this.#words, this.#wordCount);
    return width;
  }

  #encodeOccurrences(from: number): void {
    const { ends } = this.#postings;
    const start = from === 0 ? 0 : ends[from - 1]!;
    const total = ends[from + BLOCK_SIZE - 1]! - start;
    const hasStarts = total !== BLOCK_SIZE;
    const width = this.#chooseWidth(start, total);
    this.#reserveWords(total * 3 + 16);
    const words = this.#words;
    const headAt = this.#wordCount;
    let at = headAt + 1;
    if (hasStarts) {
      words[at++] = total;
      const startWords = (total + 31) >>> 5;
      words.fill(0, at, at + startWords);
      for (let i = from, first = start; i < from + BLOCK_SIZE; first = ends[i++]!) {
        const bit = first - start;
        words[at + (bit >>> 5)]! |= 1 << (bit & 31);
      }
      at += startWords;
    }
    at = pack(this.#values, start, total, width, words, at);
    let exceptions = 0;
    if (width < 32) {
      for (let i = 0; i < total; i++) {
        const high = this.#values[start + i]! >>> width;
        if (high === 0) continue;
        words[at++] = (i << 16) | high;
        exceptions++;
      }
    }
    words[headAt] = width | (hasStarts ? 64 : 0) | (exceptions << 7);
    this.#wordCount = at;
  }

  /** The width with the fewest bits in total; each value that does not fit costs a word. */
  #chooseWidth(start: number, total: number): number {
    const widths = this.#widths;
    widths.fill(0);
    let widest = 0;
    for (let i = 0; i < total; i++) {
      const width = bitWidth(this.#values[start + i]!);
      widths[width]!++;
      if (width > widest) widest = width;
    }
    if (total > EXCEPTION_INDEX_MAX) return widest;
    let best = widest;
    let bestBits = total * widest;
    let exceptions = 0;
    for (let width = widest - 1; width >= 0 && widest - width <= EXCEPTION_BITS_MAX; width--) {
      exceptions += widths[width + 1]!;
      const bits = total * width + exceptions * 32;
      if (bits < bestBits) {
        best = width;
        bestBits = bits;
      }
    }
    return best;
  }

  /** Appends the entries, the run written by `writeRun`, and the words. */
  #writeBlocks(writeRun: () => void): void {
    const out = this.#out;
    const entries = this.#entries;
    out.align();
    const base = out.length;
    const tableBytes = (entries.length / 4) * ENTRY_WORDS * 4;
    out.reserve(tableBytes);
    out.length += tableBytes;
    writeRun();
    out.align();
    const wordsAt = (out.length - base) >>> 2;
    const end = out.length;
    out.length = base;
    for (let i = 0; i < entries.length; i += 4) {
      const docsWord = wordsAt + entries[i + 1]!;
      assert(docsWord <= DOCS_WORD_MAX, 'a posting list is too long');
      out.pushU32(entries[i]!);
      out.pushU32((docsWord | (entries[i + 2]! << 24)) >>> 0);
      out.pushU32(wordsAt + entries[i + 3]!);
    }
    out.length = end;
    out.pushBytes(new Uint8Array(this.#words.buffer, 0, this.#wordCount * 4));
  }

  #reserveWords(count: number): void {
    const needed = this.#wordCount + count;
    if (needed <= this.#words.length) return;
    const grown = new Uint32Array(Math.max(needed, this.#words.length * 2));
    grown.set(this.#words.subarray(0, this.#wordCount));
    this.#words = grown;
  }
}

function maskOf(keys: Uint32Array, lo: number, hi: number): number {
  let mask = 0;
  for (let i = lo; i < hi; i++) mask |= 1 << Math.min(fieldOfOccurrence(keys[i]!), WIDE_FIELD);
  return mask >>> 0;
}

/**
 * Sorts `values[start, end)` (short, nearly sorted) and replaces each but the first by its
 * difference from the one before.
 */
function sortAndDelta(values: Uint32Array, start: number, end: number): void {
  if (end - start > 64) values.subarray(start, end).sort();
  else {
    for (let i = start + 1; i < end; i++) {
      const value = values[i]!;
      let at = i;
      while (at > start && values[at - 1]! > value) {
        values[at] = values[at - 1]!;
        at--;
      }
      values[at] = value;
    }
  }
  for (let i = end - 1; i > start; i--) values[i]! -= values[i - 1]!;
}
