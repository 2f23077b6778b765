/**
 * Frequent pairs: for two terms that many documents have in common, the documents in which
 * one follows the other within three positions. A search for both reads neither the words of all
 * these documents nor the positions of the terms. Read without copying.
 *
 *   pairWords       u32: [n × ordinal][n × partners], the most frequent terms first; a term has lists with the first `partners` of the terms, before and after them
 *   pairIndex       of the lists in pairDocuments (numbered-lists.ts)
 *   pairDocuments   lists of documents
 *
 * Pairs are numbered by their first term, then by the second one. The list number * 3 + distance − 1
 * has the documents in which the least distance from the first to the second in a field is
 * `distance`, 1 to 3. Files of releases before 2026-12 lack these sections, and so do segments that
 * are merged from such files.
 *
 * Memory: that of the lists (document-groups.ts), a byte for each pair of terms.
 */
import { NumberList } from '../bytes/number-list.ts';
import { fieldOfOccurrence } from '../postings/occurrence-key.ts';
import { DocumentGroups } from './document-groups.ts';
import { NumberedLists, writeLists } from './numbered-lists.ts';

/** The largest distance that has lists. */
const PAIR_DISTANCE_MAX = 3;
/** Terms that have lists. */
const WORDS_MAX = 1024;
const CODES = 0x10000;

export interface PairLimits {
  /** A segment with fewer words has no lists: it is soon merged, and fast to search. */
  readonly pairSegmentWordsMin: number;
  /** A pair has lists if documents with this number of words would be read for both terms otherwise. */
  readonly pairWordsMin: number;
  /**
   * A pair has lists if it has one of this number of documents, provided that its terms are
   * independent: 41 million entries for 261,409 articles of 250 words.
   */
  readonly pairShare: number;
}

export const PAIR_LIMITS: PairLimits = {
  pairSegmentWordsMin: 2 ** 24,
  pairWordsMin: 2 ** 19,
  pairShare: 64,
};

export interface PairSections {
  readonly pairWords: Uint32Array;
  readonly pairIndex: Uint32Array;
  readonly pairDocuments: Uint8Array;
}

/** Of each term by ordinal. */
export interface TermCounts {
  readonly occurrences: Uint32Array;
  /** null = not counted: the segment has no frequent pairs. */
  readonly documents: Uint32Array | null;
}

/** Number of each term's first pair, and of all pairs. */
function firstPairs(partners: Uint32Array): Uint32Array {
  const first = new Uint32Array(partners.length + 1);
  for (let place = 0; place < partners.length; place++)
    first[place + 1] = first[place]! + partners[place]!;
  return first;
}

/**
 * Number of the list of the documents in which the least distance from the first term of the pair to
 * the second in a field is `distance`, 1 to 3.
 */
export const listOf = (pair: number, distance: number): number =>
  pair * PAIR_DISTANCE_MAX + distance - 1;

export class FrequentPairsWriter {
  readonly #words: Uint32Array;
  readonly #partners: Uint32Array;
  readonly #first: Uint32Array;
  /** By code: place + 1 in `words`, or 0. */
  readonly #placeOf = new Uint16Array(CODES);
  /** By pair: the least distance in the document, or 0. */
  readonly #distances: Uint8Array;
  /** Pairs of the document. */
  readonly #pairs = new NumberList();
  readonly #lists: DocumentGroups;
  /** The last words of the document that have lists: places and keys, in a ring. */
  readonly #places = new Int32Array(PAIR_DISTANCE_MAX).fill(-1);
  readonly #keys = new Uint32Array(PAIR_DISTANCE_MAX);
  #at = 0;

