/** What makes pieces of work alike, and what tells the questions of one shape apart. */
import { expect, it } from 'vitest';
import type { QueryTask, QueryWork } from '../../../../src/ipc/queries/query-protocol.ts';
import { questionOf, shapeOf } from '../../../../src/ipc/queries/work-shape.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../../../src/model/search.ts';

const taskOf = (work: QueryWork): QueryTask => ({
  snapshotKey: '1:1',
  manifest: new SharedArrayBuffer(8),
  location: { kind: 'memory', name: 'a' },
  work,
});
const search = (request: Partial<SearchRequest>): QueryTask =>
  taskOf({
    kind: 'search',
    request: { ...DEFAULT_SEARCH_REQUEST, ...request },
    requestUid: 'x',
    spentMs: 0,
  });
const filterOf = (form: unknown): SearchRequest['filter'] => ({ form }) as SearchRequest['filter'];

it.each<[string, Partial<SearchRequest>]>([
  ['words', { q: 'the lost city of the old kings' }],
  ['the length of the last word', { q: 'star w' }],
  ['a filter', { filter: filterOf('year > 2000') }],
  ['the size of a filter', { filter: filterOf('x'.repeat(900)) }],
  ['facets', { facets: ['*'] }],
  ['the number of hits', { limit: 1000 }],
  ['the offset', { offset: 900 }],
  ['a matching strategy', { matchingStrategy: 'any' }],
  ['highlights', { attributesToHighlight: ['*'] }],
])('tells shapes apart by %s', (_, request) => {
  expect(shapeOf(search({ q: 'star wars', ...request }))).not.toBe(
    shapeOf(search({ q: 'star wars' })),
  );
});

it('tells kinds of work apart', () => {
  const works: QueryWork[] = [
    { kind: 'stats' },
    { kind: 'document', id: '1', fields: null, retrieveVectors: false },
    {
      kind: 'facetSearch',
      request: { facetName: 'a', facetQuery: null, search: DEFAULT_SEARCH_REQUEST },
      spentMs: 0,
    },
    { kind: 'search', request: DEFAULT_SEARCH_REQUEST, requestUid: '', spentMs: 0 },
  ];
  expect(new Set(works.map((work) => shapeOf(taskOf(work)))).size).toBe(works.length);
});

it('counts at most a thousand conditions of a filter, however deep they lie', () => {
  let form: unknown = 'a = 1';
  for (let depth = 0; depth < 100_000; depth++) form = [form];
  const deep = search({ filter: filterOf(form) });
  expect(shapeOf(deep)).toBe(shapeOf(search({ filter: filterOf('b') })));
});

it('tells conditions and sorts that are much work from those that look values up', () => {
  const of = (form: unknown): string => shapeOf(search({ filter: filterOf(form) }));
  expect(of('code CONTAINS "a"')).not.toBe(of('code = "a"'));
  expect(of([['code contains "a"']])).not.toBe(of([['code = "a"']]));
  expect(of('_geoRadius(1, 2, 3)')).not.toBe(of('code = "abc"'));
  const byField = [{ kind: 'field', path: 'price', direction: 'asc' }] as const;
  const byPlace = [{ kind: 'geo', lat: 1, lng: 2, direction: 'asc' }] as const;
  expect(shapeOf(search({ sort: byField }))).not.toBe(shapeOf(search({ sort: byPlace })));
});

it('tells questions of one shape apart by words, filter and sort, up to some length', () => {
  const asked = [
    search({ q: 'star' }),
    search({ q: 'lost' }),
    search({ q: 'star', filter: filterOf('code CONTAINS "a"') }),
    search({ q: 'star', filter: filterOf('code CONTAINS "b"') }),
    search({ q: 'star', sort: [{ kind: 'geo', lat: 1, lng: 2, direction: 'asc' }] }),
    search({ q: 'star', sort: [{ kind: 'geo', lat: 1, lng: 3, direction: 'asc' }] }),
    taskOf({
      kind: 'facetSearch',
      request: { facetName: 'a', facetQuery: 'b', search: DEFAULT_SEARCH_REQUEST },
      spentMs: 0,
    }),
  ].map(({ work }) => questionOf(work));
  expect(new Set(asked).size).toBe(asked.length);
  expect(questionOf(search({ q: 'x'.repeat(300) }).work)).toBeNull();
  expect(questionOf(search({ filter: filterOf('x'.repeat(300)) }).work)).toBeNull();
  expect(questionOf(search({ filter: filterOf(Array(5000).fill('a = 1')) }).work)).toBeNull();
  expect(questionOf({ kind: 'stats' })).toBeNull();
});
