/**
 * Joined words: for two frequent terms that spell a third one when they are written together
 * (`new` and `york`, `newyork`), the documents that hold the two side by side. Read
 * without copying.
 *
 *   joinedWords      u32 × w: ordinals of the most frequent terms, ascending
 *   joinedIndex      u32 × k: pairs, ascending: place of the first word in joinedWords * 65,536 + place of the second; then u32 × (k + 1): where each one's list starts in joinedDocuments, and the end of the last
 *   joinedDocuments  lists without occurrences (posting-list-format.ts)
 *
 * Two words are side by side when one follows the other in the order of the text, in the same field
 * and at the next position. A pair without documents has no list. Files of releases before 2026-12
 * lack these sections, and so do segments that are merged from such files.
 *
 * Memory: about 20 bytes for each two words that spell a term, which are fewer than the terms, and
 * that of the lists (document-groups.ts).
 */
import { concatBytes } from '../../core/concat-bytes.ts';
import { HASH_SEED, hashBytes, hashFinish, hashStep } from '../../core/hash.ts';
import { NumberList } from '../bytes/number-list.ts';
import { NumberTable } from '../bytes/number-table.ts';
import { TermInterner } from '../bytes/term-interner.ts';
import { CHUNK_LEAD } from '../dictionary/chunk-terms.ts';
import type { SortedTerms } from '../dictionary/sorted-terms.ts';
import type { TermDictionary } from '../dictionary/term-dictionary.ts';
import { positionOfOccurrence } from '../postings/occurrence-key.ts';
import { hasBit, makeBitset, setBit } from '../sets/bitset.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import { DocumentGroups } from './document-groups.ts';
import { mostFrequentTerms } from './forward-index.ts';
import { NumberedLists, writeLists } from './numbered-lists.ts';

/** The most frequent terms, whose pairs have lists. */
const WORDS_MAX = 0x4000;
const CODES = 0x10000;
/** Spreads the numbers of pairs: the upper bits of the product are used. */
const SPREAD = 0x9e3779b1;
/** Bits of the filter for each two to four pairs, as a power of two. */
const FILTER_SHIFT = 3;

/** Number of a pair by the places of its words. */
export const pairOf = (left: number, right: number): number => left * 0x10000 + right;

export interface JoinedSections {
  readonly joinedWords: Uint32Array;
  readonly joinedIndex: Uint32Array;
  readonly joinedDocuments: Uint8Array;
}

export class JoinedWordsWriter {
  readonly #words: Uint32Array;
  /** By code: place + 1 in `words`, or 0. */
  readonly #placeOf = new Uint16Array(CODES);
  /** Ascending. */
  readonly #pairs: Uint32Array;
  /** By number of the pair: rank + 1 of the last document of its list. */
  readonly #last: Uint32Array;
  /** Numbers of pairs. */
  readonly #numbers = new NumberTable();
  /** A bit for the hash of each pair: few others have one that is set. */
  readonly #filter: Uint32Array;
  readonly #filterShift: number;
  readonly #lists: DocumentGroups;
  #documents = 0;
  /** Place + 1 of the word before, or 0, and the key after its own. */
  #before = 0;
  #next = 0;

