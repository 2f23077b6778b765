/** Requests of tests: sorts and filters in the form in which clients write them. */
import { parseSort } from '../../src/api/parse-sort.ts';
import {
  filterForm,
  type UnparsedFilter,
  unparsedFilter,
} from '../../src/model/filter/filter-form.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../src/model/search.ts';

export interface Asked extends Partial<Omit<SearchRequest, 'filter' | 'sort'>> {
  readonly filter?: unknown;
  readonly sort?: readonly string[];
  /** Whether filters may use CONTAINS. */
  readonly containsFilter?: boolean;
}

export const searchFilter = (filter: unknown, containsFilter = true): UnparsedFilter | null =>
  unparsedFilter(filterForm(filter, 'invalid_search_filter'), { containsFilter });

export function searchRequest(asked: Asked): SearchRequest {
  const { filter, sort, containsFilter = false, ...same } = asked;
  return {
    ...DEFAULT_SEARCH_REQUEST,
    ...same,
    filter: searchFilter(filter, containsFilter),
    sort: parseSort(sort, 'invalid_search_sort'),
  };
}
