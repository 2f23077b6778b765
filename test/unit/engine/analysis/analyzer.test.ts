/**
 * The contract of the analyzer: tokens with their place in the text, display tokens, whole
 * normalisation.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenKind } from '../../../../src/engine/analysis/tokens/token.ts';
import { decodeUtf8, encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { amount } from '../../../support/run-length.ts';
import { analyzerOf, indexed, shown } from './analyzed-words.ts';

const analyzer = analyzerOf();

interface ShownWord {
  readonly text: string;
  readonly lemma: string;
  /**
   * The parts of the text that the first characters of the lemma stand for: one, two … all of them.
   */
  readonly beginnings: readonly string[];
}

function shownWords(text: string): ShownWord[] {
  const utf8 = encodeUtf8(text);
  const tokens = analyzer.tokenizeForDisplay(utf8, 0, utf8.length, null);
  const part = (start: number, end: number): string => decodeUtf8(utf8, start, end);
  return Array.from({ length: tokens.length }, (_, i) => {
    const lemma = tokens.lemma(i);
    const beginnings = Array.from(lemma, (_, c) =>
      part(tokens.start(i), tokens.endOfCharacters(i, c + 1)),
    );
    return { text: part(tokens.start(i), tokens.end(i)), lemma, beginnings };
  }).filter((_, i) => !tokens.isSeparator(i));
}

describe('tokenize', () => {
  it('gives words, soft and hard separators with their ranges', () => {
    expect(analyzer.tokenize('Hi, you!', null)).toEqual([
      { lemma: 'hi', kind: TokenKind.word, start: 0, end: 2 },
      { lemma: ', ', kind: TokenKind.hardSeparator, start: 2, end: 4 },
      { lemma: 'you', kind: TokenKind.word, start: 4, end: 7 },
      { lemma: '!', kind: TokenKind.hardSeparator, start: 7, end: 8 },
    ]);
  });

  it('covers the text', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'É', 'œ', 'e\u0301', ' ', ', ', '東', 'ا', 'ﷺ', '…', '\0', '\ud800'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        let at = 0;
        for (const { start, end } of analyzer.tokenize(text, null)) {
          expect(start).toBe(at);
          at = end;
        }
        expect(at).toBe(text.length);
      }),
    );
  });

  it('keeps CamelCase words whole and cuts snake_case at the underscore', () => {
    expect(indexed(analyzer, 'CamelCase snake_case')).toEqual(['camelcase@0', 'snake@1', 'case@2']);
  });

  it('does not trim query words: a no-break space stays at the edge', () => {
    expect(shown(analyzer.tokenize('cat\u00a0 dog', null))).toEqual(['cat ', 'soft: ', 'dog']);
    expect(indexed(analyzer, 'cat\u00a0')).toEqual(['cat@0']);
  });

  it('replaces half of a surrogate pair', () => {
    expect(shown(analyzer.tokenize('a\ud800b', null))).toEqual(['a\ufffdb']);
  });

  it('does not lower-case full-width letters, whose group is not Latin', () => {
    expect(shown(analyzer.tokenize('ＡＢc', null))).toEqual(['AB', 'c']);
  });

  it('marks stop words, with case; display takes them as words', () => {
    const withStopWords = analyzerOf({ stopWords: ['the', 'École', '&', '的'] });
    const text = 'the The école École & 的';
    expect(shown(withStopWords.tokenize(text, null)).filter((token) => token !== 'soft: ')).toEqual(
      ['stop:the', 'the', 'ecole', 'stop:ecole', 'stop:&', 'stop:的'],
    );
    const utf8 = encodeUtf8(text);
    const tokens = withStopWords.tokenizeForDisplay(utf8, 0, utf8.length, null);
    const isSeparator = Array.from({ length: tokens.length }, (_, i) => tokens.isSeparator(i));
    expect(isSeparator).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('gives no token for the empty text', () => {
    expect(analyzer.tokenize('', null)).toEqual([]);
  });

  it('takes 1 MB of a query without trouble', () => {
    expect(analyzer.tokenize('é'.repeat(500_000), null)).toHaveLength(1);
    expect(analyzer.tokenize('é '.repeat(50_000), null)).toHaveLength(100_000);
  });
});

describe('tokenizeForDisplay', () => {
  it('gives the tokens of tokenize, whatever the scripts', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'B', 'é', '.', ' ', '–', '1', '東', '京', 'я', 'α', 'ا', 'ไ', '"'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        const utf8 = encodeUtf8(text);
        const tokens = analyzer.tokenizeForDisplay(utf8, 0, utf8.length, null);
        const shown = Array.from({ length: tokens.length }, (_, i) => [
          decodeUtf8(utf8, tokens.start(i), tokens.end(i)),
          tokens.kind(i),
          tokens.isSeparator(i) ? null : tokens.lemma(i),
        ]);
        expect(shown).toEqual(
          analyzer
            .tokenize(text, null)
            .map(({ start, end, kind, lemma }) => [
              text.slice(start, end),
              kind,
              kind >= TokenKind.softSeparator ? null : lemma,
            ]),
        );
      }),
      { numRuns: amount(150, 500) },
    );
  });

  it('maps the first lemma characters back to the text: westfali marks Westfáli', () => {
    const [word] = shownWords('Westfália');
    expect(word?.lemma).toBe('westfalia');
    expect(word?.beginnings[7]).toBe('Westfáli');
  });

  it.each(['', '東 '])(
    'maps lemma characters back where the numbers of characters differ, after %j',
    (before) => {
      const words = shownWords(`${before}un cœur, e\u0301te\u0301s ﬁn 😀é`).slice(-5);
      expect(words.map(({ lemma }) => lemma)).toEqual(['un', 'coeur', 'etes', 'fin', '😀e']);
      expect(words.map(({ beginnings }) => beginnings[1])).toEqual([
        'un',
        'cœ',
        'e\u0301t',
        'ﬁ',
        '😀é',
      ]);
    },
  );

  it('maps the beginnings of lemmas to beginnings of tokens, each longer than the one before or as long', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'É', 'œ', 'e\u0301', ' ', ', ', '東', 'ا', 'ﷺ', '…', '\0'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        for (const { text: piece, beginnings } of shownWords(text)) {
          for (const [i, beginning] of beginnings.entries()) {
            expect(beginning).not.toBe('');
            expect(piece.startsWith(beginning)).toBe(true);
            expect(beginning.length).toBeGreaterThanOrEqual(beginnings[i - 1]?.length ?? 0);
          }
        }
      }),
    );
  });
});

describe('normalizeWhole', () => {
  it('normalises without cutting', () => {
    expect(analyzer.normalizeWhole('Jane  AUSTEN-Ébène', null)).toBe('jane  austen-ebene');
    expect(analyzer.normalizeWhole('', null)).toBe('');
  });

  it('treats each script by its own rules', () => {
    expect(analyzer.normalizeWhole('Tokyo 東京 МОСКВА', null)).toBe('tokyo 东京 москва');
    expect(analyzer.normalizeWhole('أحمد', null)).toBe('احمد');
  });

  it('follows a forced language', () => {
    expect(analyzer.normalizeWhole('Trä', ['swe'])).toBe('trä');
    expect(analyzer.normalizeWhole('Trä', null)).toBe('tra');
  });

  it('keeps stop words and separators', () => {
    expect(analyzerOf({ stopWords: ['The'] }).normalizeWhole('The, end.', null)).toBe('the, end.');
  });
});
