/** What is expected to be short: known by its words and its shape; what was long is tried again. */
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

it('believes one long search at once, and after some short ones that such work is short', () => {
  const estimates = new WorkEstimates(LONG_MS);
  for (let i = 0; i < 50; i++) estimates.took(search({ q: `star wars${i}` }), 1);
  estimates.took(search({ q: 'long waits' }), 2000);
  expect(estimates.isShort(search({ q: 'next wars' }))).toBe(false);
  let shorts = 0;
  for (; !estimates.isShort(search({ q: 'next wars' })) && shorts < 1000; shorts++)
    estimates.took(search({ q: `lost cities${shorts}` }), 1);
  expect(shorts).toBeGreaterThan(0);
  expect(shorts).toBeLessThan(10);
});

it('knows a request by its words, whatever its shape took', () => {
  const estimates = new WorkEstimates(LONG_MS);
  estimates.took(search({ q: 'star wars' }), 1);
  for (let i = 0; i < 50; i++) estimates.took(search({ q: `long waits${i}` }), 2000);
  expect(estimates.isShort(search({ q: 'star wars' }))).toBe(true);
  expect(estimates.isShort(search({ q: 'next wars' }))).toBe(false);
});

it('tries what was long again, ever more rarely while it stays long, and trusts it once it is short', () => {
  const estimates = new WorkEstimates(LONG_MS);
  estimates.took(search({ q: 'long waits' }), 2000);
  const tries: number[] = [];
  for (let i = 0; i < 512; i++) {
    if (estimates.isShort(search({ q: 'long waits' }))) tries.push(i);
    estimates.took(search({ q: 'long waits' }), 20);
  }
  expect(tries.slice(0, 7)).toEqual([0, 2, 6, 14, 30, 62, 126]);
  expect(tries.slice(7)).toEqual([190, 254, 318, 382, 446, 510]);
  estimates.took(search({ q: 'long waits' }), 1);
  for (let i = 0; i < 10; i++) {
    expect(estimates.isShort(search({ q: 'long waits' }))).toBe(true);
    estimates.took(search({ q: 'long waits' }), 1);
  }
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