  /** @param coded terms with a code, by code */
  constructor(coded: Uint32Array, counts: TermCounts, documentCount: number, limits: PairLimits) {
    const least = leastProduct(counts.occurrences, documentCount, limits);
    const documents = counts.documents ?? new Uint32Array(counts.occurrences.length);
    const codes = pairedCodes(coded, documents, least);
    codes.forEach((code, place) => {
      this.#placeOf[code] = place + 1;
    });
    this.#words = Uint32Array.from(codes, (code) => coded[code]!);
    this.#partners = partnersOf(
      this.#words.map((ordinal) => documents[ordinal]!),
      least,
    );
    this.#first = firstPairs(this.#partners);
    const pairCount = this.#first[this.#words.length]!;
    this.#distances = new Uint8Array(pairCount);
    this.#lists = new DocumentGroups(pairCount * PAIR_DISTANCE_MAX);
  }

  /** The next word of the document. @param code that of its term in the forward index */
  add(code: number, key: number): void {
    if (this.#words.length === 0) return;
    const place = this.#placeOf[code]! - 1;
    if (place < 0) return;
    const places = this.#places;
    const keys = this.#keys;
    for (let i = 0; i < PAIR_DISTANCE_MAX; i++) {
      const before = places[i]!;
      const distance = (key - keys[i]!) | 0;
      if (distance < 1 || distance > PAIR_DISTANCE_MAX || before < 0) continue;
      if (place >= this.#partners[before]!) continue;
      if (fieldOfOccurrence(key) !== fieldOfOccurrence(keys[i]!)) continue;
      this.#addPair(this.#first[before]! + place, distance);
    }
    places[this.#at] = place;
    keys[this.#at] = key;
    this.#at = (this.#at + 1) % PAIR_DISTANCE_MAX;
  }

  #addPair(pair: number, distance: number): void {
    const known = this.#distances[pair]!;
    if (known !== 0 && known <= distance) return;
    this.#distances[pair] = distance;
    if (known !== 0) return;
    this.#pairs.push(pair);
  }

  endDocument(): void {
    const { items, length } = this.#pairs;
    for (let i = 0; i < length; i++) {
      const pair = items[i]!;
      this.#lists.add(listOf(pair, this.#distances[pair]!));
      this.#distances[pair] = 0;
    }
    this.#pairs.length = 0;
    this.#places.fill(-1);
    this.#lists.endDocument();
  }

  /** @param docIdOf DocId of the document with a rank */
  finish(docIdOf: (rank: number) => number): PairSections {
    const { index, documents } = writeLists(this.#lists, docIdOf, (list) => list);
    const pairWords = Uint32Array.from([...this.#words, ...this.#partners]);
    return { pairWords, pairIndex: index, pairDocuments: documents };
  }
}

/** Least product of the documents of two terms that have lists; infinite without any. */
function leastProduct(
  occurrences: Uint32Array,
  documentCount: number,
  { pairSegmentWordsMin, pairWordsMin, pairShare }: PairLimits,
): number {
  const words = occurrences.reduce((sum, count) => sum + count, 0);
  if (words < pairSegmentWordsMin) return Number.POSITIVE_INFINITY;
  const wordsEach = words / documentCount;
  return Math.max(documentCount / pairShare, pairWordsMin / wordsEach) * documentCount;
}

/** Codes of the terms that have a list with any other, the most frequent first. */
function pairedCodes(coded: Uint32Array, documents: Uint32Array, least: number): number[] {
  const most = coded.reduce((max, ordinal) => Math.max(max, documents[ordinal]!), 0);
  return [...coded.keys()]
    .filter((code) => documents[coded[code]!]! * most >= least)
    .sort((a, b) => documents[coded[b]!]! - documents[coded[a]!]! || a - b)
    .slice(0, WORDS_MAX);
}

/** How many of the terms each has lists with: those before some place. */
function partnersOf(documents: Uint32Array, least: number): Uint32Array {
  let end = documents.length;
  return documents.map((count) => {
    while (end > 0 && count * documents[end - 1]! < least) end--;
    return end;
  });
}

/** By the number of a list (`listOf`): its documents, dead ones included. */
export class FrequentPairs extends NumberedLists {
  /** The most frequent first. */
  readonly #words: Uint32Array;
  readonly #partners: Uint32Array;
  readonly #first: Uint32Array;

  /** @param file named in error messages */
  constructor(file: string, sections: PairSections, documentCount: number) {
    const { pairWords, pairIndex, pairDocuments } = sections;
    super(file, { index: pairIndex, documents: pairDocuments }, documentCount);
    const wordCount = pairWords.length >>> 1;
    if (pairWords.length !== wordCount * 2)
      throw this.damage('partners of each word', `${pairWords.length} numbers`);
    this.#words = pairWords.subarray(0, wordCount);
    this.#partners = pairWords.subarray(wordCount);
    this.#first = firstPairs(this.#partners);
  }

  /** Number of two terms, by their ordinals; −1 if their documents are not listed. */
  pair(left: number, right: number): number {
    const first = this.#words.indexOf(left);
    const second = first < 0 ? -1 : this.#words.indexOf(right);
    return second < 0 || second >= this.#partners[first]! ? -1 : this.#first[first]! + second;
  }

  /** Ordinals of the terms that have lists with a term, the most frequent first. */
  partnersOf(term: number): Uint32Array {
    const place = this.#words.indexOf(term);
    return this.#words.subarray(0, place < 0 ? 0 : this.#partners[place]);
  }

  /** Verifies that words are terms, each with fewer partners than the one before, and lists ascend. */
  verifyPairs(termCount: number, docLimit: number): void {
    const words = this.#words;
    if (new Set(words).size !== words.length)
      throw this.damage('different words', `${words.length} words, some the same`);
    for (let place = 0; place < words.length; place++) {
      if (words[place]! >= termCount) throw this.damage('terms', String(words[place]));
      const most = place === 0 ? words.length : this.#partners[place - 1]!;
      if (this.#partners[place]! > most)
        throw this.damage(`at most ${most} partners`, String(this.#partners[place]));
    }
    const end = this.#first[words.length]! * PAIR_DISTANCE_MAX;
    this.verify(docLimit, (list) => {
      if (list >= end) throw this.damage(`lists below ${end}`, String(list));
    });
  }
}
