/** Logic of the search page that needs no browser. */
import { describe, expect, it } from 'vitest';
import { csvDelimiterOf } from '../../../src/search-page/indexes/csv-delimiter.ts';
import { fragmentOf, pageAddressOf } from '../../../src/search-page/page-address.ts';
import { humanDuration } from '../../../src/search-page/parts/human.ts';
import { explainScore } from '../../../src/search-page/search/explain-score.ts';
import { MARK_END, MARK_START, piecesOf } from '../../../src/search-page/search/marked-text.ts';
import {
  addressStateOf,
  queriesOf,
  searchStateOf,
  withToggled,
} from '../../../src/search-page/search/search-state.ts';

describe('the address of the page', () => {
  it('round-trips through its fragment', () => {
    const address = {
      view: 'tasks',
      index: 'a b/c',
      state: { q: 'x & y', status: 'failed' },
    } as const;
    expect(pageAddressOf(fragmentOf(address))).toEqual(address);
  });

  it.each(['', '#', '#/', '#/nowhere', '#/search?'])('%j is the search', (fragment) => {
    expect(pageAddressOf(fragment)).toMatchObject({ view: 'search', state: {} });
  });

  it('keeps invalid escapes unchanged', () => {
    expect(pageAddressOf('#/search/%E0%A4%A').index).toBe('%E0%A4%A');
  });
});

describe('a search', () => {
  const empty = searchStateOf({});

  it('round-trips through the URL, which omits defaults', () => {
    const state = {
      ...empty,
      q: 'pi',
      chosen: { genres: ['Drama', 'a"b'] },
      ranges: { year: { from: 1990, to: null } },
      geo: { lat: 1.5, lng: -2, radiusMeters: 100 },
      embedder: 'e',
      semanticRatio: 0.3,
    };
    expect(searchStateOf(addressStateOf(state))).toEqual(state);
    expect(Object.values(addressStateOf(empty)).join('')).toBe('');
  });

  it('filters by any chosen value of a field, and by all fields', () => {
    const chosen = withToggled(withToggled(withToggled(empty, 'g', 'x'), 'g', 'a\\"b'), 'h', 'y');
    const state = {
      ...chosen,
      filter: 'n = 1',
      ranges: { year: { from: 1, to: 2 } },
      geo: { lat: 1, lng: 2, radiusMeters: 3.4 },
    };
    const [hits, ofG, ofH, ofYear] = queriesOf('i', state, true);
    const shared = ['year >= 1', 'year <= 2', '_geoRadius(1, 2, 3)', 'n = 1'];
    const g = ['g = "x"', 'g = "a\\\\\\"b"'];
    expect(hits?.['filter']).toEqual([g, ['h = "y"'], ...shared]);
    expect(ofG).toMatchObject({ facets: ['g'], limit: 0, filter: [['h = "y"'], ...shared] });
    expect(ofH).toMatchObject({ facets: ['h'], limit: 0, filter: [g, ...shared] });
    expect(ofYear).toMatchObject({
      facets: ['year'],
      filter: [g, ['h = "y"'], ...shared.slice(2)],
    });
  });

  it('removes a value that is toggled twice', () => {
    expect(withToggled(withToggled(empty, 'g', 'x'), 'g', 'x').chosen).toEqual({});
  });
});

describe('marked text', () => {
  it('is split at its marks', () => {
    expect(piecesOf(`a ${MARK_START}b${MARK_END} c`)).toEqual([
      { text: 'a ', isMarked: false },
      { text: 'b', isMarked: true },
      { text: ' c', isMarked: false },
    ]);
  });

  it.each([MARK_START, MARK_END, `${MARK_END}a${MARK_START}`])('marks nothing in %j', (text) => {
    expect(piecesOf(text).every(({ isMarked }) => !isMarked)).toBe(true);
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });
});

describe('score details', () => {
  it('are sentences in the order of the rules', () => {
    const explained = explainScore({
      typo: { order: 1, typoCount: 1, maxTypoCount: 2, score: 0.5 },
      words: { order: 0, matchingWords: 2, maxMatchingWords: 3, score: 0.6 },
      'year:asc': { order: 2, value: 1990 },
    });
    expect(explained.map(({ title, score, sentence }) => [title, score, sentence])).toEqual([
      ['Words found', 0.6, '2 of 3 words found'],
      ['Typos', 0.5, '1 typo (at most 2 allowed)'],
      ['Sort by year, lowest first', null, 'Its value is 1990'],
    ]);
  });
});

describe('figures for people', () => {
  it.each([
    ['PT0.0421S', '42 ms'],
    ['PT2.5S', '2.5 s'],
    ['PT1H2M3S', '3723 s'],
    [null, ''],
  ])('%s is %s', (duration, text) => expect(humanDuration(duration)).toBe(text));
});

describe('an import', () => {
  it.each([
    ['a;b;c\n1,5;2,5;3', ';'],
    ['a\tb\n', '\t'],
    ['"a,b";"c,d"\n', ';'],
    ['a|b|c', '|'],
    ['alone\n', ','],
    ['', ','],
  ])('of %j has the delimiter %j', (text, delimiter) =>
    expect(csvDelimiterOf(text)).toBe(delimiter),
  );
});
