/** What is expected to be short: known by its shape and by its words, learnt quickly, forgotten slowly. */
import { expect, it } from 'vitest';
import type { QueryTask, QueryWork } from '../../../src/ipc/query-protocol.ts';
import { shapeOf, WorkEstimates } from '../../../src/ipc/work-estimates.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../../src/model/search.ts';

const taskOf = (work: QueryWork, snapshotKey = '1:1'): QueryTask => ({
  snapshotKey,
  manifest: new SharedArrayBuffer(8),
  location: { kind: 'memory', name: 'a' },
  work,
});
const search = (request: Partial<SearchRequest>, snapshotKey?: string): QueryTask =>
  taskOf(
    {
      kind: 'search',
      request: { ...DEFAULT_SEARCH_REQUEST, ...request },
      requestUid: 'x',
      spentMs: 0,
    },
    snapshotKey,
  );
const LONG_MS = 5;

it('knows nothing of a shape until such work has been done, on that index, in any generation', () => {
  const estimates = new WorkEstimates(LONG_MS);
  expect(estimates.isShort(search({ q: 'star wars' }))).toBe(false);
  estimates.took(search({ q: 'star wars' }), 1);
  expect(estimates.isShort(search({ q: 'lost city' }))).toBe(true);
  expect(estimates.isShort(search({ q: 'lost city' }, '1:2'))).toBe(true);
  expect(estimates.isShort(search({ q: 'lost city' }, '2:1'))).toBe(false);
});

it.each<[string, Partial<SearchRequest>]>([
  ['words', { q: 'the lost city of the old kings' }],
  ['the length of the last word', { q: 'star w' }],
  ['a filter', { filter: { form: 'year > 2000' } as SearchRequest['filter'] }],
  ['the size of a filter', { filter: { form: 'x'.repeat(900) } as SearchRequest['filter'] }],
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

it('believes one long search at once, and only after many short ones that such work is short', () => {
  const estimates = new WorkEstimates(LONG_MS);
  for (let i = 0; i < 50; i++) estimates.took(search({ q: 'star wars' }), 1);
  estimates.took(search({ q: 'long waits' }), 2000);
  expect(estimates.isShort(search({ q: 'star wars' }))).toBe(false);
  let shorts = 0;
  for (; !estimates.isShort(search({ q: 'star wars' })) && shorts < 1000; shorts++)
    estimates.took(search({ q: 'star wars' }), 1);
  expect(shorts).toBeGreaterThan(20);
  expect(shorts).toBeLessThan(100);
  expect(estimates.isShort(search({ q: 'long waits' }))).toBe(false);
});

it('remembers a bounded number of shapes and words, the latest', () => {
  const estimates = new WorkEstimates(LONG_MS);
  for (let index = 0; index < 10_000; index++) estimates.took(search({ q: 'a' }, `${index}:1`), 1);
  expect(estimates.isShort(search({ q: 'a' }, '0:1'))).toBe(false);
  expect(estimates.isShort(search({ q: 'a' }, '9999:1'))).toBe(true);
});

it('counts at most a thousand conditions of a filter, however deep they lie', () => {
  let form: unknown = 'a = 1';
  for (let depth = 0; depth < 100_000; depth++) form = [form];
  const deep = search({ filter: { form } as SearchRequest['filter'] });
  expect(shapeOf(deep)).toBe(shapeOf(search({ filter: { form: 'b' } as SearchRequest['filter'] })));
});
