/** Where neighbouring words are taken from lists of joined words, and where they are not. */
import { describe, expect, it } from 'vitest';
import { listedPairs, neighbourBound } from '../../../../src/search/matching/word-pairs.ts';
import { vocabularyOf } from '../../../../src/search/query/vocabulary.ts';
import { buildSnapshot } from '../../../support/build-snapshot.ts';

const TEXTS = ['sun flower', 'sunflower', 'moon flower', 'flower of the sun'];
const snapshot = buildSnapshot({ documents: TEXTS.map((text, id) => ({ id, text })) });
const word = (text: string) => vocabularyOf(snapshot).find(text)!;

describe('pairs of words', () => {
  it('are listed where both spell a word of the segment', () => {
    expect(listedPairs(snapshot, word('sun'), word('flower'))[0]).toBeGreaterThanOrEqual(0);
    expect([...listedPairs(snapshot, word('moon'), word('flower'))]).toEqual([-1]);
  });

  it('are not taken from lists where fields are not searchable: lists hold all fields', () => {
    const everywhere = snapshot.everywhere.map((scope) => ({ ...scope, outside: 1 }));
    const bound = { ...snapshot, everywhere };
    expect([...listedPairs(bound, word('sun'), word('flower'))]).toEqual([-1]);
  });

  it('are at most as many as are listed, or as the rarer word has', () => {
    const boundOf = (left: string, right: string): number => {
      const words = [word(left), word(right)] as const;
      return neighbourBound(snapshot, words, listedPairs(snapshot, ...words));
    };
    expect(boundOf('sun', 'flower')).toBe(1);
    expect(boundOf('flower', 'sun')).toBe(2);
    expect(boundOf('moon', 'flower')).toBe(1);
  });
});
