/** The short way to tokens gives what the general way gives, and leaves to that what it cannot do. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LanguageChoice } from '../../../../src/engine/analysis/languages.ts';
import { latinTokens } from '../../../../src/engine/analysis/latin-tokens.ts';
import { Normalizer } from '../../../../src/engine/analysis/normalizer.ts';
import { Separators } from '../../../../src/engine/analysis/separators.ts';
import type { AnalyzerSettings, Token } from '../../../../src/engine/analysis/token.ts';
import { Tokenizer } from '../../../../src/engine/analysis/tokenizer.ts';
import { NO_SETTINGS } from './analyzed-words.ts';

interface Ways {
  readonly short: (text: string) => Token[] | null;
  readonly general: (text: string) => Token[];
}

function waysOf(settings: AnalyzerSettings, locales: readonly string[] | null = null): Ways {
  const separators = Separators.of(settings, new Set(settings.stopWords));
  const normalizer = new Normalizer({ isStopWord: () => false, kindOfSeparator: (text) => separators.kindOf(text) });
  const choice = new LanguageChoice(locales);
  const general = (text: string): Token[] => {
    const tokens: Token[] = [];
    new Tokenizer(separators).forEachPiece(text, choice, (start, end, script, language) => {
      const { kind, lemma, ends } = normalizer.normalize(text.slice(start, end), script, language);
      tokens.push({ lemma, kind, start, end, lemmaEnds: ends?.map((offset) => start + offset) ?? null });
      return true;
    });
    return tokens;
  };
  return { short: (text) => latinTokens(text, choice, separators, normalizer), general };
}

const PARTS = [
  'a',
  'B',
  'é',
  'ﬁ',
  'Ö',
  'ı',
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
  '\u0001',
  '\n',
  '+',
  'x',
];
const latinTexts = fc.string({ unit: fc.constantFrom(...PARTS) });
const SETTINGS: readonly AnalyzerSettings[] = [
  NO_SETTINGS,
  { ...NO_SETTINGS, separatorTokens: ['x', '--', 'é'], nonSeparatorTokens: ['.', '-'], dictionary: ['a.B', '1', '"'] },
  { ...NO_SETTINGS, stopWords: ['a', '!', ','] },
];

describe('latinTokens', () => {
  it.each(SETTINGS)('gives the tokens of the general way for settings %#', (settings) => {
    const { short, general } = waysOf(settings);
    fc.assert(
      fc.property(latinTexts, (text) => {
        expect(short(text)).toEqual(general(text));
      }),
      { numRuns: 1500 },
    );
  });

  it('agrees wherever it answers, whatever the text and the locales', () => {
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom(...PARTS, 'ß', 'å', 'я'), fc.string({ unit: 'binary', maxLength: 1 })),
    });
    const ways = [['deu'], ['swe'], ['fra'], ['fra', 'swe'], []].map((locales) => waysOf(NO_SETTINGS, locales));
    fc.assert(
      fc.property(texts, fc.constantFrom(...ways), (text, { short, general }) => {
        const tokens = short(text);
        if (tokens) expect(tokens).toEqual(general(text));
      }),
      { numRuns: 1500 },
    );
  });

  it('leaves other scripts, characters beyond the basic plane and detected languages to the general way', () => {
    const { short } = waysOf(NO_SETTINGS);
    for (const text of ['tea 東京', 'да', 'x 😀', 'a\ud800']) expect(short(text)).toBeNull();
    expect(waysOf(NO_SETTINGS, ['swe', 'fra']).short('hus')).toBeNull();
  });
});