  /**
   * @param coded terms with a code, by code
   * @param counts occurrences of each term by ordinal
   */
  constructor(terms: SortedTerms, coded: Uint32Array, counts: Uint32Array) {
    const codes = mostFrequentTerms(
      Uint32Array.from(coded, (ordinal) => counts[ordinal]!),
      WORDS_MAX,
    );
    codes.forEach((code, place) => {
      this.#placeOf[code] = place + 1;
    });
    this.#words = codes.map((code) => coded[code]!);
    this.#pairs = pairsThatSpell(terms, this.#words);
    this.#last = new Uint32Array(this.#pairs.length);
    const pairBits = 33 - Math.clz32(Math.max(this.#pairs.length, 1));
    this.#filterShift = Math.max(0, 32 - pairBits - FILTER_SHIFT);
    this.#filter = makeBitset(2 ** (32 - this.#filterShift));
    this.#lists = new DocumentGroups(this.#pairs.length);
    this.#pairs.forEach((pair, number) => {
      this.#numbers.set(pair, number);
      setBit(this.#filter, Math.imul(pair, SPREAD) >>> this.#filterShift);
    });
  }

  /** The next word of the document. @param code that of its term in the forward index */
  add(code: number, key: number): void {
    const place = this.#placeOf[code]!;
    const before = this.#before;
    if (place !== 0 && before !== 0 && key === this.#next) {
      const pair = pairOf(before - 1, place - 1);
      const hash = Math.imul(pair, SPREAD);
      if (hasBit(this.#filter, hash >>> this.#filterShift) && positionOfOccurrence(key) !== 0)
        this.#addEntry(pair);
    }
    this.#before = place;
    this.#next = key + 1;
  }

  endDocument(): void {
    this.#before = 0;
    this.#documents++;
    this.#lists.endDocument();
  }

  #addEntry(pair: number): void {
    const number = this.#numbers.get(pair);
    if (number < 0 || this.#last[number] === this.#documents + 1) return;
    this.#last[number] = this.#documents + 1;
    this.#lists.add(number);
  }

  /** @param docIdOf DocId of the document with a rank */
  finish(docIdOf: (rank: number) => number): JoinedSections {
    const numberOf = (list: number): number => this.#pairs[list]!;
    const { index, documents } = writeLists(this.#lists, docIdOf, numberOf);
    return { joinedWords: this.#words, joinedIndex: index, joinedDocuments: documents };
  }
}

/** Pairs of the words that spell a term when they are written together, ascending. */
function pairsThatSpell(terms: SortedTerms, words: Uint32Array): Uint32Array {
  const { bytes, starts, count } = terms;
  /** Places of the words by their bytes. */
  const table = new TermInterner(4 * WORDS_MAX);
  for (const ordinal of words) {
    const word = bytes.subarray(starts[ordinal], starts[ordinal + 1]);
    table.intern(word, word.length, hashBytes(word, 0, word.length));
  }
  const pairs = new NumberList();
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const start = starts[ordinal]!;
    const end = starts[ordinal + 1]!;
    if (bytes[start] === CHUNK_LEAD) break;
    let state = HASH_SEED;
    for (let cut = start + 1; cut < end; cut++) {
      state = hashStep(state, bytes[cut - 1]!);
      const left = table.find(bytes, start, cut, hashFinish(state));
      const right = left < 0 ? -1 : table.find(bytes, cut, end, hashBytes(bytes, cut, end));
      if (right < 0) continue;
      pairs.push(pairOf(left, right));
    }
  }
  return pairs.view().slice().sort();
}

/** By the number of a pair: the documents that hold it side by side, dead ones included. */
export class JoinedWords extends NumberedLists {
  readonly #words: Uint32Array;

  /** @param file named in error messages */
  constructor(file: string, sections: JoinedSections, documentCount: number) {
    const { joinedWords, joinedIndex, joinedDocuments } = sections;
    super(file, { index: joinedIndex, documents: joinedDocuments }, documentCount);
    this.#words = joinedWords;
  }

  /**
   * Number of two terms, by their ordinals, whose documents are listed if they spell a term; −1 if
   * they are not frequent enough.
   */
  pair(left: number, right: number): number {
    const first = indexOfSorted(this.#words, left);
    const second = first < 0 ? -1 : indexOfSorted(this.#words, right);
    return second < 0 ? -1 : pairOf(first, second);
  }

  /** Verifies that words and pairs ascend, and that each pair spells a term. */
  verifyPairs(terms: TermDictionary, docLimit: number): void {
    const words = this.#words;
    for (let place = 0; place < words.length; place++)
      if (words[place]! >= terms.termCount || (place > 0 && words[place]! <= words[place - 1]!))
        throw this.damage('ascending frequent terms', String(words[place]));
    this.verify(docLimit, (pair) => {
      const left = words[pair >>> 16];
      const right = words[pair & 0xffff];
      if (left === undefined || right === undefined || !isTerm(terms, left, right))
        throw this.damage('two words that spell a term', `pair ${pair}`);
    });
  }
}

function isTerm(terms: TermDictionary, left: number, right: number): boolean {
  return terms.find(concatBytes([terms.bytes(left), terms.bytes(right)])) >= 0;
}
