/** Kana is cut from left to right into the longest known words. */
import { describe, expect, it } from 'vitest';
import {
  hiraganaSegmenter,
  katakanaSegmenter,
} from '../../../../../src/engine/analysis/languages/kana-segmenter.ts';
import { segmentedWords } from './segmented-words.ts';

describe('katakanaSegmenter', () => {
  it.each([
    ['フルーツバスケット', ['フルーツ', 'バスケット']],
    ['ドバイマリーナ', ['ドバイ', 'マリーナ']],
    ['マザーリシャリーフ', ['マザー', 'リシャリーフ']],
    ['アメリカン', ['アメリカン']],
    ['ソ', ['ソ']],
  ])('cuts %s', (run, words) => expect(segmentedWords(katakanaSegmenter, run)).toEqual(words));

  it('gives a beginning of a name words that the name begins with', () => {
    const name = 'フルーツバスケット';
    for (let length = 1; length < name.length; length++) {
      const words = segmentedWords(katakanaSegmenter, name.slice(0, length));
      expect(words.length > 1 ? words[0] : 'フルーツ').toBe('フルーツ');
    }
  });
});

describe('hiraganaSegmenter', () => {
  it.each([
    ['にもかかわらず', ['にもかかわらず']],
    ['らーめん', ['らー', 'めん']],
    ['ゑゑ', ['ゑ', 'ゑ']],
  ])('cuts %s', (run, words) => expect(segmentedWords(hiraganaSegmenter, run)).toEqual(words));

  it('stops at the word limit', () =>
    expect(segmentedWords(hiraganaSegmenter, 'すべてこと', 1)).toEqual(['すべて']));
});
