/** relevance.md 1.2 and 1.6: where text is cut, and which separators are hard. */
import { describe, expect, it } from 'vitest';
import { parseRanges } from '../../../../../src/engine/analysis/characters/ranges.ts';
import { Separators } from '../../../../../src/engine/analysis/tokens/separators.ts';
import { amount } from '../../../../support/run-length.ts';
import { analyzerOf, indexed, NO_SETTINGS, shown } from '../analyzed-words.ts';

const analyzer = analyzerOf();
const words = (text: string): string => indexed(analyzer, text).join(' ');

/**
 * The single characters that act as hard between two Latin letters, as the specification lists them
 * (up to U+1FFFF).
 */
const HARD = `21 3b 3f a1 a7 b6 bf 37e 55c-55e 589 5c3 60c 61b 61f 6d4 700-709 7f7-7f9 830-835 838-83e 85e 964-965 df4 e5a-e5b
  f04-f0a f0d-f12 f14 fd0-fd4 104a-104b 10fb 1362-1368 169b-169c 16eb-16ed 1735-1736 17d4-17d6 17d8 17da 1800-1806 1808-1809
  1944-1945 1a1f 1aa8-1aad 1b5a-1b60 1bfc-1bff 1c3b-1c3f 1c7e-1c7f 1cc0-1cc7 203b 203d 204f 2056 205a 2cf9-2cfc 2cfe 2e18 2e2e
  2e41 3001-3002 a4fe-a4ff a60d-a60f a6f2-a6f7 a876-a877 a8ce-a8cf a92f a95f a9c3-a9cd aa5c-aa5f aadf aaf0-aaf1 abeb fe11-fe12
  fe14-fe16 fe45 fe51 fe54 fe56-fe57 ff01 ff1b ff1f ff61 ff64 10857 10a50-10a58 10af0-10af5 10b3a-10b3f 10b99-10b9c 10f55-10f59
  11047-1104d 110be-110c1 11140-11143 11175 111c5-111c6 111cd 111de-111df 11238-11239 1123b-1123c 112a9 1144b-1144d 1145a
  115c2-115c3 115c9-115d7 11641-11642 11660-1166c 1173c-1173e 11944 11946 11a3f-11a46 11a9a-11a9c 11a9e-11aa2 11c41-11c42
  11c70-11c71 11ef7-11ef8 11fff 12471-12474 16a6e-16a6f 16af5 16b37-16b39 16b44 16e97-16e9a 1bc9f 1da87-1da8a 1e95e-1e95f`;

