/** Errors of `_foreign`; `test/property/foreign-filter.test.ts` tests its results. */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import type { Settings } from '../../../../src/model/settings.ts';
import {
  filterDocuments,
  parsedFilter,
  selectStored,
} from '../../../../src/search/filter/filter-evaluator.ts';
import { boundForeignIndex } from '../../../../src/search/filter/foreign-index.ts';
import { buildSnapshot } from '../../../support/build-snapshot.ts';
import { searchFilter } from '../../../support/search-request.ts';

const DEADLINE = Deadline.never();
const SETTINGS: Partial<Settings> = {
  filterableAttributes: ['by', 'other'],
  foreignKeys: ['by', 'other', 'plain'].map((fieldName) => ({ fieldName, foreignIndexUid: 'p' })),
};
const people = buildSnapshot({
  documents: Array.from({ length: 1200 }, (_, id) => ({ id, team: id % 2, secret: 1 })),
  settings: { filterableAttributes: ['team', 'id'], displayedAttributes: ['id'] },
});
const films = buildSnapshot({ documents: [{ id: 1, by: 3, other: [4, 8] }], settings: SETTINGS });

function selected(filter: string, isReached = true): number[] | string {
  const reached = boundForeignIndex(people, null, DEADLINE);
  const foreign = new Map(isReached ? [['by', reached]] : []);
  const code = 'invalid_document_filter';
  try {
    const parsed = parsedFilter(searchFilter(filter), { code, deadline: DEADLINE });
    return [...(filterDocuments(films, parsed, foreign)?.toList() ?? [])];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

describe('`_foreign`', () => {
  it.each<[string, number[]]>([
    ['_foreign(by, team = 1)', [0]],
    ['_foreign(by, team = 0)', []],
    ['_foreign( "by" , team = 1 AND (id < 10 OR id > 1000) )', [0]],
    ['_foreign(by, id = 5000)', []],
    ['NOT _foreign(by, id = 5000)', [0]],
  ])('%s', (filter, docs) => {
    expect(selected(filter)).toEqual(docs);
  });

  it.each<[string, string[]]>([
    ['title = a OR _foreign(title, team = 1)', ['invalid_document_filter', '`title`']],
    ['_foreign(title, team = 1)', ['invalid_search_filter', '`by`, `other`, `plain`']],
    ['_foreign(plain, team = 1)', ['index_not_found', 'unavailable to this request']],
    ['_foreign(by, secret = 1)', ['invalid_document_filter', '`secret`', 'not filterable']],
    ['_foreign(by, team > 0 AND by = 1)', ['`by` at column 27']],
    ['_foreign(by, NOT id = 5000)', ['1200 documents', 'at most 1000']],
    ['_foreign(by, _foreign(by, team = 1))', ['column 14', 'no `_foreign` inside another']],
    ['_foreign(by)', ['column 12', '`,`']],
    ['_foreign(by, )', ['a condition']],
    ['_foreign(by, team = 1', ['column 22', '`)`']],
    ['_foreign by = 1', ['`(`']],
    ['_foreign.by = 1', ['`_foreign(attribute, filter)`']],
  ])('%s is refused', (filter, told) => {
    for (const text of told) expect(selected(filter)).toContain(text);
  });

  it('has the same error for a missing index and one without access', () => {
    expect(selected('_foreign(by, team = 1)', false)).toBe(
      selected('_foreign(by, nothing = 1)', false),
    );
  });

  it('is refused even if another condition selects nothing', () => {
    expect(selected('by = 77 AND _foreign(by, secret = 1)')).toContain('not filterable');
  });

  it('needs a field that is filterable in the searched index, by equality', () => {
    const rule = (equality: boolean) => ({
      attributePatterns: ['by'],
      features: { facetSearch: false, filter: { equality, comparison: !equality } },
    });
    const foreign = new Map([['by', boundForeignIndex(people, null, DEADLINE)]]);
    const run = (filterableAttributes: Settings['filterableAttributes']) => {
      const settings = { ...SETTINGS, filterableAttributes };
      const snapshot = buildSnapshot({ documents: [{ id: 1, by: 3 }], settings });
      const options = { code: 'invalid_search_filter', deadline: DEADLINE } as const;
      const parsed = parsedFilter(searchFilter('_foreign(by, team = 1)'), options);
      return filterDocuments(snapshot, parsed, foreign)?.count;
    };
    expect(run([rule(true)])).toBe(1);
    expect(() => run([rule(false)])).toThrow('`IN` is not allowed for the attribute `by`');
    expect(() => run([])).toThrow('`by` at column 1 is not filterable');
  });

  it('selects nothing for a write', () => {
    expect(() => selectStored(films, '_foreign(by, team = 1)')).toThrow(
      'a task selects documents by what they hold themselves',
    );
  });
});
