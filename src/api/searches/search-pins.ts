/** The documents that search rules pin in a search. */
import { ApiError } from '../../core/errors.ts';
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type { FilterNode } from '../../model/filter/filter-node.ts';
import { parseFilter } from '../../model/filter/parse-filter.ts';
import { type Pin, type PreparedRules, pinsOf, type RuledSearch } from '../../model/rule-pins.ts';

/** Longer filters are not evaluated for rules, because parsing them would block the front. */
const FILTER_LENGTH_MAX = 10_000;

export const searchPins = (
  rules: PreparedRules,
  { q, nowMs }: Pick<RuledSearch, 'q' | 'nowMs'>,
  filter: UnparsedFilter | null,
): readonly Pin[] | null =>
  pinsOf(rules, { q, nowMs, filter: () => (filter === null ? null : parsed(filter)) });

/** null also for an invalid filter, which the search refuses later. */
function parsed({ form, features }: UnparsedFilter): FilterNode | null {
  const length = [form].flat(2).reduce((sum, text) => sum + text.length, 0);
  if (length > FILTER_LENGTH_MAX) return null;
  try {
    return parseFilter(form, 'invalid_search_filter', features);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