describe('separators', () => {
  it('are hard between Latin letters for exactly the listed characters', () => {
    const expected = new Set(
      parseRanges(HARD).flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i)),
    );
    const utf8 = new TextEncoder();
    const bytes = new Uint8Array(8);
    const ignored = { word: () => undefined };
    const differing: string[] = [];
    const isLooked = (codePoint: number): boolean =>
      [codePoint - 1, codePoint, codePoint + 1].some((each) => expected.has(each)) ||
      codePoint % amount(16, 1) === 0;
    for (let codePoint = 0; codePoint <= 0x1ffff; codePoint++) {
      if ((codePoint >= 0xd800 && codePoint <= 0xdfff) || !isLooked(codePoint)) continue;
      const { written } = utf8.encodeInto(`aa${String.fromCodePoint(codePoint)}bb`, bytes);
      const isHard = analyzer.indexWords(bytes, 0, written, 0, null, ignored) === 8;
      if (isHard !== expected.has(codePoint)) differing.push(codePoint.toString(16));
    }
    expect(differing).toEqual([]);
  });

  it.each([
    ' ',
    '\t',
    '\n',
    '\r',
    '.',
    ',',
    ':',
    '-',
    '_',
    '/',
    "'",
    '"',
    '(',
    ']',
    '{',
    '@',
    '#',
    '%',
    '&',
    '*',
    '+',
    '`',
    '\\',
  ])('are soft for %j', (separator) => expect(words(`aa${separator}bb`)).toBe('aa@0 bb@1'));

  it.each([
    '±',
    '×',
    '÷',
    '−',
    '≤',
    '⋿',
    '–',
    '—',
    '«',
    '»',
    '“',
    '’',
    '\u3000',
    '\u2029',
    '\u200c',
    '\u2002',
  ])('are soft for %s, beyond ASCII', (separator) =>
    expect(words(`aa${separator}bb`)).toBe('aa@0 bb@1'),
  );

  it.each(['$', '<', '=', '>', '^', '|', '~', '€', '¬', '→', '⁄', '\u2028', '°'])(
    'are not what only looks like it: %s',
    (character) => expect(indexed(analyzer, `aa${character}bb`)).toHaveLength(1),
  );

  it.each([0xa0, 0x2000, 0x2001, 0x202f, 0x205f])(
    'leave the space U+%s inside the word',
    (codePoint) => {
      expect(words(`aa${String.fromCodePoint(codePoint)}bb`)).toBe('aa bb@0');
    },
  );

  it.each([0x2011, 0x2e53, 0x2e5d, 0x2226, 0x228e, 0x1f600])('do not include U+%s', (codePoint) => {
    expect(indexed(analyzer, `aa${String.fromCodePoint(codePoint)}bb`)).toHaveLength(1);
  });

  it('make 3.14 two neighbours, and tell a comma with a space from one without', () => {
    expect(words('3.14')).toBe('3@0 14@1');
    expect(words('a,b')).toBe('a@0 b@1');
    expect(words('a, b')).toBe('a@0 b@8');
    expect(words('end.\nNext')).toBe('end@0 next@1');
    expect(words('end. Next')).toBe('end@0 next@8');
  });

  it('take the last dot of a row and the space after it as one', () => {
    expect(shown(analyzer.tokenize('aa ... bb', null))).toEqual([
      'aa',
      'soft: ',
      'soft:.',
      'soft:.',
      'hard:. ',
      'bb',
    ]);
    expect(words('aa ... bb')).toBe('aa@0 bb@8');
  });

  it('are a token each, also in a row', () => {
    expect(shown(analyzer.tokenize('a   b', null))).toEqual([
      'a',
      'soft: ',
      'soft: ',
      'soft: ',
      'b',
    ]);
  });

  it('that decompose to something else are words with a position of their own', () => {
    expect(words('aa…bb')).toBe('aa@0 ...@1 bb@2');
    expect(words('aa‼bb')).toBe('aa@0 !!@1 bb@2');
    expect(words('aa‥bb')).toBe('aa@0 ..@1 bb@2');
    for (const character of ['″', '≠', '∬'])
      expect(words(`aa${character}bb`)).toMatch(/^aa@0 \S+@1 bb@2$/);
  });

  it('include full-width marks by what they decompose to', () => {
    expect(words('aa！bb')).toBe('aa@0 bb@8');
    expect(words('aa，bb')).toBe('aa@0 bb@1');
  });

  it('include a plus sign that stands alone in its script group, but not one inside a piece', () => {
    expect(words('aa＋bb')).toBe('aa@0 bb@1');
    expect(words('12＋34')).toBe('12+34@0');
  });

  it('leave room for words of signs and marks between groups', () => {
    expect(words('aa＜bb')).toBe('aa@0 <@1 bb@2');
    expect(words('aa\ufeffbb')).toBe('aa@0 \ufeff@1 bb@2');
  });

  it('do not include control characters, which vanish; NUL cuts and leaves nothing', () => {
    expect(words('aa\u0001bb')).toBe('aabb@0');
    expect(words('aa\u007f\u0080bb')).toBe('aabb@0');
    expect(words('aa\u0000bb')).toBe('aa@0 bb@1');
    expect(words('aa!\u0000bb')).toBe('aa@0 bb@8');
    expect(words('aa\u000bbb')).toBe('aa\u000bbb@0');
  });

  it('take the Khmer abbreviation as one hard separator', () => {
    expect(shown(analyzer.tokenize('1។ល។2', null))).toEqual(['1', 'hard:។ល។', '2']);
    expect(words('1។ល។2')).toBe('1@0 2@8');
    expect(words('1។2')).toBe('1@0 2@8');
  });
});

