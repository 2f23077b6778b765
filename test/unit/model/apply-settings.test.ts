/** Settings writes on stored settings: what stays, merges, resets and is refused. */
import { describe, expect, it } from 'vitest';
import {
  applySettings,
  normalizeSettingsUpdate,
  resetOfAllSettings,
} from '../../../src/model/apply-settings.ts';
import {
  DEFAULT_SETTINGS,
  type Settings,
  type SettingsUpdate,
} from '../../../src/model/settings.ts';

const apply = (...updates: SettingsUpdate[]): Settings =>
  updates.reduce<Settings>((settings, update) => applySettings(settings, update), DEFAULT_SETTINGS);

describe('members', () => {
  it('stay when absent, are replaced when given, and reset by null', () => {
    const once = apply({
      searchableAttributes: ['b', 'a'],
      searchCutoffMs: 7,
      synonyms: { a: ['b'] },
    });
    expect(once).toEqual({
      ...DEFAULT_SETTINGS,
      searchableAttributes: ['b', 'a'],
      searchCutoffMs: 7,
      synonyms: { a: ['b'] },
    });
    expect(apply({ searchCutoffMs: 7, facetSearch: false }, { searchCutoffMs: null })).toEqual({
      ...DEFAULT_SETTINGS,
      facetSearch: false,
    });
  });

  it('all reset at once', () => {
    const changed = apply({
      stopWords: ['a'],
      typoTolerance: { enabled: false },
      chat: { description: 'x' },
      localizedAttributes: [],
    });
    expect(applySettings(changed, resetOfAllSettings())).toEqual(DEFAULT_SETTINGS);
  });

  it('that are sets are stored sorted by code point and unique; the others keep their order', () => {
    const update: SettingsUpdate = {
      sortableAttributes: ['b', 'a', 'b'],
      stopWords: ['😀', 'ÿ', 'z'],
      dictionary: [],
      rankingRules: ['words', 'words'],
      displayedAttributes: ['z', 'a'],
    };
    expect(apply(update)).toMatchObject({
      sortableAttributes: ['a', 'b'],
      stopWords: ['z', 'ÿ', '😀'],
      rankingRules: ['words', 'words'],
      displayedAttributes: ['z', 'a'],
    });
  });

  it('of attributes are all attributes when a star is among them, and may be empty', () => {
    expect(
      apply({ displayedAttributes: ['a', '*'], searchableAttributes: ['*', 'a'] }),
    ).toMatchObject({
      displayedAttributes: ['*'],
      searchableAttributes: ['*'],
    });
    expect(apply({ displayedAttributes: [], searchableAttributes: [] })).toMatchObject({
      displayedAttributes: [],
      searchableAttributes: [],
    });
  });

  it('of attributes are stored without repetitions, and shown by tasks as sent', () => {
    const update = { displayedAttributes: ['a', 'b', 'a'], searchableAttributes: ['b', '*'] };
    expect(apply(update)).toMatchObject({
      displayedAttributes: ['a', 'b'],
      searchableAttributes: ['*'],
    });
    expect(normalizeSettingsUpdate(update)).toEqual(update);
    expect(normalizeSettingsUpdate({ searchableAttributes: null })).toEqual({
      searchableAttributes: ['*'],
    });
  });

  it('of filterable attributes get their defaults', () => {
    const rule = { attributePatterns: ['a*'] };
    const filter = { filter: { comparison: true } };
    expect(
      apply({ filterableAttributes: ['x', rule, { ...rule, features: filter }] })
        .filterableAttributes,
    ).toEqual([
      'x',
      {
        attributePatterns: ['a*'],
        features: { facetSearch: false, filter: { equality: true, comparison: false } },
      },
      {
        attributePatterns: ['a*'],
        features: { facetSearch: false, filter: { equality: true, comparison: true } },
      },
    ]);
  });

  it('that are unknown change nothing', () => {
    const update = JSON.parse(
      '{"unknown": 1, "__proto__": {"stopWords": ["x"]}}',
    ) as SettingsUpdate;
    expect(applySettings(DEFAULT_SETTINGS, update)).toEqual(DEFAULT_SETTINGS);
    expect(applySettings(DEFAULT_SETTINGS, { stopWords: undefined })).toEqual(DEFAULT_SETTINGS);
  });
});

