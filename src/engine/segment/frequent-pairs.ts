/** Frequent pairs of a segment, read without copying. Layout: frequent-pairs-writer.ts. */
import { CorruptionError } from '../../core/errors.ts';
import {
  firstPairs,
  listOf,
  PAIR_DISTANCE_MAX,
  type PairSections,
} from './frequent-pairs-writer.ts';
import { NumberedLists } from './numbered-lists.ts';
import type { FrequentPairs } from './segment.ts';

export class MappedFrequentPairs implements FrequentPairs {
  readonly #file: string;
  /** The most frequent first. */
  readonly #words: Uint32Array;
  readonly #partners: Uint32Array;
  readonly #first: Uint32Array;
  readonly #lists: NumberedLists;

  /** @param file named in error messages */
  constructor(file: string, sections: PairSections, documentCount: number) {
    const { pairWords, pairIndex, pairDocuments } = sections;
    const wordCount = pairWords.length >>> 1;
    this.#file = file;
    if (pairWords.length !== wordCount * 2)
      throw this.#damage('partners of each word', `${pairWords.length} numbers`);
    this.#words = pairWords.subarray(0, wordCount);
    this.#partners = pairWords.subarray(wordCount);
    this.#first = firstPairs(this.#partners);
    const lists = { index: pairIndex, documents: pairDocuments };
    this.#lists = new NumberedLists(file, lists, documentCount);
  }

  pair(left: number, right: number): number {
    const first = this.#words.indexOf(left);
    const second = first < 0 ? -1 : this.#words.indexOf(right);
    return second < 0 || second >= this.#partners[first]! ? -1 : this.#first[first]! + second;
  }

  partnersOf(term: number): Uint32Array {
    const place = this.#words.indexOf(term);
    return this.#words.subarray(0, place < 0 ? 0 : this.#partners[place]);
  }

  documents(pair: number, distance: number): Uint32Array {
    return this.#lists.documents(listOf(pair, distance));
  }

  addDocuments(pair: number, distance: number, bits: Uint32Array): void {
    this.#lists.addDocuments(listOf(pair, distance), bits);
  }

  count(pair: number, distance: number): number {
    return this.#lists.count(listOf(pair, distance));
  }

  /** Verifies that words are terms, each with fewer partners than the one before, and lists ascend. */
  verify(termCount: number, docLimit: number): void {
    const words = this.#words;
    if (new Set(words).size !== words.length)
      throw this.#damage('different words', `${words.length} words, some the same`);
    for (let place = 0; place < words.length; place++) {
      if (words[place]! >= termCount) throw this.#damage('terms', String(words[place]));
      const most = place === 0 ? words.length : this.#partners[place - 1]!;
      if (this.#partners[place]! > most)
        throw this.#damage(`at most ${most} partners`, String(this.#partners[place]));
    }
    const end = this.#first[words.length]! * PAIR_DISTANCE_MAX;
    this.#lists.verify(docLimit, (list) => {
      if (list >= end) throw this.#damage(`lists below ${end}`, String(list));
    });
  }

  #damage(expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, 0, expected, got);
  }
}
