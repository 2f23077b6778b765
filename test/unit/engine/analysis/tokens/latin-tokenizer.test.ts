/**
 * The short way to tokens gives what the general way gives, and leaves to that what it cannot do.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LanguageChoice } from '../../../../../src/engine/analysis/languages/languages.ts';
import { DisplayTokens } from '../../../../../src/engine/analysis/tokens/display-tokens.ts';
import { LatinTokenizer } from '../../../../../src/engine/analysis/tokens/latin-tokenizer.ts';
import { Normalizer } from '../../../../../src/engine/analysis/tokens/normalizer.ts';
import { Separators } from '../../../../../src/engine/analysis/tokens/separators.ts';
import {
  type AnalyzerSettings,
  TokenKind,
} from '../../../../../src/engine/analysis/tokens/token.ts';
import {
  Tokenizer,
  utf8ScriptGroups,
} from '../../../../../src/engine/analysis/tokens/tokenizer.ts';
import { decodeUtf8, encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { amount } from '../../../../support/run-length.ts';
import { NO_SETTINGS } from '../analyzed-words.ts';

interface ShownToken {
  readonly text: string;
  readonly kind: TokenKind;
  /** null for separators, whose lemma is unused. */
  readonly lemma: string | null;
  /** Ends of the first characters of the lemma, as parts of the text. */
  readonly beginnings: readonly string[];
}

interface Ways {
  readonly short: (text: string) => ShownToken[] | null;
  readonly general: (text: string) => ShownToken[];
}

function shown(tokens: DisplayTokens, utf8: Uint8Array): ShownToken[] {
  return Array.from({ length: tokens.length }, (_, i) => {
    const isSeparator = tokens.isSeparator(i);
    const lemma = isSeparator ? null : tokens.lemma(i);
    const beginnings = Array.from(lemma ?? '', (_, c) =>
      decodeUtf8(utf8, tokens.start(i), tokens.endOfCharacters(i, c + 1)),
    );
    return {
      text: decodeUtf8(utf8, tokens.start(i), tokens.end(i)),
      kind: tokens.kind(i),
      lemma,
      beginnings,
    };
  });
}

function waysOf(settings: AnalyzerSettings, locales: readonly string[] | null = null): Ways {
  const separators = Separators.of(settings, new Set(settings.stopWords));
  const normalizer = new Normalizer({
    isStopWord: () => false,
    kindOfSeparator: (text) => separators.kindOf(text),
  });
  const choice = new LanguageChoice(locales);
  const latin = new LatinTokenizer(separators, normalizer);
  const tokens = new DisplayTokens();
  const general = (text: string): ShownToken[] => {
    const pieces: ShownToken[] = [];
    new Tokenizer(separators).forEachPiece(text, choice, (start, end, script, language) => {
      const piece = text.slice(start, end);
      const { kind, lemma, ends } = normalizer.normalize(piece, script, language);
      const isSeparator = kind === TokenKind.softSeparator || kind === TokenKind.hardSeparator;
      const characters = Array.from(lemma);
      const unitsTo = (c: number): number =>
        ends?.[c] ?? characters.slice(0, c + 1).join('').length;
      const beginnings = isSeparator ? [] : characters.map((_, c) => piece.slice(0, unitsTo(c)));
      pieces.push({ text: piece, kind, lemma: isSeparator ? null : lemma, beginnings });
      return true;
    });
    return pieces;
  };
  const short = (text: string): ShownToken[] | null => {
    const utf8 = encodeUtf8(text);
    tokens.begin(utf8, 0);
    for (const group of utf8ScriptGroups(utf8, 0, utf8.length, separators))
      if (!latin.tokenize(utf8, group, choice, tokens)) return null;
    return shown(tokens, utf8);
  };
  return { short, general };
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
  {
    ...NO_SETTINGS,
    separatorTokens: ['x', '--', 'é'],
    nonSeparatorTokens: ['.', '-'],
    dictionary: ['a.B', '1', '"'],
  },
  { ...NO_SETTINGS, stopWords: ['a', '!', ','] },
];

describe('LatinTokenizer', () => {
  it.each(SETTINGS)('gives the tokens of the general way for settings %#', (settings) => {
    const { short, general } = waysOf(settings);
    fc.assert(
      fc.property(latinTexts, (text) => {
        expect(short(text)).toEqual(general(text));
      }),
      { numRuns: amount(200, 6000) },
    );
  });

  it('agrees wherever it answers, whatever the text and the locales', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...PARTS, 'ß', 'å', 'я'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
    });
    const ways = [['deu'], ['swe'], ['fra'], ['fra', 'swe'], []].map((locales) =>
      waysOf(NO_SETTINGS, locales),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(...ways), (text, { short, general }) => {
        const tokens = short(text);
        if (tokens) expect(tokens).toEqual(general(text));
      }),
      { numRuns: amount(200, 6000) },
    );
  });

  it('leaves other scripts and detected languages to the general way', () => {
    const { short } = waysOf(NO_SETTINGS);
    for (const text of ['tea 東京', 'да']) expect(short(text)).toBeNull();
    expect(waysOf(NO_SETTINGS, ['swe', 'fra']).short('hus')).toBeNull();
  });
});
