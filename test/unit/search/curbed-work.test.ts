/**
 * Goal: what a search does beside ranking is given up, too, once the time that it was given in place
 * is over. Method: a clock that moves on with each look at it.
 */
import { describe, expect, it } from 'vitest';
import { BudgetSpent, Deadline } from '../../../src/core/deadline.ts';
import { FilterClock } from '../../../src/model/filter/filter-clock.ts';
import { filterForm, unparsedFilter } from '../../../src/model/filter/filter-form.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../../src/model/search.ts';
import { writeSearchAnswer } from '../../../src/search/answer/write-answer.ts';
import { executeSearch } from '../../../src/search/execute-search.ts';
import { searchFacet } from '../../../src/search/facet-search.ts';
import { readDocuments } from '../../../src/search/read-documents.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';

const COUNT = 2000;
const snapshot = buildSnapshot({
  documents: Array.from({ length: COUNT }, (_, id) => ({ id, code: `c${id}`, body: 'sun' })),
  settings: { filterableAttributes: ['code', 'id'] },
});
const facts = () => ({ requestUid: '', processingTimeMs: 0 });

/** Lets so many looks pass. */
const curbAfter = (looks: number): Deadline => {
  let time = 0;
  return Deadline.curb(looks, () => time++);
};
const filterOf = (text: string): SearchRequest['filter'] =>
  unparsedFilter(filterForm(text, 'invalid_search_filter'), {
    containsFilter: true,
    multimodal: true,
    foreignKeys: true,
  });
const answered = (request: Partial<SearchRequest>, found: Deadline, written: Deadline) => {
  const whole = { ...DEFAULT_SEARCH_REQUEST, ...request };
  const outcome = executeSearch(snapshot, whole, found);
  return writeSearchAnswer(snapshot, whole, outcome, facts, { deadline: written }).bytes;
};
const codes = (count: number): string =>
  Array.from({ length: count }, (_, i) => `code = x${i}`).join(' OR ');

describe('curbed work', () => {
  it.each([
    ['a filter of few conditions', codes(20)],
    ['a filter of many', codes(1000)],
    ['a look at every value', 'code CONTAINS x'],
    ['a list of values', `code IN [${Array.from({ length: COUNT }, (_, i) => `x${i}`)}]`],
  ])('is given up in %s', (_, text) => {
    const request = { filter: filterOf(text) };
    expect(() => answered(request, curbAfter(3), Deadline.never())).toThrow(BudgetSpent);
    expect(answered(request, curbAfter(1e9), Deadline.never())).toHaveProperty('length');
  });

  it('is given up between words of a query', () => {
    const request = { q: 'sun son sum' };
    expect(() => answered(request, curbAfter(2), Deadline.never())).toThrow(BudgetSpent);
    expect(answered(request, curbAfter(1e9), Deadline.never())).toHaveProperty('length');
  });

  it('is given up between values of a facet search, the first and later ones', () => {
    const request = { facetName: 'code', facetQuery: 'c1900', search: DEFAULT_SEARCH_REQUEST };
    expect(() => searchFacet(snapshot, request, curbAfter(8))).toThrow(BudgetSpent);
    expect(searchFacet(snapshot, request, curbAfter(1e9))).not.toHaveLength(0);
    expect(() => searchFacet(snapshot, request, curbAfter(8))).toThrow(BudgetSpent);
  });

  it('is given up between hits and between facets', () => {
    for (const request of [{ limit: 20 }, { limit: 0, facets: ['*'] }]) {
      expect(() => answered(request, Deadline.never(), curbAfter(1))).toThrow(BudgetSpent);
      expect(answered(request, Deadline.never(), curbAfter(1e9))).toHaveProperty('length');
    }
  });

  it('is given up between documents that are read', () => {
    const request = {
      offset: 0,
      limit: COUNT,
      ids: null,
      filter: null,
      sort: [],
      fields: null,
      retrieveVectors: false,
    };
    expect(() => readDocuments(snapshot, request, curbAfter(3))).toThrow(BudgetSpent);
    const ids = Array.from({ length: COUNT }, (_, id) => String(id));
    expect(() => readDocuments(snapshot, { ...request, ids }, curbAfter(3))).toThrow(BudgetSpent);
  });

  it('never ends a filter that has a deadline of another kind but by its own limit', () => {
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
