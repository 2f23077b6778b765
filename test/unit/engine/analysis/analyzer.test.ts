/** The contract of the analyzer: tokens with their place in the text, display tokens, whole normalisation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Token, TokenKind } from '../../../../src/engine/analysis/token.ts';
import { analyzerOf, indexed, shown } from './analyzed-words.ts';

const analyzer = analyzerOf();

/** The part of the text that the first `count` lemma characters stand for. */
function marked(text: string, token: Token, count: number): string {
  const end = token.lemmaEnds?.[count - 1] ?? token.start + [...token.lemma].slice(0, count).join('').length;
  return text.slice(token.start, end);
}

describe('tokenize', () => {
  it('gives words, soft and hard separators with their ranges', () => {
    expect(analyzer.tokenize('Hi, you!', null)).toEqual([
      { lemma: 'hi', kind: TokenKind.word, start: 0, end: 2, lemmaEnds: null },
      { lemma: ', ', kind: TokenKind.hardSeparator, start: 2, end: 4, lemmaEnds: null },
      { lemma: 'you', kind: TokenKind.word, start: 4, end: 7, lemmaEnds: null },
      { lemma: '!', kind: TokenKind.hardSeparator, start: 7, end: 8, lemmaEnds: null },
    ]);
  });

  it('maps the first lemma characters back to the text: westfali marks Westfáli', () => {
    const [token] = analyzer.tokenize('Westfália', null);
    expect(token?.lemma).toBe('westfalia');
    expect(marked('Westfália', token!, 8)).toBe('Westfáli');
  });

  it('maps lemma characters back where the numbers of characters differ', () => {
    const text = 'un cœur, e\u0301te\u0301s ﬁn 😀é';
    const tokens = analyzer.tokenize(text, null).filter(({ kind }) => kind === TokenKind.word);
    expect(tokens.map(({ lemma }) => lemma)).toEqual(['un', 'coeur', 'etes', 'fin', '😀e']);
    expect(tokens.map((token) => marked(text, token, 2))).toEqual(['un', 'cœ', 'e\u0301t', 'ﬁ', '😀é']);
  });

  it('covers the text, with as many ends as lemma characters, each within the token', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'É', 'œ', 'e\u0301', ' ', ', ', '東', 'ا', 'ﷺ', '…', '\0', '\ud800'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (text) => {
        let at = 0;
        for (const { lemma, start, end, lemmaEnds } of analyzer.tokenize(text, null)) {
          expect(start).toBe(at);
          at = end;
          if (lemmaEnds === null) continue;
          expect(lemmaEnds).toHaveLength([...lemma].length);
          expect(
            lemmaEnds.every((offset, i) => offset > start && offset <= end && offset >= (lemmaEnds[i - 1] ?? 0)),
          ).toBe(true);
        }
        expect(at).toBe(text.length);
      }),
      { numRuns: 200 },
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
    expect(shown(withStopWords.tokenize(text, null)).filter((token) => token !== 'soft: ')).toEqual([
      'stop:the',
      'the',
      'ecole',
      'stop:ecole',
      'stop:&',
      'stop:的',
    ]);
    expect(shown(withStopWords.tokenizeForDisplay(text, null)).filter((token) => token !== 'soft: ')).toEqual([
      'the',
      'the',
      'ecole',
      'ecole',
      'soft:&',
      '的',
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

describe('normalizeWhole', () => {
  it('normalises without cutting', () => {
    expect(analyzer.normalizeWhole('Jane  AUSTEN-Ébène', null)).toBe('jane  austen-ebene');
    expect(analyzer.normalizeWhole('', null)).toBe('');
  });

  it('treats each script by its own rules', () => {
    expect(analyzer.normalizeWhole('Tokyo 東京 МОСКВА', null)).toBe('tokyo 東京 москва');
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
