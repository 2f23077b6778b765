/** Joined words of a segment, read without copying. Layout: joined-words-writer.ts. */
import { CorruptionError } from '../../core/errors.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { indexOfSorted } from '../sets/sorted.ts';
import { type JoinedSections, pairOf } from './joined-words-writer.ts';
import type { JoinedPairs, TermDictionary } from './segment.ts';

export class JoinedWords implements JoinedPairs {
  readonly #file: string;
  readonly #words: Uint32Array;
  readonly #pairs: Uint32Array;
  readonly #lists: PostingLists;

  /** @param file named in error messages */
  constructor(file: string, sections: JoinedSections, documentCount: number) {
    const { joinedWords, joinedIndex, joinedDocuments } = sections;
    const count = joinedIndex.length >>> 1;
    this.#file = file;
    if (joinedIndex.length !== count * 2 + 1)
      throw this.#damage('pairs and offsets', `${joinedIndex.length} numbers`);
    this.#words = joinedWords;
    this.#pairs = joinedIndex.subarray(0, count);
    this.#lists = new PostingLists(
      file,
      {
        postings: joinedDocuments,
        offsets: joinedIndex.subarray(count),
        fieldMasks: new Uint32Array(1),
      },
      documentCount,
      1,
    );
  }

  pair(left: number, right: number): number {
    const first = indexOfSorted(this.#words, left);
    const second = first < 0 ? -1 : indexOfSorted(this.#words, right);
    return second < 0 ? -1 : pairOf(first, second);
  }

  documents(pair: number): Uint32Array {
    const list = indexOfSorted(this.#pairs, pair);
    return list < 0 ? new Uint32Array(0) : this.#lists.readDocuments(list);
  }

  count(pair: number): number {
    const list = indexOfSorted(this.#pairs, pair);
    return list < 0 ? 0 : this.#lists.documentFrequency(list);
  }

  /** Verifies that words and pairs ascend, and that each pair spells a term. */
  verify(terms: TermDictionary, docLimit: number): void {
    const words = this.#words;
    for (let place = 0; place < words.length; place++)
      if (words[place]! >= terms.termCount || (place > 0 && words[place]! <= words[place - 1]!))
        throw this.#damage('ascending frequent terms', String(words[place]));
    for (let list = 0; list < this.#pairs.length; list++) {
      const pair = this.#pairs[list]!;
      const left = words[pair >>> 16];
      const right = words[pair & 0xffff];
      if (list > 0 && pair <= this.#pairs[list - 1]!)
        throw this.#damage('ascending pairs', String(pair));
      if (left === undefined || right === undefined || !isTerm(terms, left, right))
        throw this.#damage('two words that spell a term', `pair ${pair}`);
      this.#lists.verifyList(list, docLimit);
    }
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
