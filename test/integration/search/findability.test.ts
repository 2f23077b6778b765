/**
 * Goal: every Chinese or Japanese text can be found. Method: many word prefixes of real texts, each
 * used as a query.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { createAnalyzer } from '../../../src/engine/analysis/analyzer.ts';
import { TokenKind } from '../../../src/engine/analysis/tokens/token.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../src/model/settings.ts';
import { executeSearch } from '../../../src/search/execute-search.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import { amount } from '../../support/run-length.ts';
import { indexDocuments, indexTexts, searchIds } from '../../support/search.ts';

const TEXTS = new URL('../../../../shared/data/multilingual/docs.ndjson.gz', import.meta.url);
const FALLBACK = {
  zh: [
    '今天是星期天，我们去北京大学图书馆看书。',
    '這本書屬於我的音樂老師。',
    '有意见分歧的情况很多。',
    '国家学校东门',
  ],
  ja: [
    '彼女は昼も夜もピアノを練習している。',
    '外国人の友達とフルーツバスケットを読む。',
    'ソファーの下にテーブルがある。',
  ],
};

interface Text {
  readonly lang: string;
  readonly text: string;
}

function textsOf(lang: keyof typeof FALLBACK): string[] {
  if (!existsSync(TEXTS)) return FALLBACK[lang];
  const lines = gunzipSync(readFileSync(TEXTS)).toString('utf8').trim().split('\n');
  const texts = lines.map((line) => JSON.parse(line) as Text).filter((text) => text.lang === lang);
  return [...FALLBACK[lang], ...texts.map(({ text }) => text)];
}

const analyzer = createAnalyzer(DEFAULT_SETTINGS);
const LETTERS = /^[\p{L}\p{M}]{2,}$/u;
const HITS_MAX = 10_000;

function foundPlaces(
  snapshot: IndexSnapshot,
  q: string,
  matchingStrategy: 'last' | 'all',
): number[] {
  const request = { ...DEFAULT_SEARCH_REQUEST, q, matchingStrategy, limit: HITS_MAX };
  return executeSearch(snapshot, request, Deadline.never()).documents.map(({ doc }) => doc);
}

function wordStarts(text: string): number[] {
  const words = analyzer.tokenize(text, null).filter(({ kind }) => kind === TokenKind.word);
  return words.map(({ start }) => start);
}

/** Positions in texts with the typed part: two to ten characters from the start of a word. */
function typedParts(texts: readonly string[]): fc.Arbitrary<{ place: number; typed: string }> {
  const chosen = fc.record({
    place: fc.nat(texts.length - 1),
    word: fc.nat(1000),
    length: fc.integer({ min: 2, max: 10 }),
  });
  return chosen
    .map(({ place, word, length }) => {
      const text = texts[place] ?? '';
      const starts = wordStarts(text);
      const start = starts[word % Math.max(1, starts.length)] ?? 0;
      return { place, typed: text.slice(start, start + length) };
    })
    .filter(({ typed }) => LETTERS.test(typed));
}

describe.each(['zh', 'ja'] as const)('a text in %s', (lang) => {
  const texts = textsOf(lang);
  const settings: Partial<Settings> = {
    searchableAttributes: ['text'],
    pagination: { maxTotalHits: HITS_MAX },
  };
  const index = indexDocuments(
    texts.map((text, id) => ({ id, text })),
    settings,
  );

  it('is found by two or more of its characters from the start of a word', () => {
    const property = fc.property(typedParts(texts), ({ place, typed }) => {
      expect(foundPlaces(index, typed, 'last')).toContain(place);
    });
    fc.assert(property, { numRuns: amount(50, 2000), seed: 4 });
  });

  it('is found by its ideographs from any position, with all of them required', () => {
    const ideographs = texts.flatMap((text, place) =>
      [...text.matchAll(/\p{Script=Han}{2,}/gu)].map(([run]) => ({ place, run })),
    );
    const parts = fc.record({
      of: fc.constantFrom(...ideographs),
      start: fc.nat(20),
      length: fc.integer({ min: 2, max: 8 }),
    });
    const property = fc.property(parts, ({ of: { place, run }, start, length }) => {
      const typed = Array.from(run)
        .slice(start % Array.from(run).length)
        .slice(0, length)
        .join('');
      expect(foundPlaces(index, typed, 'all')).toContain(place);
    });
    fc.assert(property, { numRuns: amount(50, 2000), seed: 4 });
  });
});

describe('ideographs in one text and another', () => {
  const index = indexTexts({
    japanese: '外国人の学校です',
    chinese: '国家学校',
    traditional: '國家學校',
  });

  it('match in their simplified, traditional and Japanese forms, with and without adjacent kana', () => {
    for (const q of ['学校', '學校']) {
      expect(searchIds(index, { q, matchingStrategy: 'all' }).sort()).toEqual([
        'chinese',
        'japanese',
        'traditional',
      ]);
    }
    expect(searchIds(index, { q: '外国', matchingStrategy: 'all' })).toEqual(['japanese']);
  });
});

describe('a German compound', () => {
  const texts = { compound: 'Das Krankenhaus am Stadtrand', part: 'ein Haus', other: 'ein Garten' };
  const german = { localizedAttributes: [{ attributePatterns: ['*'], locales: ['deu'] }] };

  it('is found by each of its parts when the language is set, and by its prefix in any case', () => {
    expect(searchIds(indexTexts(texts, german), { q: 'haus ' }).sort()).toEqual([
      'compound',
      'part',
    ]);
    expect(searchIds(indexTexts(texts), { q: 'haus ' })).toEqual(['part']);
    for (const settings of [german, {}]) {
      for (const q of ['krank', 'krankenh', 'krankenhaus', 'Krankenhaus ']) {
        expect(searchIds(indexTexts(texts, settings), { q })).toEqual(['compound']);
      }
    }
  });
});
