/** Chinese and Japanese text: ideographs, katakana and the rest are cut apart from each other. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cjSegmenter } from '../../../../../src/engine/analysis/languages/cj-segmenter.ts';
import { dictionarySegmenter } from '../../../../../src/engine/analysis/languages/segmenters.ts';
import { amount } from '../../../../support/run-length.ts';
import { segmentedWords } from './segmented-words.ts';

const dictionary = dictionarySegmenter('ja');
const characters = cjSegmenter({ dictionary, cutsIdeographs: true });
const japanese = cjSegmenter({ dictionary, cutsIdeographs: false });

describe('a segmenter that cuts ideographs', () => {
  it.each([
    ['今天是星期天', ['今', '天', '是', '星', '期', '天']],
    ['東京タワーへ', ['東', '京', 'タワー', 'へ']],
    ['𠀀々〇', ['𠀀', '々', '〇']],
    ['3月2日', ['3', '月', '2', '日']],
  ])('cuts %s', (piece, words) => expect(segmentedWords(characters, piece)).toEqual(words));

  it('stops at the word limit', () =>
    expect(segmentedWords(characters, '東京タワー', 2)).toEqual(['東', '京']));
});

describe('a segmenter for Japanese', () => {
  it.each([
    ['東京に行く', ['東京', 'に', '行く']],
    ['彼女はピアノを練習', ['彼女', 'は', 'ピアノ', 'を', '練習']],
  ])('cuts %s', (piece, words) => expect(segmentedWords(japanese, piece)).toEqual(words));

  it('stops at the word limit', () =>
    expect(segmentedWords(japanese, '東京に行く', 1)).toEqual(['東京']));
});

it('covers any piece, never inside a character', () => {
  const pieces = fc.string({
    unit: fc.constantFrom('東', '京', 'に', 'ー', 'ッ', 'タ', 'ワ', '𠀀', '1', '\u0301', '々'),
  });
  fc.assert(
    fc.property(pieces, fc.constantFrom(characters, japanese), (piece, segmenter) => {
      fc.pre(piece !== '');
      for (const word of segmentedWords(segmenter, piece))
        expect(word).not.toMatch(/^$|\p{Surrogate}/u);
    }),
    { numRuns: amount(100, 1200) },
  );
});
