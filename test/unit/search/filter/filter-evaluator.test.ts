/**
 * Documents that filters select, and filters that the settings refuse;
 * `test/property/filter-oracle.test.ts` compares filters with their definitions.
 */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import { parseFilter } from '../../../../src/model/filter/parse-filter.ts';
import type { FilterableRule, Settings } from '../../../../src/model/settings.ts';
import { executeSearch } from '../../../../src/search/execute-search.ts';
import { filterDocuments, parsedFilter } from '../../../../src/search/filter/filter-evaluator.ts';
import { checkPermissions } from '../../../../src/search/filter/filter-permissions.ts';
import { readDocuments } from '../../../../src/search/read-documents.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type SourceDocument,
} from '../../../support/build-snapshot.ts';
import { searchFilter, searchRequest } from '../../../support/search-request.ts';

const NEVER = Deadline.never();

function select(
  documents: readonly object[],
  filter: unknown,
  settings: Partial<Settings> = {},
  clock = NEVER,
): number[] {
  const snapshot = buildSnapshot({
    documents: documents.map((document, id) => ({ id, ...document }) as SourceDocument),
    settings: { filterableAttributes: ['a', 'o', '_geo'], ...settings },
    segmentCount: Math.min(2, documents.length),
  });
  const options = { code: 'invalid_search_filter', deadline: clock } as const;
  const [found, foundAgain] = [1, 2].map(() => [
    ...(
      filterDocuments(snapshot, parsedFilter(searchFilter(filter), options)) ?? snapshot.live
    ).toList(),
  ]);
  expect(foundAgain).toEqual(found);
  return found!;
}

function failure(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const rule = (
  attributePatterns: string[],
  equality: boolean,
  comparison: boolean,
): FilterableRule => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality, comparison } },
});

