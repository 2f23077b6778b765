/** List of fields: its content, the description of a field, and the filter. */
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/core/limits.ts';
import { isValid } from '../../../src/http/validator.ts';
import { FieldListBody, type FieldListRequest } from '../../../src/model/field-list.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';
import { describeField, listFields } from '../../../src/search/list-fields.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';

const snapshot = buildSnapshot({
  documents: [
    { id: 1, title: 'Carol', author: { name: 'Nagy' }, _vectors: { a: [1] } },
    { id: 2, title: 'Pi', price: { amount: 3, secret: 'x' } },
  ],
  settings: {
    searchableAttributes: ['title', 'author'],
    filterableAttributes: ['price.amount', '_vectors.a'],
  },
});

const NEVER = () => undefined;

const list = (filter: FieldListRequest['filter'] = {}, offset = 0, limit = 20) =>
  JSON.parse(new TextDecoder().decode(listFields(snapshot, { offset, limit, filter }, NEVER))) as {
    readonly results: readonly { readonly name: string }[];
    readonly total: number;
  };
const names = (filter?: FieldListRequest['filter']) => list(filter).results.map(({ name }) => name);

describe('the list of fields', () => {
  it('holds members of documents and known paths below them, sorted, vectors as one', () => {
    expect(names()).toEqual([
      '_vectors',
      'author',
      'author.name',
      'id',
      'price',
      'price.amount',
      'title',
    ]);
  });

  it('is paged, with the total after the filter', () => {
    const { results, total } = list({ searchable: true }, 1, 1);
    expect([results.map(({ name }) => name), total]).toEqual([['author.name'], 3]);
  });

  it('is filtered by name patterns and by traits, null keeping all', () => {
    expect(names({ attributePatterns: ['author*', 'id'] })).toEqual([
      'author',
      'author.name',
      'id',
    ]);
    expect(names({ filterable: true, displayed: null })).toEqual(['price.amount']);
    expect(names({ searchable: false })).toEqual(['_vectors', 'id', 'price', 'price.amount']);
  });
});

describe('the list of very many fields', () => {
  it('is stopped between fields', () => {
    const stop = () => {
      throw new Error('stopped');
    };
    expect(() => listFields(snapshot, { offset: 0, limit: 1, filter: {} }, stop)).toThrow(
      'stopped',
    );
  });

  it('takes as many names and patterns as other lists of names', () => {
    const accepts = (attributePatterns: string[]) =>
      isValid(FieldListBody, { filter: { attributePatterns } });
    const patterns = Array.from({ length: limits.patternsPerListMax }, (_, i) => `a${i}*`);
    expect([accepts(patterns), accepts([...patterns, 'b*'])]).toEqual([true, false]);
    const listed = Array.from({ length: limits.namesPerListMax }, (_, i) => `a${i}`);
    expect([accepts(listed), accepts([...listed, 'b'])]).toEqual([true, false]);
  });
});

describe('the description of a field', () => {
  it('follows from default settings', () => {
    expect(describeField(DEFAULT_SETTINGS, 'title')).toEqual({
      name: 'title',
      displayed: { enabled: true },
      searchable: { enabled: true },
      sortable: { enabled: false },
      distinct: { enabled: false },
      rankingRule: { enabled: false },
      filterable: {
        enabled: false,
        sortBy: 'alpha',
        facetSearch: false,
        equality: false,
        comparison: false,
      },
      localized: { locales: [] },
    });
  });

  it('has nothing of vectors to filter, and sorts by listed names alone', () => {
    const all = { facetSearch: true, filter: { equality: true, comparison: true } };
    const settings = {
      ...DEFAULT_SETTINGS,
      filterableAttributes: [{ attributePatterns: ['*'], features: all }],
      sortableAttributes: ['*', 'price'],
    };
    expect(describeField(settings, '_vectors')).toMatchObject({
      sortable: { enabled: false },
      filterable: { enabled: false, facetSearch: false, equality: false, comparison: false },
    });
    expect(describeField(settings, 'price.amount').sortable.enabled).toBe(true);
  });

  it('counts facet search alone as filterable', () => {
    const filterableAttributes = [
      {
        attributePatterns: ['*'],
        features: { facetSearch: true, filter: { equality: false, comparison: false } },
      },
    ];
    expect(describeField({ ...DEFAULT_SETTINGS, filterableAttributes }, 'title')).toMatchObject({
      filterable: { enabled: true, facetSearch: true, equality: false, comparison: false },
    });
  });

  it('names the direction of its ranking rule, its locales and its filter operators', () => {
    const features = { facetSearch: false, filter: { equality: true, comparison: false } };
    const field = describeField(
      {
        ...DEFAULT_SETTINGS,
        displayedAttributes: ['price'],
        rankingRules: ['words', 'price.amount:desc'],
        distinctAttribute: 'price.amount',
        sortableAttributes: ['price'],
        filterableAttributes: [{ attributePatterns: ['price.*'], features }],
        faceting: { maxValuesPerFacet: 9, sortFacetValuesBy: { '*': 'count' } },
        localizedAttributes: [{ attributePatterns: ['price*'], locales: ['fra'] }],
      },
      'price.amount',
    );
    expect(field).toEqual({
      name: 'price.amount',
      displayed: { enabled: true },
      searchable: { enabled: true },
      sortable: { enabled: true },
      distinct: { enabled: true },
      rankingRule: { enabled: true, order: 'desc' },
      filterable: {
        enabled: true,
        sortBy: 'count',
        facetSearch: false,
        equality: true,
        comparison: false,
      },
      localized: { locales: ['fra'] },
    });
  });
});
