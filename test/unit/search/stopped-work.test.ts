/**
 * All stages of a search except ranking stop when the request ends. The clock advances at each
 * read.
 */
import { describe, expect, it } from 'vitest';
import { parseAggregations } from '../../../src/api/searches/parse-aggregations.ts';
import { Deadline, WorkEnd, WorkStopped } from '../../../src/core/deadline.ts';
import { FilterClock } from '../../../src/model/filter/filter-clock.ts';
import { filterForm, unparsedFilter } from '../../../src/model/filter/filter-form.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../../src/model/search.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';
import { writeSearchAnswer } from '../../../src/search/answer/write-answer.ts';
import { executeFederatedSearch } from '../../../src/search/execute-federated-search.ts';
import { executeSearch } from '../../../src/search/execute-search.ts';
import { searchFacet } from '../../../src/search/facet-search.ts';
import { readDocuments } from '../../../src/search/read-documents.ts';
import { countFacets } from '../../../src/search/values/facet-distribution.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';

const COUNT = 2000;
const snapshot = buildSnapshot({
  documents: Array.from({ length: COUNT }, (_, id) => ({ id, code: `c${id}`, body: 'sun' })),
  settings: { filterableAttributes: ['code', 'id'] },
});
const facts = () => ({ requestUid: '', processingTimeMs: 0 });

/** Expires at the given read of the clock. */
const stopAfter = (looks: number): Deadline => {
  let time = 0;
  const now = () => time++;
  return Deadline.at(Number.POSITIVE_INFINITY, now, new WorkEnd(looks, now, () => false));
};
const FEATURES = { containsFilter: true, multimodal: true, foreignKeys: true };
const filterOf = (text: string): SearchRequest['filter'] =>
  unparsedFilter(filterForm(text, 'invalid_search_filter'), FEATURES);
const answered = (request: Partial<SearchRequest>, found: Deadline, written: Deadline) => {
  const whole = { ...DEFAULT_SEARCH_REQUEST, ...request };
  const outcome = executeSearch(snapshot, whole, found);
  return writeSearchAnswer(snapshot, whole, outcome, facts, { deadline: written }).bytes;
};
const codes = (count: number): string =>
  Array.from({ length: count }, (_, i) => `code = x${i}`).join(' OR ');