describe('values in filters', () => {
  it.each([
    ['a = 5', [0, 1]],
    ['a = "5.0"', [0]],
    ['a = 5.', [0]],
    ['a = "+5"', [0]],
    ['a = "0x5"', []],
    ['a = " 5 "', [1]],
  ])('%s finds numbers and texts', (filter, wanted) => {
    expect(select([{ a: 5 }, { a: '5' }, { a: 6 }], filter)).toEqual(wanted);
  });

  it.each([
    ['a = -0', []],
    ['a != -0', [0, 1, 2]],
    ['a >= -0', [1]],
    ['a > -0', [1]],
    ['a < -0', [0, 2]],
    ['a <= -0', [0, 2]],
    ['a -0 TO 5', [1]],
    ['a -5 TO -0', [0, 2]],
    ['a IN [-0]', []],
    ['a = 0', [0]],
  ])('ranks −0 just above 0: %s', (filter, wanted) => {
    expect(select([{ a: 0 }, { a: 1 }, { a: -1 }], filter)).toEqual(wanted);
  });

  it('treats numbers beyond 64 bits and infinities as strings', () => {
    expect(
      select([{ a: 'Infinity' }, { a: '1e400' }, { a: 1 }], 'a = 1e400 OR a = infinity'),
    ).toEqual([0, 1]);
  });

  it('compares numbers and strings with a number, and only strings with a string', () => {
    const documents = [{ a: 9 }, { a: 'abc' }, { a: [1, 'zz'] }, { a: 'ABB' }];
    expect(select(documents, 'a > 5')).toEqual([0, 1, 2, 3]);
    expect(select(documents, 'a > abb')).toEqual([1, 2]);
    expect(select(documents, 'a 10 TO 5')).toEqual([]);
  });

  it('keeps accents apart, folds case and compatibility forms', () => {
    const documents = [{ a: 'Été' }, { a: 'ete' }, { a: '\uFB01n' }, { a: '  été ' }];
    expect(select(documents, 'a = "ÉTÉ"')).toEqual([0, 3]);
    expect(select(documents, 'a = FIN')).toEqual([2]);
  });

  it('never equals a value that is longer than the stored part', () => {
    const [long, most] = ['x'.repeat(600), 'x'.repeat(468)];
    expect(select([{ a: long }], `a = ${long}`)).toEqual([]);
    expect(select([{ a: long }, { a: most }], `a = ${most}`)).toEqual([0, 1]);
    expect(select([{ a: long }], `a STARTS WITH ${'x'.repeat(400)}`)).toEqual([0]);
  });

  it('distinguishes null, empty and missing', () => {
    const documents = [
      { a: null },
      { a: [null] },
      { a: '' },
      { a: [] },
      { a: {} },
      { a: [''] },
      {},
      { a: 1 },
    ];
    expect(select(documents, 'a IS NULL')).toEqual([0]);
    expect(select(documents, 'a IS EMPTY')).toEqual([2, 3, 4]);
    expect(select(documents, 'a NOT EXISTS')).toEqual([6]);
    expect(select(documents, 'NOT a NOT EXISTS')).toEqual([0, 1, 2, 3, 4, 5, 7]);
    expect(select(documents, 'a != 1')).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('reads conditions on an array of objects independently', () => {
    expect(
      select(
        [
          {
            o: [
              { x: 1, y: 3 },
              { x: 2, y: 4 },
            ],
          },
          { o: { x: 1 } },
        ],
        'o.x = 1 AND o.y = 4',
      ),
    ).toEqual([0]);
  });

  it('matches nothing by an unknown attribute, not even by !=, and everything by its complements', () => {
    const one = [{ b: 1 }];
    for (const filter of ['a = 1', 'a != 1', 'a EXISTS', 'a > 1', 'a CONTAINS x'])
      expect(select(one, filter)).toEqual([]);
    for (const filter of [
      'NOT a = 1',
      'a NOT IN [1]',
      'a NOT EXISTS',
      'a IS NOT NULL',
      'NOT a != 1',
    ])
      expect(select(one, filter)).toEqual([0]);
  });

  it('finds the same by a list of more values than the attribute has', () => {
    const documents = Array.from({ length: 50 }, (_, i) => ({ a: i % 2 === 0 ? i : `t${i}` }));
    const values = Array.from({ length: 5000 }, (_, i) => (i % 3 === 0 ? `${i}` : `t${i}`));
    const wanted = documents.flatMap(({ a }, i) => (values.includes(String(a)) ? [i] : []));
    expect(select(documents, `a IN [${values.join()}]`)).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(10);
  });
});

describe('geo filters', () => {
  const places = [
    { _geo: { lat: 48.85, lng: 2.35 } },
    { _geo: { lat: '51.5', lng: '-0.12' } },
    { _geo: null },
    {},
    { _geo: { lat: -17, lng: 179.9 } },
  ];

  it.each([
    ['_geoRadius(48.85, 2.35, 0)', [0]],
    ['_geoRadius(48.85, 2.35, 400000)', [0, 1]],
    ['NOT _geoRadius(48.85, 2.35, 400000)', [2, 3, 4]],
    ['_geoRadius(48.85, 2.35, -1)', []],
    ['_geoRadius(-17, -179.9, 50000)', [4]],
    ['_geoBoundingBox([52, 3], [48, -1])', [0, 1]],
    ['_geoBoundingBox([0, -170], [-20, 170])', [4]],
    ['_geoBoundingBox([52, 0], [48, -1]) OR _geoRadius(48.85, 2.35, 10) OR a = 1', [0, 1]],
  ])('%s', (filter, wanted) => {
    expect(select(places, filter)).toEqual(wanted);
  });

  it('use the current location of a document, not an earlier one', () => {
    const at = (lat: number) => ({ id: 1, _geo: { lat, lng: 0 } }) as SourceDocument;
    const snapshot = buildPlacedSnapshot({
      segments: [
        [{ docId: 1, document: at(10), isDead: true }],
        [{ docId: 1, document: at(50), isDead: false }],
      ],
      settings: { filterableAttributes: ['_geo'] },
    });
    const found = (lat: number): number[] => {
      const filter = searchFilter(`_geoRadius(${lat}, 0, 1000)`);
      const options = { code: 'invalid_search_filter', deadline: NEVER } as const;
      return [...(filterDocuments(snapshot, parsedFilter(filter, options))?.toList() ?? [])];
    };
    expect([found(10), found(50)]).toEqual([[], [1]]);
  });

  it('need `_geo` by its name among the filterable attributes', () => {
    for (const filterableAttributes of [[], ['a'], ['*'], [rule(['_geo'], true, true)]]) {
      const error = failure(() => select(places, '_geoRadius(1, 2, 3)', { filterableAttributes }));
      expect(error.code).toBe('invalid_search_filter');
      expect(error.message).toContain('`_geo` or `_geojson`');
    }
    expect(failure(() => select(places, '_geoPolygon([0,0],[0,1],[1,1])')).message).toContain(
      '`_geojson`',
    );
  });
});

describe('filterable attributes', () => {
  const documents = [{ a: 1, ab: 2, c: { d: 3 } }];
  const refused = (
    filter: string,
    filterableAttributes: Settings['filterableAttributes'],
    rest = {},
  ): string => {
    const error = failure(() => select(documents, filter, { filterableAttributes, ...rest }));
    expect(error.code).toBe('invalid_search_filter');
    return error.message;
  };

  it('names the attribute, its column and what is filterable', () => {
    const message = refused('a = 1 AND zz = 2', ['a', 'c']);
    for (const part of ['`zz`', 'column 11', '`a`', '`c`']) expect(message).toContain(part);
    expect(refused('a = 1', [])).toContain('does not have');
  });

  it('also checks conditions that the answer does not depend on', () => {
    expect(refused('a = 99 AND zz = 2', ['a'])).toContain('`zz`');
    expect(refused('a = 1 OR zz = 2', ['a'])).toContain('`zz`');
  });

  it('covers the fields below a plain name', () => {
    expect(select(documents, 'c.d = 3', { filterableAttributes: ['c'] })).toEqual([0]);
  });

  it('does not name hidden attributes', () => {
    expect(refused('zz = 1', ['secret', 'a'], { displayedAttributes: ['a'] })).not.toContain(
      'secret',
    );
  });

  it('lets the first matching rule decide, also against a later one', () => {
    expect(refused('a = 1', [rule(['a*'], false, false), 'a'])).toContain('rule 0');
    expect(
      select(documents, 'a = 1', { filterableAttributes: ['a', rule(['a*'], false, false)] }),
    ).toEqual([0]);
  });

  it('lists the operators of the rule', () => {
    const equality = [rule(['b*'], true, true), rule(['a'], true, false)];
    for (const filter of ['a > 0', 'a <= 1', 'a 0 TO 1']) {
      const message = refused(filter, equality);
      for (const part of ['`=`', '`!=`', '`IN`', 'rule 1']) expect(message).toContain(part);
    }
    const comparison = [rule(['a'], false, true)];
    for (const filter of ['a = 1', 'a != 1', 'a IN [1]', 'a NOT IN [1]']) {
      const message = refused(filter, comparison);
      for (const part of ['`<`', '`TO`', 'rule 0']) expect(message).toContain(part);
    }
    for (const filterableAttributes of [equality, comparison]) {
      for (const filter of [
        'a EXISTS',
        'a IS NOT NULL',
        'a IS NOT EMPTY',
        'NOT a CONTAINS x',
        'NOT a STARTS WITH x',
      ])
        expect(select(documents, filter, { filterableAttributes })).toEqual([0]);
    }
  });

  it('treats a field of deleted documents as one that documents lack', () => {
    const snapshot = buildSnapshot({
      documents: [{ id: 1, a: 1 }],
      settings: { filterableAttributes: [rule(['gone', 'never'], true, false)] },
    });
    const met = { ...snapshot, manifest: { ...snapshot.manifest, seenFieldPaths: ['gone'] } };
    const count = (filter: string) => {
      const options = { code: 'invalid_search_filter', deadline: NEVER } as const;
      return filterDocuments(met, parsedFilter(searchFilter(filter), options))?.count;
    };
    expect([count('gone != 1'), count('never != 1'), count('never > 1')]).toEqual([1, 0, 0]);
    expect(failure(() => count('gone > 1')).code).toBe('invalid_search_filter');
  });

  it('refuses operators only on fields of documents, and no empty list', () => {
    const settings = { filterableAttributes: [rule(['*'], true, false), 'zz'] };
    expect(select(documents, 'nope > 1', settings)).toEqual([]);
    expect(select(documents, 'NOT nope 1 TO 2', settings)).toEqual([0]);
    const comparison = { filterableAttributes: [rule(['a'], false, true)] };
    expect(select(documents, 'a IN []', comparison)).toEqual([]);
  });
});

describe('filters of very many conditions', () => {
  it('are refused when they take too long; filters of few conditions never are', () => {
    let nowMs = 0;
    const slow = Deadline.after(0, () => (nowMs += 500));
    const chain = (count: number): string =>
      Array.from({ length: count }, (_, i) => `NOT a = ${i}`).join(' OR ');
    expect(select([{ a: 1 }], chain(10), {}, slow)).toEqual([0]);
    const error = failure(() => select([{ a: 1 }], chain(5000), {}, slow));
    expect([error.code, error.message]).toEqual([
      'invalid_search_filter',
      expect.stringContaining('too many conditions'),
    ]);
  });
});

it('permissions are checked under the time limit of filters, for each condition', () => {
  const { columns, manifest } = buildSnapshot({ documents: [{ id: 1 }] });
  const filterableAttributes = [rule(['*'], true, true)];
  const settings = { ...manifest.settings, filterableAttributes };
  const code = 'invalid_search_filter';
  const node = parseFilter('a = 1 OR NOT (b > 2 AND c EXISTS)', code, NO_FEATURES);
  let ticks = 0;
  const clock = {
    tick: () => {
      ticks += 1;
    },
  };
  const source = { columns, manifest: { ...manifest, settings } };
  checkPermissions(node!, source, { code, clock, foreign: new Map() });
  expect(ticks).toBe(3);
});

describe('filters of requests', () => {
  const snapshot = buildSnapshot({
    documents: [
      { id: 1, title: 'green tea', kind: 'x' },
      { id: 2, title: 'green tree', kind: 'y' },
      { id: 3, title: 'tea', kind: 'y' },
    ],
    settings: { filterableAttributes: ['kind', 'title'] },
  });

  it.each([
    [null, 'kind = y', [1, 2]],
    ['tea', 'kind = y', [2]],
    ['green', ['kind = y'], [1]],
    ['-green tea', null, [2]],
    [null, [], [0, 1, 2]],
  ])('search %j by %j', (q, filter, wanted) => {
    const found = executeSearch(
      snapshot,
      searchRequest({ q, filter, matchingStrategy: 'all' }),
      NEVER,
    );
    expect(found.documents.map(({ doc }) => doc as number).sort()).toEqual(wanted);
    expect(found.candidates.count).toBe(wanted.length);
  });

  it('let searches use CONTAINS only with its feature', () => {
    const filter = 'title CONTAINS tre';
    const find = (containsFilter: boolean) =>
      executeSearch(snapshot, searchRequest({ filter, containsFilter }), NEVER).candidates.count;
    expect(failure(() => find(false)).code).toBe('feature_not_enabled');
    expect(find(true)).toBe(1);
  });

  it('read documents by filter and ids together', () => {
    const request = { offset: 0, limit: 20, fields: ['id'], sort: [], retrieveVectors: false };
    const read = (filter: unknown, ids: string[] | null): unknown =>
      JSON.parse(
        new TextDecoder().decode(
          readDocuments(snapshot, { ...request, filter: searchFilter(filter), ids }),
        ),
      );
    expect(read('kind = y', null)).toMatchObject({ results: [{ id: 2 }, { id: 3 }], total: 2 });
    expect(read('kind = y', ['3', '1'])).toMatchObject({ results: [{ id: 3 }], total: 1 });
    expect(failure(() => read('id = 1', null)).code).toBe('invalid_document_filter');
  });

  it('answer invalid_search_filter for an operator on every route', () => {
    const equality = buildSnapshot({
      documents: [{ id: 1, kind: 1 }],
      settings: { filterableAttributes: [rule(['kind'], true, false)] },
    });
    const request = { offset: 0, limit: 20, fields: null, sort: [], retrieveVectors: false };
    const read = () =>
      readDocuments(equality, { ...request, filter: searchFilter('kind > 0'), ids: null });
    expect(failure(read).code).toBe('invalid_search_filter');
  });
});
