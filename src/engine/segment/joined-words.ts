/**
 * Lists of documents by two frequent terms that spell a third one, read without copying. Layout:
 * joined-words-writer.ts.
 */

import { concatBytes } from '../../core/concat-bytes.ts';
import type { TermDictionary } from '../dictionary/term-dictionary.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import { type JoinedSections, pairOf } from './joined-words-writer.ts';
import { NumberedLists } from './numbered-lists.ts';

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
