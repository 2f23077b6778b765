/**
 * Lists of documents by two terms that many documents have in common, read without copying. Layout:
 * frequent-pairs-writer.ts.
 */
import { firstPairs, PAIR_DISTANCE_MAX, type PairSections } from './frequent-pairs-writer.ts';
import { NumberedLists } from './numbered-lists.ts';

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
