/**
 * Lists of documents by two terms that many documents have in common, read without copying. Layout:
 * frequent-pairs-writer.ts.
 */
import {
  firstPairs,
  listOf,
  PAIR_DISTANCE_MAX,
  type PairSections,
} from './frequent-pairs-writer.ts';
import { NumberedLists } from './numbered-lists.ts';

export class FrequentPairs {
  /** The most frequent first. */
  readonly #words: Uint32Array;
  readonly #partners: Uint32Array;
  readonly #first: Uint32Array;
  readonly #lists: NumberedLists;

  /** @param file named in error messages */
  constructor(file: string, sections: PairSections, documentCount: number) {
    const { pairWords, pairIndex, pairDocuments } = sections;
    const wordCount = pairWords.length >>> 1;
    const lists = { index: pairIndex, documents: pairDocuments };
    this.#lists = new NumberedLists(file, lists, documentCount);
    if (pairWords.length !== wordCount * 2)
      throw this.#lists.damage('partners of each word', `${pairWords.length} numbers`);
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

  /**
   * Ascending DocIds of the documents in which the least distance from the first term of the pair to
   * the second in a field is `distance`, 1 to 3; dead ones included, in scratch space that the next
   * call overwrites.
   */
  documents(pair: number, distance: number): Uint32Array {
    return this.#lists.documents(listOf(pair, distance));
  }

  /** Ors the DocIds of these documents into the bitset `bits`. */
  addDocuments(pair: number, distance: number, bits: Uint32Array): void {
    this.#lists.addDocuments(listOf(pair, distance), bits);
  }

  /** Number of these documents. */
  count(pair: number, distance: number): number {
    return this.#lists.count(listOf(pair, distance));
  }

  /** Verifies that words are terms, each with fewer partners than the one before, and lists ascend. */
  verify(termCount: number, docLimit: number): void {
    const words = this.#words;
    if (new Set(words).size !== words.length)
      throw this.#lists.damage('different words', `${words.length} words, some the same`);
    for (let place = 0; place < words.length; place++) {
      if (words[place]! >= termCount) throw this.#lists.damage('terms', String(words[place]));
      const most = place === 0 ? words.length : this.#partners[place - 1]!;
      if (this.#partners[place]! > most)
        throw this.#lists.damage(`at most ${most} partners`, String(this.#partners[place]));
    }
    const end = this.#first[words.length]! * PAIR_DISTANCE_MAX;
    this.#lists.verify(docLimit, (list) => {
      if (list >= end) throw this.#lists.damage(`lists below ${end}`, String(list));
    });
  }
}
