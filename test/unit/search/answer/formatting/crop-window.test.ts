/** Crop windows: the algorithm of relevance.md 6.5 step by step. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { cropWindow } from '../../../../../src/search/answer/formatting/crop-window.ts';
import { matchTokens } from '../../../../../src/search/answer/formatting/text-matcher.ts';
import { amount } from '../../../../support/run-length.ts';
import { bytesOf, matched, matchingWords, tokensOf } from './display.ts';

function crop(query: string, text: string, words: number): string {
  const { tokens, matches } = matched(query, text);
  const { start, end } = cropWindow(tokens, matches, words);
  return `${start > 0 ? '…' : ''}${bytesOf(text, start, end)}${end < encodeUtf8(text).length ? '…' : ''}`;
}

const COUNTING = 'zero one two three four five six seven eight nine ten eleven twelve';

describe('cropWindow', () => {
  it('shows the beginning when nothing matches, leading punctuation included', () => {
    expect(crop('zzz', '"(one) two three', 2)).toBe('"(one) two…');
    expect(crop('', 'one two', 2)).toBe('one two');
    expect(crop('', '', 2)).toBe('');
  });

  it('grows around the best interval on both sides', () => {
    expect(crop('green lamp', 'one two three a green lamp on the wall today', 4)).toBe(
      '…a green lamp on…',
    );
  });

  it('takes the left word first when one is left to add', () => {
    expect(crop('lamp ', 'a green lamp on the wall', 2)).toBe('…green lamp…');
  });

  it('grows on the other side at an end of the text', () => {
    expect(crop('green ', 'green lamp on the wall', 3)).toBe('green lamp on…');
    expect(crop('wall ', 'green lamp on the wall', 3)).toBe('…on the wall');
  });

  it('does not cross a hard separator while the other side is soft', () => {
    expect(crop('green ', 'one two. green lamp on the wall', 3)).toBe('…green lamp on…');
    expect(crop('green ', 'one two green. lamp on the wall', 3)).toBe('one two green…');
  });

  it('prefers most distinct query words, then closeness, then query order', () => {
    expect(crop('cat dog', 'cat cat cat one two three four five cat dog', 3)).toBe('…five cat dog');
    expect(crop('cat dog', 'cat x dog one two three four cat dog y', 4)).toBe('…four cat dog y');
    expect(crop('cat dog ', 'dog cat one two three four cat dog', 2)).toBe('…cat dog');
  });

  it('does not move on to a last match that fills the window alone', () => {
    expect(crop('"c d" a ', 'a a x y z c d', 2)).toBe('a a…');
    expect(crop('"c d" a ', 'a a x y c d z', 3)).toBe('…y c d…');
  });

  it('passes over a phrase that is longer than the window for any other match', () => {
    expect(crop('"a b c" d ', 'a b c x y d z', 2)).toBe('…y d…');
    expect(crop('"a b" d e ', 'a b x d y e', 1)).toBe('…d…');
  });

  it('counts words of Chinese, not characters, and never parts one', () => {
    expect(crop('', '我们中国人民的生活', 2)).toBe('我们中国…');
    expect(crop('活 ', '我们中国人民的生活', 2)).toBe('…的生活');
    expect(crop('国 ', '我们中国人民的生活', 1)).toBe('…中国…');
    expect(crop('中国 生活 ', '我们中国人民的生活', 4)).toBe('…中国人民的生活');
    expect(crop('"国人民的生" ', '我们中国人民的生活', 2)).toBe('我们中国人民…');
  });

  it('keeps the first of equals', () => {
    expect(crop('cat ', 'cat one two three cat', 2)).toBe('cat one…');
  });

  it('cuts a phrase that is longer than the window at its end and shows what comes before it', () => {
    const phrase = '"three four five six seven"';
    expect(crop(phrase, COUNTING, 1)).toBe('zero one two three…');
    expect(crop(phrase, COUNTING, 2)).toBe('zero one two three four…');
    expect(crop(phrase, COUNTING, 5)).toBe('…three four five six seven…');
    expect(crop('"zero one two" ', COUNTING, 2)).toBe('zero one…');
  });

  it('shows texts whole that are short enough', () => {
    expect(crop('two ', 'one two three', 50)).toBe('one two three');
  });

  it('takes time in proportion to the text, however large the window', () => {
    const text = 'cat dog '.repeat(60_000);
    const { tokens, matches } = matched('cat dog ', text);
    const { start, end } = cropWindow(tokens, matches, 30_000);
    expect([start, text.slice(start, end).split(' ').length]).toEqual([0, 30_000]);
  });

  it('holds as many words as asked, never more, and contains a match', () => {
    const words = matchingWords('aa "b c" d', ['aa b c d']);
    const texts = fc.array(
      fc.constantFrom('aa', 'b', 'c', 'd', 'x', 'y', ' ', ' ', ' ', '. ', '-', '東京'),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 12 }), (parts, wordsMax) => {
        const text = parts.join('');
        const tokens = tokensOf(text);
        const matches = matchTokens(tokens, words);
        const { start, end } = cropWindow(tokens, matches, wordsMax);
        const wordNumbers = Array.from({ length: tokens.length }, (_, i) => i).filter(
          (i) => !tokens.isSeparator(i),
        );
        const wordCount = (from: number, to: number): number =>
          wordNumbers.filter((i) => tokens.start(i) >= from && tokens.end(i) <= to).length;
        expect(wordCount(start, end)).toBe(
          Math.min(wordsMax, wordCount(0, encodeUtf8(text).length)),
        );
        if (matches.length > 0)
          expect(matches.some((m) => m.start >= start && m.end <= end)).toBe(true);
      }),
      { numRuns: amount(300, 1000) },
    );
  });
});
