/** Joined words of a segment, read without copying. Layout: joined-words-writer.ts. */
import { CorruptionError } from '../../core/errors.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import { type JoinedSections, pairOf } from './joined-words-writer.ts';
import { NumberedLists } from './numbered-lists.ts';
import type { JoinedPairs, TermDictionary } from './segment.ts';

export class JoinedWords implements JoinedPairs {
  readonly #file: string;
  readonly #words: Uint32Array;
  readonly #lists: NumberedLists;

  /** @param file named in error messages */
  constructor(file: string, sections: JoinedSections, documentCount: number) {
    const { joinedWords, joinedIndex, joinedDocuments } = sections;
    this.#file = file;
    this.#words = joinedWords;
    const lists = { index: joinedIndex, documents: joinedDocuments };
    this.#lists = new NumberedLists(file, lists, documentCount);
  }

  pair(left: number, right: number): number {
    const first = indexOfSorted(this.#words, left);
    const second = first < 0 ? -1 : indexOfSorted(this.#words, right);
    return second < 0 ? -1 : pairOf(first, second);
  }

  documents(pair: number): Uint32Array {
    return this.#lists.documents(pair);
  }

  count(pair: number): number {
    return this.#lists.count(pair);
  }

  /** Verifies that words and pairs ascend, and that each pair spells a term. */
  verify(terms: TermDictionary, docLimit: number): void {
    const words = this.#words;
    for (let place = 0; place < words.length; place++)
      if (words[place]! >= terms.termCount || (place > 0 && words[place]! <= words[place - 1]!))
        throw this.#damage('ascending frequent terms', String(words[place]));
    this.#lists.verify(docLimit, (pair) => {
      const left = words[pair >>> 16];
      const right = words[pair & 0xffff];
      if (left === undefined || right === undefined || !isTerm(terms, left, right))
        throw this.#damage('two words that spell a term', `pair ${pair}`);
    });
  }

  #damage(expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, 0, expected, got);
  }
}

function isTerm(terms: TermDictionary, left: number, right: number): boolean {
  const first = terms.bytes(left);
  const second = terms.bytes(right);
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return terms.find(joined) >= 0;
}