describe('work of an ended request', () => {
  it.each([
    ['a filter of few conditions', codes(20)],
    ['a filter of many', codes(1000)],
    ['a look at every value', 'code CONTAINS x'],
    ['a list of values', `code IN [${Array.from({ length: COUNT }, (_, i) => `x${i}`)}]`],
  ])('is stopped in %s', (_, text) => {
    const request = { filter: filterOf(text) };
    expect(() => answered(request, stopAfter(3), Deadline.never())).toThrow(WorkStopped);
    expect(answered(request, stopAfter(1e9), Deadline.never())).toHaveProperty('length');
  });

  it('is stopped between words of a query', () => {
    const request = { q: 'sun son sum' };
    expect(() => answered(request, stopAfter(2), Deadline.never())).toThrow(WorkStopped);
    expect(answered(request, stopAfter(1e9), Deadline.never())).toHaveProperty('length');
  });

  it('is stopped between values of a facet search, the first and later ones', () => {
    const request = { facetName: 'code', facetQuery: 'c1900', search: DEFAULT_SEARCH_REQUEST };
    expect(() => searchFacet(snapshot, request, stopAfter(8))).toThrow(WorkStopped);
    expect(searchFacet(snapshot, request, stopAfter(1e9))).not.toHaveLength(0);
    expect(() => searchFacet(snapshot, request, stopAfter(8))).toThrow(WorkStopped);
  });

  it('is stopped between hits and between facets', () => {
    for (const request of [{ limit: 20 }, { limit: 0, facets: ['*'] }]) {
      expect(() => answered(request, Deadline.never(), stopAfter(1))).toThrow(WorkStopped);
      expect(answered(request, Deadline.never(), stopAfter(1e9))).toHaveProperty('length');
    }
  });

  it.each([
    ['a long text', 'sun and '.repeat(10_000)],
    ['a long text that is no Latin one', 'солнце и '.repeat(10_000)],
    ['many short texts', Array.from({ length: 10_000 }, () => 'sun')],
  ])('is stopped within one document: highlights of %s', (_, body) => {
    const large = buildSnapshot({ documents: [{ id: 1, body }] });
    const request = { ...DEFAULT_SEARCH_REQUEST, q: 'sun', attributesToHighlight: ['*'] };
    const found = { ...request, q: '' };
    const outcome = executeSearch(large, found, Deadline.never());
    const { query } = executeSearch(large, request, Deadline.never());
    const written = (deadline: Deadline) =>
      writeSearchAnswer(large, request, { ...outcome, query }, facts, { deadline }).bytes;
    expect(() => written(stopAfter(3))).toThrow(WorkStopped);
    expect(written(stopAfter(1e9))).toHaveProperty('length');
  });

  it.each(['alpha', 'count'] as const)(
    'is stopped within one facet of many values, in the order %s',
    (order) => {
      const faceting = { ...DEFAULT_SETTINGS.faceting, sortFacetValuesBy: { code: order } };
      const many = buildSnapshot({
        documents: Array.from({ length: 8000 }, (_, id) => ({ id, code: `c${id}` })),
        settings: {
          filterableAttributes: ['code'],
          faceting: { ...faceting, maxValuesPerFacet: 7000 },
        },
      });
      const counted = (deadline: Deadline) => countFacets(many, ['code'], many.live, deadline);
      expect(() => counted(stopAfter(3))).toThrow(WorkStopped);
      expect(counted(stopAfter(1e9))[0]?.values.size).toBe(7000);
    },
  );

  it.each([
    ['dates', { type: 'dateHistogram', attribute: 'id', interval: 'hour' }],
    [
      'dates in a zone',
      { type: 'dateHistogram', attribute: 'id', interval: 'day', timeZone: 'Asia/Tokyo' },
    ],
    ['texts', { type: 'cardinality', attribute: 'code' }],
    ['numbers', { type: 'percentiles', attribute: 'id' }],
  ] as const)('is stopped within an aggregation of %s', (_, aggregation) => {
    const request = {
      limit: 0,
      aggregations: parseAggregations({ a: aggregation }, FEATURES),
    };
    expect(() => answered(request, Deadline.never(), stopAfter(1))).toThrow(WorkStopped);
    expect(answered(request, Deadline.never(), stopAfter(1e9))).toHaveProperty('length');
  });

  it('is stopped between groups of several indexes, and until their facets are merged', () => {
    const window = { offset: 0, limit: 20 };
    const grouping = { groupBy: 'code', groupSize: 2 };
    const request = { ...DEFAULT_SEARCH_REQUEST, ...grouping, ...window };
    const searched = (deadline: Deadline) => {
      const queries = [{ request, position: 0, weight: 1 }];
      const alone = { isShared: false, remote: null, isForPeer: false };
      const shared = { window, distinct: null, ...alone, mergesFacets: true };
      const own = { queries, grouping: { ...grouping, preceding: null }, facets: ['code', 'id'] };
      const search = { ...shared, ...own };
      const index = { snapshot, search, deadline, foreign: new Map(), textOf: null };
      return executeFederatedSearch([index, index]).parts;
    };
    let looks = 0;
    const look = () => looks++;
    const end = new WorkEnd(Number.POSITIVE_INFINITY, look, () => false);
    const counts = { candidateCount: COUNT, groupedCount: COUNT };
    expect(searched(Deadline.at(Number.POSITIVE_INFINITY, look, end))).toMatchObject([
      counts,
      { candidateCount: 0, groupedCount: COUNT },
    ]);
    expect(looks).toBeGreaterThan(50);
    for (const last of [5, looks >> 1, looks - 5])
      expect(() => searched(stopAfter(last))).toThrow(WorkStopped);
  });

  it('is stopped between groups, and while their facets are counted', () => {
    const request = { groupBy: 'code' };
    expect(() => answered(request, stopAfter(20), Deadline.never())).toThrow(WorkStopped);
    expect(answered(request, stopAfter(1e9), Deadline.never())).toHaveProperty('length');
    const counted = { ...request, limit: 0, facets: ['id'] };
    expect(() => answered(counted, Deadline.never(), stopAfter(1))).toThrow(WorkStopped);
    expect(answered(counted, Deadline.never(), stopAfter(1e9))).toHaveProperty('length');
  });

  it('is stopped between document reads', () => {
    const request = {
      offset: 0,
      limit: COUNT,
      ids: null,
      filter: null,
      sort: [],
      fields: null,
      retrieveVectors: false,
    };
    expect(() => readDocuments(snapshot, request, stopAfter(3))).toThrow(WorkStopped);
    const ids = Array.from({ length: COUNT }, (_, id) => String(id));
    expect(() => readDocuments(snapshot, { ...request, ids }, stopAfter(3))).toThrow(WorkStopped);
  });

  it('ends a filter with another kind of deadline only by the limit of the filter', () => {
    let time = 0;
    const clock = new FilterClock(
      Deadline.after(1, () => time),
      'invalid_search_filter',
    );
    time = 1000;
    for (let i = 0; i < 1000; i++) clock.tick();
    time = 5000;
    expect(() => {
      for (let i = 0; i < 16; i++) clock.tick();
    }).toThrow('too many conditions');
  });
});
