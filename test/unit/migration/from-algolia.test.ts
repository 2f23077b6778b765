/** Conversion of Algolia settings, synonyms and records. */
import { describe, expect, it } from 'vitest';
import { mapAlgoliaIndex, mapAlgoliaRecord } from '../../../src/migration/from-algolia.ts';

const map = (settings: object, more: object = {}) =>
  mapAlgoliaIndex({
    indexUid: 'products',
    synonyms: [],
    rules: [],
    settings: settings as Record<string, unknown>,
    ...more,
  });
const namesOf = ({ notes }: ReturnType<typeof map>) => notes.map(({ name }) => name);

describe('settings of Algolia', () => {
  it('keep the order of the ranking rules, with custom ranking at its position', () => {
    const { settings } = map({ customRanking: ['desc(sales)', 'asc(price)'] });
    expect(settings['rankingRules']).toEqual([
      ...['typo', 'sort', 'words', 'proximity', 'attributeRank', 'wordPosition', 'exactness'],
      ...['sales:desc', 'price:asc'],
    ]);
    const replica = map({
      ranking: ['desc(price)', 'typo', 'custom'],
      customRanking: ['desc(sales)'],
    });
    expect(replica.settings['rankingRules']).toEqual(['price:desc', 'typo', 'sales:desc']);
  });

  it('omit word position where all attributes are unordered', () => {
    const all = map({ searchableAttributes: ['unordered(title)', 'unordered(text)'] });
    expect(all.settings['searchableAttributes']).toEqual(['title', 'text']);
    expect(all.settings['rankingRules']).not.toContain('wordPosition');
    const some = map({ searchableAttributes: ['title,name', 'unordered(text)'] });
    expect(some.settings['searchableAttributes']).toEqual(['title', 'name', 'text']);
    expect(some.settings['rankingRules']).toContain('wordPosition');
    expect(namesOf(some)).toEqual(
      expect.arrayContaining(['searchableAttributes: title,name', 'unordered(…)']),
    );
  });

  it('distinguish facets from filters', () => {
    const { settings } = map({
      attributesForFaceting: [
        'brand',
        'searchable(color)',
        'filterOnly(store)',
        'afterDistinct(searchable(size))',
      ],
      numericAttributesForFiltering: ['equalOnly(price)'],
    });
    const filter = { equality: true, comparison: true };
    expect(settings['filterableAttributes']).toEqual([
      ...['brand', 'color', 'size', '_geo'],
      { attributePatterns: ['store', 'price'], features: { facetSearch: false, filter } },
    ]);
  });

  it('become typo tolerance, distinct, pagination, languages, matching strategy', () => {
    const { settings } = map({
      minWordSizefor1Typo: 4,
      minWordSizefor2Typos: 8,
      allowTyposOnNumericTokens: false,
      disableTypoToleranceOnAttributes: ['sku'],
      typoTolerance: 'min',
      attributeForDistinct: 'model',
      distinct: true,
      paginationLimitedTo: 5000,
      maxValuesPerFacet: 50,
      sortFacetValuesBy: 'count',
      separatorsToIndex: '+#',
      queryLanguages: ['en', 'pt-br'],
      ignorePlurals: true,
      removeWordsIfNoResults: 'none',
    });
    expect(settings).toMatchObject({
      typoTolerance: {
        minWordSizeForTypos: { oneTypo: 4, twoTypos: 8 },
        disableOnAttributes: ['sku'],
        disableOnNumbers: true,
      },
      distinctAttribute: 'model',
      pagination: { maxTotalHits: 5000 },
      faceting: { maxValuesPerFacet: 50, sortFacetValuesBy: { '*': 'count' } },
      nonSeparatorTokens: ['+', '#'],
      localizedAttributes: [{ attributePatterns: ['*'], locales: ['eng', 'por'] }],
      inflections: ['eng', 'por'],
      matchingStrategy: 'all',
    });
  });

  it('without a counterpart or unknown are noted; unset ones are not', () => {
    const mapped = map({
      replicas: ['by_price'],
      enableRules: true,
      newThing: 1,
      optionalWords: null,
    });
    expect(namesOf(mapped)).toEqual(
      expect.arrayContaining(['replicas', 'enableRules', 'newThing']),
    );
    expect(namesOf(mapped)).not.toContain('optionalWords');
  });
});

describe('synonyms and rules of Algolia', () => {
  it('become two-way or one-way synonyms, or are noted', () => {
    const mapped = map(
      {},
      {
        synonyms: [
          { objectID: '1', type: 'synonym', synonyms: ['tv', 'television'] },
          { objectID: '2', type: 'oneWaySynonym', input: 'phone', synonyms: ['iphone'] },
          { objectID: '3', type: 'altCorrection1', word: 'ipad', corrections: ['ipod'] },
          { objectID: '4', type: 'placeholder', placeholder: '<n>', replacements: ['1'] },
        ],
        rules: [{ objectID: 'pin-sofa' }],
      },
    );
    expect(mapped.settings['synonyms']).toEqual({
      tv: ['television'],
      television: ['tv'],
      phone: ['iphone'],
      ipad: ['ipod'],
    });
    expect(namesOf(mapped)).toEqual(
      expect.arrayContaining(['synonym 3', 'synonym 4', 'rule pin-sofa']),
    );
  });
});

describe('a record of Algolia', () => {
  it('gets a valid id and `_geo`, and loses members of search answers', () => {
    const record = {
      objectID: 'a b',
      _geoloc: [
        { lat: 1, lng: 2 },
        { lat: 3, lng: 4 },
      ],
      _highlightResult: {},
    };
    const { set, remove, notes } = mapAlgoliaRecord(record);
    expect(set).toEqual({ objectID: 'a_x20_b', originalId: 'a b', _geo: { lat: 1, lng: 2 } });
    expect(remove).toEqual(['_highlightResult', '_geoloc']);
    expect(notes.map(({ name }) => name)).toEqual(['objectID', '_geoloc']);
    expect(mapAlgoliaRecord({ objectID: 'ok' })).toMatchObject({ set: {}, remove: [], notes: [] });
  });
});
