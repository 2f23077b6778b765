/**
 * Leaves that are skipped because the query cannot match have the same output as leaves that are
 * read (relevance.md 6.3 to 6.5).
 */
import { describe, expect, it } from 'vitest';
import { createAnalyzer } from '../../../../../src/engine/analysis/analyzer.ts';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/model/settings.ts';
import { matchTokens } from '../../../../../src/search/answer/formatting/text-matcher.ts';
import { indexDocuments, indexTexts, search } from '../../../../support/search.ts';
import { matchingWords } from './display.ts';

const TEXTS = [
  'a quiet lamp',
  'LAMP on a desk',
  'Desklamp, swamp',
  'bridge over water',
  'lam p',
  'lamps: 12 left',
  'café lämp',
  'quote " lamp',
  'clamp',
  '',
];

describe('a text that is not read', () => {
  for (const q of ['lamp', 'lamp ', 'l', '"desk lamp"', 'wtaer ', '12', 'bridgeover', 'zzz']) {
    it(`holds no match of ${JSON.stringify(q)}`, () => {
      const words = matchingWords(q, TEXTS);
      const analyzer = createAnalyzer(DEFAULT_SETTINGS);
      for (const text of TEXTS) {
        const utf8 = encodeUtf8(text);
        if (words.mayOccurIn(utf8, 0, utf8.length)) continue;
        expect(
          matchTokens(analyzer.tokenizeForDisplay(utf8, 0, utf8.length, null), words),
          text,
        ).toEqual([]);
      }
    });
  }

  it('is every text without the word, with few exceptions', () => {
    const words = matchingWords('lamp', TEXTS);
    const unread = TEXTS.filter(
      (text) => !words.mayOccurIn(encodeUtf8(text), 0, encodeUtf8(text).length),
    );
    expect(unread).toEqual(['bridge over water', '']);
  });
});

describe('a text that is read in part', () => {
  const long = Array.from({ length: 60 }, (_, i) => `word${i}`).join(', ');
  const formatted = (text: unknown, cropLength: number): unknown => {
    const index = indexTexts({ one: 'lamp', two: text }, { searchableAttributes: ['*'] });
    const [, hit] = search(index, { q: '', attributesToCrop: ['text'], cropLength }).hits;
    return (hit as { _formatted: { text: unknown } })._formatted.text;
  };

  it('is cropped after the requested number of words', () => {
    expect(formatted(long, 3)).toBe('word0, word1, word2…');
    expect(formatted(long, 59)).toBe(`${long.slice(0, long.lastIndexOf(','))}…`);
    expect(formatted(long, 60)).toBe(long);
  });

  it('is complete when it has no more words', () => {
    expect(formatted('a b c', 3)).toBe('a b c');
    expect(formatted('a b c d', 3)).toBe('a b c…');
  });

  it('is cropped when another field matches, and numbers print as they are indexed', () => {
    const documents = [
      {
        id: 1,
        title: 'a lamp',
        text: 'one two three four',
        short: 'as is',
        count: 1e3,
        share: 1.5,
      },
    ];
    const request = {
      q: 'lamp',
      attributesToCrop: ['*'],
      attributesToHighlight: ['*'],
      cropLength: 2,
    };
    const [hit] = search(indexDocuments(documents), request).hits;
    expect((hit as { _formatted: unknown })._formatted).toEqual({
      id: '1',
      title: 'a <em>lamp</em>',
      text: 'one two…',
      short: 'as is',
      count: '1000',
      share: '1.5',
    });
  });
});
