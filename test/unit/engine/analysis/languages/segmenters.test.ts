/** relevance.md 1.1 step 4: cutting of pieces into words. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  articleSegmenter,
  dictionarySegmenter,
  isUncut,
} from '../../../../../src/engine/analysis/languages/segmenters.ts';
import { amount } from '../../../../support/run-length.ts';
import { mayCut, segmentedWords as words } from './segmented-words.ts';

describe('articleSegmenter', () => {
  it.each(['ا', 'أ', 'إ', 'آ', 'ٱ'])('parts the article that begins with %s', (alef) => {
    expect(words(articleSegmenter, `${alef}لسلام`)).toEqual([`${alef}ل`, 'سلام']);
    expect(mayCut(articleSegmenter, `${alef}لسلام`)).toBe(true);
  });

  it('leaves pieces of up to four bytes and other words whole', () => {
    for (const piece of ['ال', 'سلام', 'ا', 'لا'])
      expect(words(articleSegmenter, piece)).toEqual([piece]);
    for (const piece of ['ال', 'سلام', 'ا']) expect(mayCut(articleSegmenter, piece)).toBe(false);
  });

  it('stops at the word limit', () => {
    expect(words(articleSegmenter, 'السلام', 1)).toEqual(['ال']);
  });
});

describe('dictionarySegmenter', () => {
  it('cuts Thai, Khmer, Chinese and Japanese', () => {
    expect(words(dictionarySegmenter('th'), 'ภาษาไทย')).toEqual(['ภาษา', 'ไทย']);
    expect(words(dictionarySegmenter('zh'), '我喜欢音乐')).toEqual(['我', '喜欢', '音乐']);
    expect(words(dictionarySegmenter('ja'), '東京に行く').length).toBeGreaterThan(1);
    expect(words(dictionarySegmenter('km'), 'ភាសាខ្មែរគឺជាភាសារបស់ប្រទេសកម្ពុជា').length).toBeGreaterThan(
      1,
    );
  });

  it('covers the piece with words that are not empty, also over windows', () => {
    const segmenter = dictionarySegmenter('zh');
    const pieces = fc.string({
      unit: fc.constantFrom('我', '喜', '欢', '音', '乐', 'カ', 'a', '1', '𠀀', '😀', '\u0301'),
      maxLength: 900,
    });
    fc.assert(
      fc.property(pieces, (piece) => {
        const found = words(segmenter, piece);
        expect(found.join('')).toBe(piece);
        expect(found).not.toContain('');
      }),
      { numRuns: amount(25, 60) },
    );
  });

  it('cuts a long piece as it cuts a short one, apart from the borders of windows', () => {
    const found = words(dictionarySegmenter('zh'), '我喜欢音乐'.repeat(400));
    expect(found.filter((word) => word === '喜欢')).toHaveLength(400);
    expect(new Set(found)).toEqual(new Set(['我', '喜欢', '音乐']));
  });

  it('takes one word longer than a window in parts, never inside a character', () => {
    const piece = `a${'𝐀'.repeat(1000)}`;
    const found = words(dictionarySegmenter('zh'), piece);
    expect(found.join('')).toBe(piece);
    expect(found.every((word) => !/\p{Surrogate}/u.test(word))).toBe(true);
  });

  it('stops at the word limit', () => {
    expect(words(dictionarySegmenter('th'), 'ภาษาไทย', 1)).toEqual(['ภาษา']);
  });
});

it('takes numeric characters and ASCII punctuation as uncut', () => {
  for (const piece of ['12', '1$2', '½', '①', '٣', '$<>', '１２'])
    expect(isUncut(piece)).toBe(true);
  for (const piece of ['', '1a', '東1', '€1', 'é']) expect(isUncut(piece)).toBe(false);
});
