/** What the search view makes of hits and searches, without a browser. */
import { describe, expect, it } from 'vitest';
import { distanceM, humanDistance, latLngOf } from '../../../src/search-page/search/distance.ts';
import { hitParts, imageUrlOf } from '../../../src/search-page/search/hit-fields.ts';
import { MARK_END, MARK_START } from '../../../src/search-page/search/marked-text.ts';
import { CODE_LANGUAGES, searchCode } from '../../../src/search-page/search/request-code.ts';
import {
  activeFilters,
  addressStateOf,
  queriesOf,
  searchStateOf,
  withoutFilters,
  withRange,
  withToggled,
} from '../../../src/search-page/search/search-state.ts';
import { dayOf, timeOfDay, timeUnitOf } from '../../../src/search-page/search/time-values.ts';

const ALL = { primaryKey: 'id', displayed: ['*'], searchable: ['*'] };

describe('the parts of a hit', () => {
  it('are a title by name, else the first text that is no URL and no key', () => {
    const titleOf = (hit: Record<string, unknown>) => hitParts(hit, hit, ALL).title?.[0];
    expect(titleOf({ id: 'a', about: 'x', title: 'y' })).toBe('title');
    expect(titleOf({ id: 'a', link: 'https://a.example', about: 'x' })).toBe('about');
    expect(titleOf({ id: 7, n: 1 })).toBe('id');
    expect(titleOf({})).toBeUndefined();
  });

  it('stand in the order of displayed and searchable attributes, then of the document', () => {
    const hit = { id: 1, d: 1, c: 2, b: 3, title: 't', a: 4, none: null, _geo: {} };
    const orderOf = (displayed: string[], searchable: string[]) =>
      hitParts(hit, hit, { ...ALL, displayed, searchable }).fields.map(([name]) => name);
    expect(orderOf(['*'], ['*'])).toEqual(['d', 'c', 'b', 'a']);
    expect(orderOf(['*'], ['title', 'a'])).toEqual(['a', 'd', 'c', 'b']);
    expect(orderOf(['b', 'c', 'a', 'd'], ['a'])).toEqual(['b', 'c', 'a', 'd']);
  });

  it('show values with highlights, but find images in the stored values', () => {
    const hit = { id: 1, title: 'wonder', poster: 'https://a.example/wonder' };
    const marked = `${MARK_START}wonder${MARK_END}`;
    const shown = { ...hit, title: marked, poster: `https://a.example/${marked}` };
    expect(hitParts(hit, shown, ALL)).toEqual({
      id: '1',
      title: ['title', marked],
      image: 'https://a.example/wonder',
      fields: [],
    });
  });

  it('keep numbers in objects as they are stored, unless they are highlighted', () => {
    const hit = { id: 1, deep: { n: 1, list: [2, true, { text: '3' }], found: 45 } };
    const found = `${MARK_START}45${MARK_END}`;
    const shown = { id: '1', deep: { n: '1', list: ['2', 'true', { text: '3' }], found } };
    const deep = { n: 1, list: [2, true, { text: '3' }], found };
    expect(hitParts(hit, shown, ALL).fields).toEqual([['deep', deep]]);
  });

  it.each([
    ['photo', 'https://a.example/1', 'https://a.example/1'],
    ['photos', ['https://a.example/1', 'x'], 'https://a.example/1'],
    ['link', 'https://a.example/1.webp?w=9', 'https://a.example/1.webp?w=9'],
    ['link', 'data:image/png;base64,AA', 'data:image/png;base64,AA'],
    ['link', 'https://a.example/1', null],
    ['photo', 'http://a.example/1.png', null],
    ['photo', 'javascript:alert(1)', null],
    ['photo', 7, null],
  ])('%s %j is the image %j', (name, value, url) => expect(imageUrlOf([name, value])).toBe(url));
});

