/** Where neighbouring words are taken from lists of pairs, and where they are not. */
import { describe, expect, it } from 'vitest';
import {
  listedDocuments,
  listedPairs,
  neighbourBound,
} from '../../../../src/search/matching/word-pairs.ts';
import { vocabularyOf } from '../../../../src/search/query/vocabulary.ts';
import { buildSnapshot } from '../../../support/build-snapshot.ts';
import { DIGEST_ALL } from '../../../support/segment-file.ts';

const TEXTS = ['sun flower', 'sunflower', 'moon flower', 'flower of the sun'];
const snapshot = buildSnapshot({ documents: TEXTS.map((text, id) => ({ id, text })) });
const word = (text: string) => vocabularyOf(snapshot).find(text)!;

describe('pairs of words', () => {
  it('are listed where both spell a word of the segment', () => {
    expect(listedPairs(snapshot, word('sun'), word('flower'), 1)[0]?.count).toBe(1);
    expect(listedPairs(snapshot, word('sun'), word('flower'), 2)).toEqual([null]);
    expect(listedPairs(snapshot, word('moon'), word('flower'), 1)).toEqual([null]);
  });

  it('are listed where both are frequent, by distance', () => {
    const frequent = buildSnapshot({
      documents: ['a b', 'a x b', 'a x x b', 'b a', 'a b b'].map((text, id) => ({ id, text })),
      digests: DIGEST_ALL,
    });
    const vocabulary = vocabularyOf(frequent);
    const [a, b] = [vocabulary.find('a')!, vocabulary.find('b')!];
    const found = ([1, 2] as const).map((distance) => {
      const pairs = listedPairs(frequent, a, b, distance);
      return [pairs[0]!.count, [...listedDocuments(frequent, pairs).toList()]];
    });
    expect(found).toEqual([
      [2, [0, 4]],
      [3, [0, 1, 4]],
    ]);
  });

  it('are not taken from lists where fields are not searchable: lists hold all fields', () => {
    const everywhere = snapshot.everywhere.map((scope) => ({ ...scope, outside: 1 }));
    const bound = { ...snapshot, everywhere };
    expect(listedPairs(bound, word('sun'), word('flower'), 1)).toEqual([null]);
  });

  it('are at most as many as are listed, or as the rarer word has', () => {
    const boundOf = (left: string, right: string): number => {
      const words = [word(left), word(right)] as const;
      return neighbourBound(snapshot, words, listedPairs(snapshot, ...words, 1));
    };
    expect(boundOf('sun', 'flower')).toBe(1);
    expect(boundOf('flower', 'sun')).toBe(2);
    expect(boundOf('moon', 'flower')).toBe(1);
  });
});
