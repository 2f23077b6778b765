/** Requests of tests: sorts and filters in the form in which clients write them. */
import { parseSort } from '../../src/api/searches/parse-sort.ts';
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
  /** Whether they may use `_vectors`. */
  readonly multimodal?: boolean;
}

export const searchFilter = (
  filter: unknown,
  containsFilter = true,
  multimodal = true,
): UnparsedFilter | null =>
  unparsedFilter(filterForm(filter, 'invalid_search_filter'), {
    containsFilter,
    multimodal,
    foreignKeys: true,
  });

export function searchRequest(asked: Asked): SearchRequest {
  const { filter, sort, containsFilter = false, multimodal = false, ...same } = asked;
  return {
    ...DEFAULT_SEARCH_REQUEST,
    ...same,
    filter: searchFilter(filter, containsFilter, multimodal),
    sort: parseSort(sort, 'invalid_search_sort'),
  };
}