describe('numbers that are points in time', () => {
  it.each([
    ['release_date', [-2_208_988_800, 1e9], 'seconds'],
    ['createdAt', [1_700_000_000_000], 'milliseconds'],
    ['runtime', [90, 240], null],
    ['price', [1_700_000_000], null],
    ['time', [1e300], null],
  ] as const)('%s %j has the unit %s', (field, numbers, unit) =>
    expect(timeUnitOf(field, numbers)).toBe(unit),
  );

  it('round-trip as days', () => {
    expect(timeOfDay(dayOf(-2_208_988_800, 'seconds'), 'seconds')).toBe(-2_208_988_800);
    expect(dayOf(1_700_006_400_000, 'milliseconds')).toBe('2023-11-15');
    expect(timeOfDay('soon', 'seconds')).toBeNull();
  });
});

describe('distances', () => {
  it('are those of the haversine formula', () => {
    const paris = { lat: 48.8566, lng: 2.3522 };
    expect(distanceM(paris, paris)).toBe(0);
    expect(distanceM(paris, { lat: 52.52, lng: 13.405 })).toBeCloseTo(877_463, -2);
  });

  it.each([
    [0.4, '0 m'],
    [999, '999 m'],
    [1100, '1.1 km'],
    [1_204_000, '1,204 km'],
  ])('of %d m are %s', (metres, text) => expect(humanDistance(metres)).toBe(text));

  it.each([null, 1, {}, { lat: 1 }, { lat: 'x', lng: 1 }])('%j is no place', (geo) =>
    expect(latLngOf(geo)).toBeNull(),
  );
});

describe('conditions of a search', () => {
  const chosen = withToggled(searchStateOf({}), 'genre', 'Drama');
  const state = {
    ...withRange(chosen, 'year', { from: 1990, to: null }),
    filter: 'a = 1',
    geo: { lat: 1, lng: 2, radiusMeters: 3000 },
  };

  it('are removable one by one, and all at once', () => {
    const filters = activeFilters(state);
    const texts = ['genre: Drama', 'year: from 1990', 'within 3 km', 'a = 1'];
    expect(filters.map(({ text }) => text)).toEqual(texts);
    for (const { text, without } of filters)
      expect(activeFilters(without).map((left) => left.text)).toEqual(
        texts.filter((other) => other !== text),
      );
    expect(activeFilters(withoutFilters(state))).toEqual([]);
    expect(withoutFilters(state).geo).toEqual({ lat: 1, lng: 2, radiusMeters: null });
  });

  it('in an address that a user has changed are left out if they are not valid', () => {
    const edited = {
      chosen: '{"a":["x"],"b":"y","c":[1]}',
      ranges: '{"n":5}',
      geo: '[1]',
      hits: 'x',
    };
    expect(searchStateOf(edited)).toEqual({ ...searchStateOf({}), chosen: { a: ['x'] } });
    const round = searchStateOf(addressStateOf(state));
    expect(round).toEqual(state);
  });

  it('quote names that the filter language would not read as a name', () => {
    const filterOf = (field: string) =>
      queriesOf('i', withToggled(searchStateOf({}), field, 'x'), true)[0]?.['filter'];
    expect(filterOf('a.b_1')).toEqual([['a.b_1 = "x"']]);
    expect(filterOf('not')).toEqual([['"not" = "x"']]);
    expect(filterOf('a b')).toEqual([['"a b" = "x"']]);
  });
});

describe('a search as code', () => {
  const call = {
    url: 'https://search.example/base',
    index: 'films',
    body: { q: `it's "x"`, filter: [['a = "b"']], showRankingScore: true, distinct: null },
    needsKey: true,
  };

  it('for a shell quotes the body', () => {
    expect(searchCode('curl', call)).toContain(`"q": "it'\\''s \\"x\\""`);
    expect(searchCode('curl', call)).toContain(
      "'https://search.example/base/indexes/films/search'",
    );
  });

  it('for Python has its literals', () => {
    const code = searchCode('Python', call);
    expect(code).toContain('"showRankingScore": True,');
    expect(code).toContain('"distinct": None,');
    expect(code).toContain(`    "it's \\"x\\"",`);
  });

  it.each(CODE_LANGUAGES)('in %s has a placeholder for a key only if one is needed', (language) => {
    expect(searchCode(language, call)).toContain('YOUR_API_KEY');
    expect(searchCode(language, { ...call, needsKey: false })).not.toContain('YOUR_API_KEY');
  });
});
