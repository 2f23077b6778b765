/**
 * The byte path for documents (relevance.md 1.3): its words and positions are those of the position
 * rules applied to the tokens of the same text, for random Unicode, real texts, and any settings;
 * and it stays linear on hostile input.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Analyzer } from '../../../../../src/engine/analysis/analyzer.ts';
import { amount } from '../../../../support/run-length.ts';
import { analyzerOf, indexed, positionsOf } from '../analyzed-words.ts';

const DATA = new URL('../../../../../../shared/data/', import.meta.url);

const expectSame = (
  analyzer: Analyzer,
  text: string,
  locales: readonly string[] | null = null,
): void => {
  expect(indexed(analyzer, text, locales)).toEqual(positionsOf(analyzer.tokenize(text, locales)));
};

const FRAGMENTS = [
  'a',
  'Z',
  'the',
  'The',
  'word',
  '1',
  '42',
  '.',
  ',',
  '. ',
  ', ',
  ' ',
  '  ',
  '-',
  '_',
  '!',
  '?',
  '$',
  '<',
  '\t',
  '\n',
  '\0',
  '\x01',
  '\x0b',
  '\x7f',
  '\u0080',
  '\u0085',
  '\u00a0',
  'é',
  'E\u0301',
  'ß',
  'œ',
  'Æ',
  'İ',
  'ı',
  'Đ',
  '’',
  '“',
  '…',
  '‼',
  '≠',
  'ﬁ',
  '①',
  '½',
  '\ufeff',
  '\ufffd',
  'я',
  'Й',
  'ё',
  'λόγος',
  'Σ',
  'ἀ',
  'שָׁלוֹם',
  'ال',
  'السلام',
  'إ',
  'كتابي',
  'گچ',
  'ـ',
  '،',
  '؟',
  '東京',
  '国',
  'ラーメン',
  'ひらがな',
  '。',
  '、',
  '・',
  '한국',
  'ＡＢ',
  '＋',
  '！',
  '１２',
  'ไทย',
  'ภาษา',
  'ខ្មែរ',
  '។',
  '។ល។',
  'ნ',
  'Ა',
  'հայ',
  'हिन्दी',
  '।',
  '😀',
  '👩‍👩‍👧',
  '𝐀',
  '𠀀',
  '𐎟',
  '\u200c',
  '\u200b',
  '\u0301',
];

const mixedText = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: 'grapheme', maxLength: 6 })), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));
const locales = fc.constantFrom<readonly string[] | null>(
  null,
  [],
  ['swe'],
  ['eng'],
  ['cmn'],
  ['jpn'],
  ['pes'],
  ['ara', 'pes'],
  ['swe', 'deu'],
  ['cmn', 'jpn'],
  ['deu', 'fra'],
);
const someFragments = fc.uniqueArray(fc.constantFrom(...FRAGMENTS), { maxLength: 4 });

describe('indexWords', () => {
  it('gives the words and positions of the tokens, on random text of all scripts', () => {
    const analyzer = analyzerOf();
    fc.assert(
      fc.property(mixedText, locales, (text, codes) => expectSame(analyzer, text, codes)),
      { numRuns: amount(100, 6000) },
    );
  });

  it('gives the words and positions of the tokens, on any well-formed code points', () => {
    const analyzer = analyzerOf();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) =>
        expectSame(analyzer, text),
      ),
      { numRuns: amount(40, 2000) },
    );
  });

  it('gives the words and positions of the tokens, with random settings', () => {
    fc.assert(
      fc.property(
        someFragments,
        someFragments,
        someFragments,
        someFragments,
        mixedText,
        (stopWords, separatorTokens, nonSeparatorTokens, dictionary, text) =>
          expectSame(
            analyzerOf({ stopWords, separatorTokens, nonSeparatorTokens, dictionary }),
            text,
          ),
      ),
      { numRuns: amount(20, 600) },
    );
  });

  it('follows the worked example: Hi, big-world! (ok)', () => {
    expect(indexed(analyzerOf(), 'Hi, big-world! (ok)')).toEqual([
      'hi@0',
      'big@8',
      'world@9',
      'ok@17',
    ]);
  });

  it('skips leading separators and counts from the base', () => {
    expect(indexed(analyzerOf(), '!? -- word next', null, 24)).toEqual(['word@24', 'next@25']);
  });

  it('makes a run of separators hard when one of them is, without adding up', () => {
    expect(indexed(analyzerOf(), 'a -- b ;-;; c')).toEqual(['a@0', 'b@1', 'c@9']);
  });

  it('lets stop words take a position without being indexed', () => {
    const analyzer = analyzerOf({ stopWords: ['the', 'é', '1'] });
    expect(indexed(analyzer, 'the cat the hat é 1 end. the')).toEqual(['cat@1', 'hat@3', 'end@6']);
    expect(indexed(analyzer, 'the')).toEqual([]);
  });

  it('compares stop words with case, before lower-casing', () => {
    expect(indexed(analyzerOf({ stopWords: ['the'] }), 'The the THE')).toEqual(['the@0', 'the@2']);
    expect(indexed(analyzerOf({ stopWords: ['The'] }), 'The the')).toEqual(['the@1']);
    expect(indexed(analyzerOf({ stopWords: ['É'] }), 'É é e\u0301 E\u0301')).toEqual([
      'e@1',
      'e@2',
    ]);
  });

  it.each([
    ['a stop word', { stopWords: ['. '] }, ['a@1', 'b@3']],
    [
      'a dictionary entry that is no separator',
      { nonSeparatorTokens: ['. '], dictionary: ['. '] },
      ['.@0', 'a@1', '.@2', 'b@3'],
    ],
  ])('gives a position to the sequence ". " where it is %s', (_name, settings, words) => {
    const analyzer = analyzerOf(settings);
    expect(indexed(analyzer, '. a. b')).toEqual(words);
    expectSame(analyzer, '. a. b');
  });

  it('drops words of more than 250 bytes, which keep their position', () => {
    const analyzer = analyzerOf();
    const long = 'x'.repeat(250);
    expect(indexed(analyzer, `a ${long} ${long}y b`)).toEqual(['a@0', `${long}@1`, 'b@3']);
    expect(indexed(analyzer, `${'é'.repeat(250)} ${'я'.repeat(125)} ${'я'.repeat(126)} b`)).toEqual(
      [`${'e'.repeat(250)}@0`, `${'я'.repeat(125)}@1`, 'b@3'],
    );
  });

  it('trims the lemma at no-break spaces before indexing it', () => {
    expect(indexed(analyzerOf(), '\u00a0aa\u00a0 \u00a0 bb')).toEqual(['aa@0', 'bb@1']);
  });

  it('indexes nothing beyond position 65535', () => {
    const analyzer = analyzerOf();
    expect(indexed(analyzer, 'a b c', null, 65_534)).toEqual(['a@65534', 'b@65535']);
    expect(indexed(analyzer, 'a. b', null, 65_534)).toEqual(['a@65534']);
    expect(indexed(analyzer, 'a', null, 65_536)).toEqual([]);
    expect(indexed(analyzer, 'é я 東', null, 65_535)).toEqual(['e@65535']);
    const words = indexed(analyzer, 'w '.repeat(70_000));
    expect([words.length, words.at(-1)]).toEqual([65_536, 'w@65535']);
  });

  it('returns -1 when there is no word', () => {
    const sink = { word: () => expect.unreachable() };
    for (const text of ['', ' ', '!!', '\0']) {
      const utf8 = new TextEncoder().encode(text);
      expect(analyzerOf().indexWords(utf8, 0, utf8.length, 0, null, sink)).toBe(-1);
    }
  });

  it('forgets old words of its cache and stays right', () => {
    const analyzer = analyzerOf();
    const words = Array.from({ length: 30_000 }, (_, i) => `é${i.toString(36)}`);
    for (let i = 0; i < words.length; i += 500)
      expectSame(analyzer, words.slice(i, i + 500).join(' '));
    expect(indexed(analyzer, 'é0 é1')).toEqual(['e0@0', 'e1@1']);
  });

  it('gives one word in the language of each call', () => {
    const analyzer = analyzerOf();
    expect(indexed(analyzer, 'trä', null)).toEqual(['tra@0']);
    expect(indexed(analyzer, 'trä', ['swe'])).toEqual(['trä@0']);
    expect(indexed(analyzer, 'trä', null)).toEqual(['tra@0']);
  });
});

describe('indexWords on hostile input', () => {
  const bytesOf = (...runs: readonly (readonly [string, number])[]): Uint8Array =>
    new TextEncoder().encode(runs.map(([text, count]) => text.repeat(count)).join(''));

  it.each([
    ['10 MB of words', bytesOf(['some words, ', 850_000])],
    ['3 MB of separators', bytesOf(['. -', 1_000_000])],
    ['10 MB of stop words', bytesOf(['stop ', 2_000_000])],
    ['a word of 1 MB', bytesOf(['x', 1_000_000])],
    ['an accented word of 1 MB', bytesOf(['é', 500_000])],
    ['1 MB of no-break spaces', bytesOf(['a', 1], ['\u00a0', 500_000], ['a', 1])],
    ['a word of 1 MB of ё', bytesOf(['ё', 500_000])],
    ['1 MB of combining marks', bytesOf(['e', 1], ['\u0301', 500_000])],
    ['alternating scripts', bytesOf(['aя', 300_000])],
    ['groups of letters and ideographs', bytesOf(['a東', 50_000])],
    ['1 MB of ideographs without separator', bytesOf(['東京都', 110_000])],
    ['1 MB of digits before the first letter', bytesOf(['1', 1_000_000], ['я', 1])],
    ['Khmer signs that begin no sequence', bytesOf(['។ល', 150_000])],
  ])('is linear in %s, which ends it', (_name, utf8) => {
    const last = analyzerOf({ stopWords: ['stop'] }).indexWords(utf8, 0, utf8.length, 0, null, {
      word: () => undefined,
    });
    expect(last).toBeLessThanOrEqual(65_535);
  });

  it('takes malformed bytes as replacement characters', () => {
    const words: string[] = [];
    const utf8 = new Uint8Array([
      0x61, 0x80, 0x20, 0xff, 0x20, 0x62, 0xe6, 0x9d, 0x20, 0xed, 0xa0, 0x80, 0x20, 0xc3,
    ]);
    analyzerOf().indexWords(utf8, 0, utf8.length, 0, null, {
      word: (bytes, length) => words.push(new TextDecoder().decode(bytes.slice(0, length))),
    });
    expect(words.length).toBeGreaterThan(0);
    expect(words[0]).toBe('a\ufffd');
  });

  it('does not read beyond the range it was given', () => {
    const utf8 = new TextEncoder().encode('one. two');
    const words: string[] = [];
    analyzerOf().indexWords(utf8, 0, 4, 0, null, {
      word: (_bytes, length, _hash, position) => words.push(`${length}@${position}`),
    });
    expect(words).toEqual(['3@0']);
  });
});

const strings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
};

describe('indexWords on real texts', () => {
  const files = [
    'multilingual/docs.ndjson.gz',
    'corpora/movies.ndjson.gz',
    'corpora/artworks.ndjson.gz',
  ];
  for (const name of files) {
    it(`gives the words and positions of the tokens: ${name}`, ({ skip }) => {
      const file = new URL(name, DATA);
      skip(!existsSync(file), `${file.pathname} is not on this machine`);
      const lines = gunzipSync(readFileSync(file))
        .toString()
        .split('\n')
        .filter((line) => line !== '');
      const step = Math.ceil(lines.length / amount(100, 400));
      const analyzer = analyzerOf({ stopWords: ['the', 'of', 'de', 'la', 'и'] });
      for (let i = 0; i < lines.length; i += step) {
        for (const text of strings(JSON.parse(lines[i]!))) expectSame(analyzer, text);
      }
    });
  }
});
