/** Tokens whose kind is known without normalising their piece are those that normalising gives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LanguageChoice } from '../../../../../src/engine/analysis/languages/languages.ts';
import { DisplayTokens } from '../../../../../src/engine/analysis/tokens/display-tokens.ts';
import { Normalizer } from '../../../../../src/engine/analysis/tokens/normalizer.ts';
import { Separators } from '../../../../../src/engine/analysis/tokens/separators.ts';
import {
  type AnalyzerSettings,
  TokenKind,
} from '../../../../../src/engine/analysis/tokens/token.ts';
import { Tokenizer, type VisitPiece } from '../../../../../src/engine/analysis/tokens/tokenizer.ts';
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
  readonly known: (text: string) => ShownToken[];
  readonly normalised: (text: string) => ShownToken[];
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
  const tokenizer = new Tokenizer(separators);
  const tokens = new DisplayTokens();
  const normalised = (text: string): ShownToken[] => {
    const utf8 = encodeUtf8(text);
    const pieces: ShownToken[] = [];
    tokenizer.forEachPiece(utf8, 0, utf8.length, choice, (start, end, script, language) => {
      const piece = decodeUtf8(utf8, start, end);
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
  const known = (text: string): ShownToken[] => {
    const utf8 = encodeUtf8(text);
    tokens.begin(utf8, 0);
    const visit: VisitPiece = (start, end, script, language) => {
      const piece = decodeUtf8(utf8, start, end);
      tokens.addNormalized(end, piece, normalizer.normalize(piece, script, language));
      return true;
    };
    tokenizer.forEachPiece(utf8, 0, utf8.length, choice, visit, tokens);
    return shown(tokens, utf8);
  };
  return { known, normalised };
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

describe('known kinds', () => {
  it.each(SETTINGS)('are those of normalising for settings %#', (settings) => {
    const { known, normalised } = waysOf(settings);
    fc.assert(
      fc.property(latinTexts, (text) => {
        expect(known(text)).toEqual(normalised(text));
      }),
      { numRuns: amount(200, 6000) },
    );
  });

  it('are those of normalising whatever the text and the locales', () => {
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
      fc.property(texts, fc.constantFrom(...ways), (text, { known, normalised }) => {
        expect(known(text)).toEqual(normalised(text));
      }),
      { numRuns: amount(200, 6000) },
    );
  });
});