describe('separator settings', () => {
  it('share the default separators, unless a stop word is one', () => {
    const shared = Separators.of(NO_SETTINGS, new Set());
    expect(Separators.of({ ...NO_SETTINGS, stopWords: ['the'] }, new Set(['the']))).toBe(shared);
    expect(Separators.of({ ...NO_SETTINGS, separatorTokens: ['$'] }, new Set())).not.toBe(shared);
    expect(Separators.of({ ...NO_SETTINGS, dictionary: ['a'] }, new Set())).not.toBe(shared);
    expect(indexed(analyzerOf({ stopWords: ['&'] }), 'a & b')).toEqual(['a@0', 'b@2']);
    expect(words('a & b')).toBe('a@0 b@1');
  });

  it('add separators, which are soft', () => {
    expect(indexed(analyzerOf({ separatorTokens: ['$'] }), 'aa$bb')).toEqual(['aa@0', 'bb@1']);
    expect(indexed(analyzerOf({ separatorTokens: ['<br>'] }), 'aa<br>bb<b')).toEqual([
      'aa@0',
      'bb<b@1',
    ]);
  });

  it('take the longest of the separators that begin at one place', () => {
    const several = analyzerOf({ separatorTokens: ['||', '|', '|||'] });
    expect(shown(several.tokenize('a||||b', null))).toEqual(['a', 'soft:|||', 'soft:|', 'b']);
  });

  it('match separators on raw text and classify on the decomposed lemma', () => {
    const custom = analyzerOf({ separatorTokens: ['é', 'x'] });
    expect(indexed(custom, 'aéb')).toEqual(['a@0', 'e@1', 'b@2']);
    expect(indexed(custom, 'axbXc')).toEqual(['a@0', 'bxc@1']);
  });

  it('keep a built-in hard separator hard when it is added again', () => {
    expect(indexed(analyzerOf({ separatorTokens: [';'] }), 'aa;bb')).toEqual(['aa@0', 'bb@8']);
  });

  it('take separators away', () => {
    const kept = analyzerOf({ nonSeparatorTokens: ['#', '@', '_'] });
    expect(indexed(kept, '#tag a_b me@home')).toEqual(['#tag@0', 'a_b@1', 'me@home@2']);
    expect(indexed(kept, 'é#tag #é')).toEqual(['e#tag@0', '#e@1']);
  });

  it('keep dot and space a separator when the dot alone is none', () => {
    const kept = analyzerOf({ nonSeparatorTokens: ['.'] });
    expect(indexed(kept, 'a.b. c')).toEqual(['a.b@0', 'c@8']);
    expect(indexed(kept, 'é.b. c.')).toEqual(['e.b@0', 'c.@8']);
  });

  it('can take dot and space away as well', () => {
    expect(indexed(analyzerOf({ nonSeparatorTokens: ['. '] }), 'a. b, c')).toEqual([
      'a@0',
      'b@1',
      'c@9',
    ]);
  });

  it('remove what they also add', () => {
    expect(
      indexed(analyzerOf({ separatorTokens: ['$'], nonSeparatorTokens: ['$'] }), 'aa$bb'),
    ).toEqual(['aa$bb@0']);
  });

  it('ignore the empty string', () => {
    const empty = analyzerOf({
      separatorTokens: [''],
      nonSeparatorTokens: [''],
      dictionary: [''],
      stopWords: [''],
    });
    expect(indexed(empty, 'a b')).toEqual(['a@0', 'b@1']);
  });

  it('keep dictionary entries whole wherever they occur in raw text', () => {
    const dictionary = analyzerOf({ dictionary: ['J. R. R.'] });
    expect(indexed(dictionary, 'J. R. R. Tolkien')).toEqual(['j. r. r.@0', 'tolkien@1']);
    expect(indexed(dictionary, 'j. r. r. Tolkien')).toEqual(['j@0', 'r@8', 'r@16', 'tolkien@24']);
    expect(indexed(analyzerOf({ dictionary: ['cat'] }), 'concatenate')).toEqual([
      'con@0',
      'cat@1',
      'enate@2',
    ]);
    expect(indexed(analyzerOf({ dictionary: ['é'] }), 'aéb aeb')).toEqual([
      'a@0',
      'e@1',
      'b@2',
      'aeb@3',
    ]);
  });

  it('prefer a longer dictionary entry to a separator that begins at the same place', () => {
    expect(indexed(analyzerOf({ dictionary: ['.net', '. net'] }), 'a .net b. net')).toEqual([
      'a@0',
      '.net@1',
      'b@2',
      '. net@3',
    ]);
  });
});
