/**
 * Sorted terms of a segment (ascending UTF-8 bytes), addressed by ordinal 0 … termCount − 1 and read
 * without copying. Start here. Layout: term-dictionary-writer.ts.
 */

import { decodeUtf8 } from '../bytes/utf8.ts';
import { VarintCursor } from '../bytes/varint.ts';
import type { ChunkGrams } from './chunk-grams.ts';
import { CHUNK_LEAD, GRAM_BYTES } from './chunk-terms.ts';
import type { SimilarTermsRange } from './fuzzy-terms.ts';
import { visitSimilarTerms } from './fuzzy-terms.ts';
import {
  firstFourBytes,
  GROUP_SHIFT,
  GROUP_SIZE,
  NIBBLE_ESCAPE,
  type TermDictionarySections,
} from './term-dictionary-writer.ts';
import { TermTrie } from './term-trie.ts';

/** About a millisecond of comparisons. */
const CANDIDATES_BETWEEN_CHECKS = 4096;

export class TermDictionary {
  readonly termCount: number;
  readonly #text: Uint8Array;
  readonly #groups: Uint32Array;
  readonly #groupCount: number;
  readonly #trie: TermTrie;
  /** null without chunks. */
  readonly #chunkGrams: ChunkGrams | null;
  /** The entry last parsed. */
  readonly #cursor: VarintCursor;
  #shared = 0;
  #suffixStart = 0;
  #suffixEnd = 0;
  #scratch = new Uint8Array(512);

  constructor(
    sections: Omit<TermDictionarySections, 'chunks'>,
    termCount: number,
    chunkGrams: ChunkGrams | null,
  ) {
    this.#chunkGrams = chunkGrams;
    this.termCount = termCount;
    this.#text = sections.termText;
    this.#groups = sections.termGroups;
    this.#groupCount = (termCount + GROUP_SIZE - 1) >>> GROUP_SHIFT;
    this.#cursor = new VarintCursor(sections.termText);
    this.#trie = new TermTrie(sections.trieLabels, sections.trieInner, sections.triePoints);
  }

  /** Ordinal of the term, or −1. */
  find(utf8: Uint8Array): number {
    const found = this.#search(utf8, utf8.length);
    return found >= 0 ? found : -1;
  }

  /** First ordinal whose term is ≥ `utf8`. */
  lowerBound(utf8: Uint8Array): number {
    const found = this.#search(utf8, utf8.length);
    return found >= 0 ? found : ~found;
  }

  /** Ordinals of the terms starting with `prefix` as a half-open range. */
  prefixRange(prefix: Uint8Array): { readonly lo: number; readonly hi: number } {
    const after = successor(prefix);
    const lo = this.lowerBound(prefix);
    return { lo, hi: after === null ? this.termCount : this.lowerBound(after) };
  }

