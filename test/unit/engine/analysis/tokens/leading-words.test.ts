/**
 * The first words of a text, found by its bytes, end where the tokens say (relevance.md 1.1, 1.2,
 * 6.5).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnalyzerSettings } from '../../../../../src/engine/analysis/tokens/token.ts';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { amount } from '../../../../support/run-length.ts';
import { analyzerOf } from '../analyzed-words.ts';

interface Ends {
  readonly byBytes: number;
  readonly byTokens: number;
}

function endsOf(text: string, count: number, analyzer = analyzerOf()): Ends {
  const utf8 = encodeUtf8(text);
  const tokens = analyzer.tokenizeForDisplay(utf8, 0, utf8.length, null);
  const wordNumbers = Array.from({ length: tokens.length }, (_, i) => i).filter(
    (i) => !tokens.isSeparator(i),
  );
  const last = wordNumbers[count - 1];
  return {
    byBytes: analyzer.endOfWords(utf8, 0, utf8.length, count),
    byTokens: last === undefined ? utf8.length : tokens.end(last),
  };
}

describe('endOfWords', () => {
  it('is the end of the last word asked for, and of the text when it has no more', () => {
    expect(endsOf('"One, two." Three', 2)).toEqual({ byBytes: 9, byTokens: 9 });
    expect(endsOf('one two. ', 2)).toEqual({ byBytes: 7, byTokens: 7 });
    expect(endsOf('one two. ', 3)).toEqual({ byBytes: 9, byTokens: 9 });
    expect(endsOf('', 1)).toEqual({ byBytes: 0, byTokens: 0 });
  });

  it('handles accents, dashes and quotes', () => {
    expect(endsOf('L’été – “déjà” ici', 3)).toEqual({ byBytes: 23, byTokens: 23 });
  });

  it('leaves to tokens what needs them', () => {
    for (const text of ['東京', 'a\u00a0b', 'x… y', '\u0001', '€', 'ſ', '😀'])
      expect(endsOf(text, 3).byBytes, text).toBe(-1);
    expect(endsOf('a.b c', 3, analyzerOf({ dictionary: ['a.b'] })).byBytes).toBe(-1);
  });

  it.each<Partial<AnalyzerSettings>>([
    {},
    { separatorTokens: ['x', '--', 'é'], nonSeparatorTokens: ['.', '-'], dictionary: ['a.B', '1'] },
    { separatorTokens: ['s', 'e\u0301'], nonSeparatorTokens: ['. '] },
    { stopWords: ['a', '!', ','] },
  ])('agrees with the tokens wherever it answers, settings %#', (settings) => {
    const analyzer = analyzerOf(settings);
    const units = [
      'a',
      'B',
      'é',
      'ﬁ',
      'ſ',
      's',
      '1',
      '.',
      ',',
      ' ',
      '-',
      '"',
      '!',
      '…',
      '–',
      '\u00a0',
      '\0',
      '\n',
      'x',
      '東',
      '€',
    ];
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom(...units), fc.string({ unit: 'grapheme', maxLength: 1 })),
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 4 }), (text, count) => {
        const { byBytes, byTokens } = endsOf(text, count, analyzer);
        if (byBytes >= 0) expect(byBytes).toBe(byTokens);
      }),
      { numRuns: amount(200, 6000) },
    );
  });
});