describe('typo tolerance', () => {
  it('merges member by member, word sizes too', () => {
    const settings = apply(
      {
        typoTolerance: {
          enabled: false,
          minWordSizeForTypos: { oneTypo: 3 },
          disableOnWords: ['b', 'a', 'a'],
        },
      },
      { typoTolerance: { minWordSizeForTypos: { twoTypos: 7 }, disableOnNumbers: true } },
    );
    expect(settings.typoTolerance).toEqual({
      enabled: false,
      minWordSizeForTypos: { oneTypo: 3, twoTypos: 7 },
      disableOnWords: ['a', 'b'],
      disableOnAttributes: [],
      disableOnNumbers: true,
    });
  });

  it('resets single members by null', () => {
    const stored = apply({
      typoTolerance: { enabled: false, minWordSizeForTypos: { oneTypo: 1, twoTypos: 2 } },
    });
    expect(
      applySettings(stored, { typoTolerance: { enabled: null, minWordSizeForTypos: null } })
        .typoTolerance,
    ).toEqual(DEFAULT_SETTINGS.typoTolerance);
    expect(
      applySettings(stored, { typoTolerance: { minWordSizeForTypos: { twoTypos: null } } })
        .typoTolerance.minWordSizeForTypos,
    ).toEqual({
      oneTypo: 1,
      twoTypos: 9,
    });
  });

  it('refuses sizes that contradict each other once merged', () => {
    const tooLarge = { typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } } };
    expect(() => apply(tooLarge)).toThrow('`oneTypo` (10) must not be greater than `twoTypos` (9)');
    expect(() => apply({ typoTolerance: { minWordSizeForTypos: { twoTypos: 4 } } })).toThrow(
      '`oneTypo` (5)',
    );
    expect(
      apply({ typoTolerance: { minWordSizeForTypos: { oneTypo: 9 } } }).typoTolerance
        .minWordSizeForTypos.oneTypo,
    ).toBe(9);
  });
});

describe('faceting, pagination, embedders, chat', () => {
  it('replace the map of orders as a whole and keep its star', () => {
    const stored = apply({
      faceting: { maxValuesPerFacet: 3, sortFacetValuesBy: { genre: 'count' } },
    });
    expect(stored.faceting).toEqual({
      maxValuesPerFacet: 3,
      sortFacetValuesBy: { '*': 'alpha', genre: 'count' },
    });
    expect(
      applySettings(stored, { faceting: { sortFacetValuesBy: { '*': 'count' } } }).faceting,
    ).toEqual({
      maxValuesPerFacet: 3,
      sortFacetValuesBy: { '*': 'count' },
    });
    expect(
      applySettings(stored, { faceting: { sortFacetValuesBy: null, maxValuesPerFacet: null } })
        .faceting,
    ).toEqual(DEFAULT_SETTINGS.faceting);
  });

  it('merge into what is stored', () => {
    const stored = apply({
      pagination: { maxTotalHits: 5 },
      embedders: { a: { source: 'userProvided', dimensions: 2 }, b: {} },
      chat: { a: 1 },
    });
    const next = applySettings(stored, {
      pagination: {},
      embedders: { a: { dimensions: 3 }, b: null },
      chat: { b: 2 },
    });
    expect(next).toMatchObject({
      pagination: { maxTotalHits: 5 },
      embedders: { a: { source: 'userProvided', dimensions: 3 } },
      chat: { a: 1, b: 2 },
    });
    expect(Object.keys(next.embedders)).toEqual(['a']);
    expect(applySettings(stored, { pagination: { maxTotalHits: null } }).pagination).toEqual({
      maxTotalHits: 1000,
    });
  });

  it('take `__proto__` as the name of an embedder like any other', () => {
    const embedders: unknown = JSON.parse(
      '{"__proto__": {"source": "userProvided", "dimensions": 1}}',
    );
    const next = apply({ embedders });
    expect(JSON.stringify(next.embedders)).toBe(
      '{"__proto__":{"source":"userProvided","dimensions":1}}',
    );
    expect(Object.getPrototypeOf(next.embedders)).toBe(Object.prototype);
  });
});

describe('canonical form', () => {
  it('is what task details show', () => {
    expect(
      normalizeSettingsUpdate({
        stopWords: ['b', 'a'],
        displayedAttributes: null,
        rankingRules: null,
        typoTolerance: null,
      }),
    ).toEqual({
      stopWords: ['a', 'b'],
      displayedAttributes: ['*'],
      rankingRules: null,
      typoTolerance: null,
    });
  });
});
