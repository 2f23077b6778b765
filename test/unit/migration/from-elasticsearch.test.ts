/** Conversion of Elasticsearch mappings, settings and files. */
import { describe, expect, it } from 'vitest';
import { BulkReader } from '../../../src/cli/migrate/bulk-reader.ts';
import {
  mapElasticsearchIndex,
  readElasticsearchIndexes,
} from '../../../src/migration/from-elasticsearch.ts';

const map = (properties: object, settings: object = {}) =>
  mapElasticsearchIndex({
    uid: 'news',
    primaryKey: null,
    mappings: { properties },
    settings: settings as Record<string, unknown>,
  });
const namesOf = ({ notes }: ReturnType<typeof map>) => notes.map(({ name }) => name);
const filter = { equality: true, comparison: true };

describe('a mapping of Elasticsearch', () => {
  it('is converted by the types of its fields and subfields', () => {
    const { settings } = map({
      title: { type: 'text', fields: { raw: { type: 'keyword' } } },
      author: { properties: { name: { type: 'text' }, age: { type: 'integer' } } },
      hidden: { type: 'keyword', index: false },
      off: { type: 'object', enabled: false, properties: { x: { type: 'text' } } },
      date: { type: 'date' },
    });
    expect(settings).toEqual({
      searchableAttributes: ['title', 'author.name'],
      filterableAttributes: [
        'title',
        { attributePatterns: ['author.age', 'date'], features: { facetSearch: false, filter } },
      ],
      sortableAttributes: ['title', 'author.age', 'date'],
    });
  });

  it('notes its losses', () => {
    const mapped = map({
      comments: { type: 'nested', properties: { text: { type: 'text' } } },
      all: { type: 'text', copy_to: 'x', analyzer: 'my_own' },
      area: { type: 'geo_shape' },
      odd: { type: 'of_tomorrow' },
    });
    expect(namesOf(mapped)).toEqual([
      ...['comments', 'analyzer my_own', 'all: copy_to'],
      ...['area of type geo_shape', 'odd of type of_tomorrow'],
    ]);
  });

  it('has analysis in its settings', () => {
    const { settings, notes } = map(
      { text: { type: 'text', analyzer: 'german' } },
      {
        max_result_window: '20000',
        analysis: {
          filter: {
            syn: {
              type: 'synonym_graph',
              synonyms: ['# note', 'tv, television', 'ipod => mp3 player'],
            },
            stop: { type: 'stop', stopwords: ['der', 'die'] },
            stopEn: { type: 'stop', stopwords: '_english_' },
            stem: { type: 'stemmer', language: 'light_german' },
            grams: { type: 'ngram' },
          },
        },
      },
    );
    expect(settings).toMatchObject({
      synonyms: { tv: ['television'], television: ['tv'], ipod: ['mp3 player'] },
      stopWords: ['der', 'die'],
      inflections: ['deu'],
      localizedAttributes: [{ attributePatterns: ['text'], locales: ['deu'] }],
      pagination: { maxTotalHits: 20_000 },
    });
    expect(notes.map(({ name }) => name)).toEqual([
      'stop words _english_',
      'token filter grams (ngram)',
    ]);
  });

  it('converts points of every format', () => {
    const { mapDocument } = map({ at: { properties: { point: { type: 'geo_point' } } } });
    const forms: readonly unknown[] = [
      { lat: 1, lon: 2 },
      '1,2',
      [2, 1],
      'POINT (2 1)',
      { type: 'Point', coordinates: [2, 1] },
      [
        { lat: 1, lon: 2 },
        { lat: 5, lon: 5 },
      ],
    ];
    for (const point of forms)
      expect(mapDocument({ at: { point } }, 'a').set).toEqual({
        _id: 'a',
        _geo: { lat: 1, lng: 2 },
      });
    expect(mapDocument({ 'at.point': 'drm3btev3e86' }, 'a')).toMatchObject({
      set: { _id: 'a' },
      notes: [{ name: 'at.point' }],
    });
  });

  it('moves vectors to `_vectors`', () => {
    const mapped = map({ v: { type: 'dense_vector', dims: 2 } });
    expect(mapped.settings['embedders']).toEqual({ v: { source: 'userProvided', dimensions: 2 } });
    expect(mapped.mapDocument({ v: [1, 2] }, 'a')).toMatchObject({
      set: { _vectors: { v: [1, 2] } },
      remove: ['v'],
    });
  });
});

describe('answers of Elasticsearch', () => {
  const mappings = { properties: { a: { type: 'text' } } };
  it.each([
    ['of an index', { news: { mappings } }, 'news'],
    ['of version 6', { news: { mappings: { _doc: mappings } } }, 'news'],
    ['without a name', { mappings }, ''],
    ['of the fields alone', mappings, ''],
  ])('%s tell the mapping', (_, answer, name) => {
    expect(readElasticsearchIndexes(answer, {}).get(name)?.mappings).toEqual(mappings);
  });

  it('about settings are merged with the mapping', () => {
    const index = { max_result_window: '5' };
    const told = readElasticsearchIndexes({ n: { mappings } }, { n: { settings: { index } } });
    expect(told.get('n')).toEqual({ mappings, settings: index });
  });
});

describe('a file of Elasticsearch', () => {
  const read = (...objects: object[]) => {
    const reader = new BulkReader();
    return objects.map((object) =>
      reader.read(JSON.stringify(object), object as Record<string, unknown>),
    );
  };
  const a = { indexName: 'n', id: '1', text: '{"a":1}' };

  it('is read as lines of the bulk API', () => {
    expect(read({ index: { _index: 'n', _id: '1' } }, { a: 1 })).toEqual([
      { documents: [], notes: [], isOpen: true },
      { documents: [a], notes: [], isOpen: false },
    ]);
    const passed = read({ delete: { _id: '1' } }, { update: { _id: '1' } }, { doc: {} });
    expect(passed.flatMap(({ documents }) => documents)).toEqual([]);
    expect(passed.flatMap(({ notes }) => notes.map(({ name }) => name))).toEqual([
      'delete',
      'update',
    ]);
  });

  it('is read as a dump, as an answer, and as plain documents', () => {
    const line = { _index: 'n', _id: '1', _score: 1, _source: { a: 1 } };
    expect(read(line)[0]?.documents).toEqual([a]);
    expect(read({ took: 1, hits: { total: 1, hits: [line] } })[0]?.documents).toEqual([a]);
    expect(read({ a: 1 })[0]?.documents).toEqual([{ ...a, indexName: null, id: null }]);
    // An object that looks like an action, but is a document.
    expect(read({ index: { name: 'x' } })[0]?.documents).toHaveLength(1);
  });
});
