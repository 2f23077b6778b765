/** Conversion of a Typesense collection. */
import { describe, expect, it } from 'vitest';
import {
  mapTypesenseCollection,
  type TypesenseExport,
} from '../../../src/migration/from-typesense.ts';

const map = (schema: object, more: Partial<TypesenseExport> = {}) =>
  mapTypesenseCollection({
    indexUid: null,
    queryBy: [],
    weights: [],
    synonyms: [],
    stopWordSets: [],
    overrides: [],
    schema: { name: 'books', ...schema },
    ...more,
  });
const namesOf = ({ notes }: ReturnType<typeof map>) => notes.map(({ name }) => name);
const filter = { equality: true, comparison: true };

describe('a collection of Typesense', () => {
  it('has searchable texts, filterable values and sortable numbers', () => {
    const { uid, settings } = map({
      fields: [
        { name: 'title', type: 'string', sort: true },
        { name: 'authors', type: 'string[]', facet: true },
        { name: 'year', type: 'int32' },
        { name: 'pages', type: 'int32', sort: false },
        { name: 'cover', type: 'string', index: false },
      ],
      default_sorting_field: 'year',
    });
    expect(uid).toBe('books');
    expect(settings).toEqual({
      searchableAttributes: ['title', 'authors'],
      filterableAttributes: [
        'authors',
        { attributePatterns: ['title', 'year', 'pages'], features: { facetSearch: false, filter } },
      ],
      sortableAttributes: ['title', 'year'],
      rankingRules: [
        ...['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
        'year:desc',
      ],
    });
  });

  it('orders searchable attributes by weight', () => {
    const fields = [
      { name: 'a', type: 'string' },
      { name: 'b', type: 'string' },
    ];
    const mapped = map({ fields }, { queryBy: ['a', 'b'], weights: [1, 3] });
    expect(mapped.settings['searchableAttributes']).toEqual(['b', 'a']);
    expect(namesOf(mapped)).toContain('query_by_weights');
  });

  it('keeps languages, stems, symbols, synonyms and stop words', () => {
    const { settings } = map(
      {
        fields: [{ name: 'text', type: 'string', locale: 'de', stem: true }],
        symbols_to_index: ['+'],
        token_separators: ['-'],
      },
      {
        synonyms: [
          { id: '1', synonyms: ['a', 'b'] },
          { name: 'set', items: [{ id: '2', root: 'c', synonyms: ['d'] }] },
        ],
        stopWordSets: [{ id: 's', stopwords: ['der', 'die'] }],
      },
    );
    expect(settings).toMatchObject({
      localizedAttributes: [{ attributePatterns: ['text'], locales: ['deu'] }],
      inflections: ['deu'],
      nonSeparatorTokens: ['+'],
      separatorTokens: ['-'],
      synonyms: { a: ['b'], b: ['a'], c: ['d'] },
      stopWords: ['der', 'die'],
    });
  });

  it('notes its losses with the field', () => {
    const mapped = map(
      {
        fields: [
          { name: 'code', type: 'string', infix: true, reference: 'others.id' },
          { name: 'area', type: 'geopolygon' },
          { name: 'odd', type: 'quaternion' },
          { name: 'second', type: 'string', num_dim: 0, locale: '', infix: false },
        ],
        curation_sets: ['c'],
      },
      { overrides: [{ id: 'pin' }] },
    );
    expect(namesOf(mapped)).toEqual(
      expect.arrayContaining([
        ...['code: reference', 'area of type geopolygon'],
        ...['odd of type quaternion', 'curation_sets', 'override pin'],
      ]),
    );
    expect(namesOf(mapped).filter((name) => name.startsWith('second'))).toEqual([]);
    expect(mapped.settings).toMatchObject({ substringAttributes: ['code'] });
  });

  it('has documents with `_geo` and `_vectors`', () => {
    const { settings, mapDocument } = map({
      fields: [
        { name: 'where', type: 'geopoint[]' },
        { name: 'meaning', type: 'float[]', num_dim: 2, embed: { from: ['title'] } },
      ],
    });
    expect(settings['embedders']).toEqual({ meaning: { source: 'userProvided', dimensions: 2 } });
    const points = [
      [48.8, 2.3],
      [1, 2],
    ];
    const { set, remove } = mapDocument({ id: '1', where: points, meaning: [1, 0] });
    expect(set).toEqual({ _geo: { lat: 48.8, lng: 2.3 }, _vectors: { meaning: [1, 0] } });
    expect(remove).toEqual(['meaning']);
    expect(mapDocument({ id: '2', where: [48.8, 2.3] }).set).toEqual({
      _geo: { lat: 48.8, lng: 2.3 },
      _vectors: { meaning: null },
    });
  });
});