  text(ordinal: number): string {
    const length = this.#load(ordinal);
    return decodeUtf8(this.#scratch, 0, length);
  }

  bytes(ordinal: number): Uint8Array {
    const length = this.#load(ordinal);
    return this.#scratch.slice(0, length);
  }

  /**
   * Visits, in byte order, every term within `maxDistance` (1 or 2) of `word` by
   * Damerau–Levenshtein with adjacent transposition, counted in code points; with `prefix` the
   * distance is that to the first prefix of the term that no longer one could be nearer than, or to
   * the whole term if there is none. Terms whose first character differs from that of `word` are
   * visited only when their distance is ≤ `maxDistanceOtherFirst` (0 or 1). Distance 0 is visited
   * too. `visit` returning false stops the scan.
   */
  visitSimilar(
    word: string,
    range: SimilarTermsRange,
    visit: (ordinal: number, distance: number) => boolean,
  ): void {
    visitSimilarTerms(this.#trie, this, word, range, visit);
  }

  /**
   * Visits, in byte order, the chunks that contain `part`, which has at least three bytes; `visit`
   * returning false stops the scan. See chunk-terms.ts. @param check called once in some thousand
   * candidates; ends the scan when it throws
   */
  visitChunks(part: Uint8Array, visit: (ordinal: number) => boolean, check: () => void): void {
    if (this.#chunkGrams === null) return;
    const first = this.lowerBound(Uint8Array.of(CHUNK_LEAD));
    const candidates = this.#chunkGrams.candidates(part);
    for (let i = 0; i < candidates.length; i++) {
      if (i % CANDIDATES_BETWEEN_CHECKS === 0) check();
      const ordinal = first + candidates[i]!;
      if (part.length > GRAM_BYTES && !this.#contains(ordinal, part)) continue;
      if (!visit(ordinal)) return;
    }
  }

  verifyChunks(): void {
    this.#chunkGrams?.verify();
  }

  #contains(ordinal: number, part: Uint8Array): boolean {
    const end = this.#load(ordinal) - part.length;
    const scratch = this.#scratch;
    for (let at = 1; at <= end; at++) {
      let same = 0;
      while (same < part.length && scratch[at + same] === part[same]) same++;
      if (same === part.length) return true;
    }
    return false;
  }

  /**
   * Position in `textBytes` of byte `depth` of the term; `depth` must lie beyond what the term
   * shares with the one before.
   */
  tailStart(ordinal: number, depth: number): number {
    this.#seek(ordinal);
    return this.#suffixStart + depth - this.#shared;
  }

  /** End of the term passed to the last `tailStart`. */
  get tailEnd(): number {
    return this.#suffixEnd;
  }

  get textBytes(): Uint8Array {
    return this.#text;
  }

  /** Ordinal of the term, or the complement of the first ordinal that is greater. */
  #search(key: Uint8Array, length: number): number {
    const group = this.#lastGroupNotAfter(key, length);
    if (group < 0) return ~0;
    const first = group << GROUP_SHIFT;
    const end = Math.min(first + GROUP_SIZE, this.termCount);
    this.#cursor.position = this.#groups[this.#groupCount + group]!;
    const text = this.#text;
    let matched = 0;
    for (let ordinal = first; ordinal < end; ordinal++) {
      this.#readEntry();
      if (this.#shared > matched) continue;
      if (this.#shared < matched) return ~ordinal;
      const suffix = this.#suffixStart - matched;
      const termLength = this.#suffixEnd - suffix;
      matched = matchedBytes(text, suffix, key, matched, Math.min(termLength, length));
      if (matched === length) return matched === termLength ? ordinal : ~ordinal;
      if (matched < termLength && text[suffix + matched]! > key[matched]!) return ~ordinal;
    }
    return ~end;
  }

  /** The last group whose first term is ≤ `key`, or −1. */
  #lastGroupNotAfter(key: Uint8Array, length: number): number {
    const groups = this.#groups;
    const head = firstFourBytes(key, 0, length);
    let low = 0;
    let high = this.#groupCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = groups[middle]!;
      if (other < head || (other === head && this.#groupNotAfter(middle, key, length)))
        low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #groupNotAfter(group: number, key: Uint8Array, length: number): boolean {
    this.#cursor.position = this.#groups[this.#groupCount + group]!;
    this.#readEntry();
    const text = this.#text;
    const start = this.#suffixStart;
    const termLength = this.#suffixEnd - start;
    const limit = Math.min(termLength, length);
    for (let i = 0; i < limit; i++) {
      const difference = text[start + i]! - key[i]!;
      if (difference !== 0) return difference < 0;
    }
    return termLength <= length;
  }

  /** Parses the entry at the cursor and moves the cursor after it. */
  #readEntry(): void {
    const cursor = this.#cursor;
    const head = this.#text[cursor.position++]!;
    let shared = head & 15;
    let length = head >>> 4;
    if (shared === NIBBLE_ESCAPE) shared += cursor.next();
    if (length === NIBBLE_ESCAPE) length += cursor.next();
    this.#shared = shared;
    this.#suffixStart = cursor.position;
    this.#suffixEnd = cursor.position += length;
  }

  /** Parses the entry of the term. */
  #seek(ordinal: number): void {
    const group = ordinal >>> GROUP_SHIFT;
    this.#cursor.position = this.#groups[this.#groupCount + group]!;
    for (let skip = ordinal & (GROUP_SIZE - 1); skip >= 0; skip--) this.#readEntry();
  }

  /**
   * Puts the term's bytes into the scratch space, moves the cursor after the entry and returns the
   * length.
   */
  #load(ordinal: number): number {
    if (ordinal >= this.termCount) return 0;
    const group = ordinal >>> GROUP_SHIFT;
    this.#cursor.position = this.#groups[this.#groupCount + group]!;
    let length = 0;
    for (let skip = ordinal & (GROUP_SIZE - 1); skip >= 0; skip--) length = this.#append();
    return length;
  }

  /** Parses one entry and applies it to the scratch space, which holds the term before it. */
  #append(): number {
    this.#readEntry();
    const shared = this.#shared;
    const length = shared + this.#suffixEnd - this.#suffixStart;
    if (length > this.#scratch.length) this.#growScratch(length);
    const scratch = this.#scratch;
    const text = this.#text;
    for (let i = shared, at = this.#suffixStart; i < length; i++, at++) scratch[i] = text[at]!;
    return length;
  }

  #growScratch(length: number): void {
    if (length > this.#text.length)
      throw new RangeError('damaged term dictionary: a term is longer than all text');
    const grown = new Uint8Array(length * 2);
    grown.set(this.#scratch);
    this.#scratch = grown;
  }
}

/** The least byte string after all strings with this prefix, or null when there is none. */
function successor(prefix: Uint8Array): Uint8Array | null {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return null;
  const after = prefix.slice(0, length);
  after[length - 1]! += 1;
  return after;
}

/**
 * Length of the common prefix of two runs of bytes, whose first `from` bytes are known to agree; at
 * most `limit`.
 */
function matchedBytes(
  text: Uint8Array,
  start: number,
  key: Uint8Array,
  from: number,
  limit: number,
): number {
  let matched = from;
  while (matched < limit && text[start + matched] === key[matched]) matched++;
  return matched;
}
