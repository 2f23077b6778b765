/**
 * The sort criteria of a request and the custom ranking rules as ranking levels (relevance.md 3.3,
 * 3.10, 5.5).
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { isFieldOrBelow, isListed } from '../../model/attribute-pattern.ts';
import type { Settings } from '../../model/settings.ts';
import { customRuleCriterion, type SortCriterion } from '../../model/sort-criterion.ts';

/** @throws ApiError `code` for a criterion that the index cannot sort by */
export function checkSort(
  sort: readonly SortCriterion[],
  settings: Settings,
  code: ErrorCode,
): void {
  for (const criterion of sort) {
    const field = criterion.kind === 'geo' ? '_geo' : criterion.path;
    if (!settings.sortableAttributes.some((name) => isFieldOrBelow(field, name)))
      throw notSortable(field, settings, code);
  }
}

function notSortable(
  field: string,
  { sortableAttributes, displayedAttributes }: Settings,
  code: ErrorCode,
): ApiError {
  const shown = sortableAttributes.filter((name) => isListed(displayedAttributes, name));
  const hidden = shown.length < sortableAttributes.length ? ', `<..hidden-attributes>`' : '';
  const allowed =
    sortableAttributes.length === 0
      ? 'This index does not have configured sortable attributes.'
      : `Available sortable attributes are: ${shown.map((name) => `\`${name}\``).join(', ')}${hidden}.`;
  return new ApiError(code, `Attribute \`${field}\` is not sortable. ${allowed}`);
}

/** Returns a function that is true for criteria of a new field; a field counts once. */
export function newCriteria(): (criterion: SortCriterion) => boolean {
  const sortedFields = new Set<string>();
  return (criterion) => {
    if (criterion.kind !== 'field') return true;
    const isFirst = !sortedFields.has(criterion.path);
    sortedFields.add(criterion.path);
    return isFirst;
  };
}

/** @throws ApiError when there is a sort but no `sort` rule to apply it */
export function checkSortRule(sort: readonly SortCriterion[], { rankingRules }: Settings): void {
  if (sort.length === 0 || rankingRules.includes('sort')) return;
  throw new ApiError(
    'invalid_search_sort',
    `\`sort\` needs the ranking rule \`sort\`, which is not in this index's ranking rules: ${rankingRules.map((rule) => `\`${rule}\``).join(', ')}.`,
  );
}

/**
 * The criteria of an entry in the list of ranking rules: the request's criteria for `sort`, the
 * rule itself for `field:asc`.
 */
export function criteriaOfRule(
  name: string,
  sort: readonly SortCriterion[],
): readonly SortCriterion[] {
  if (name === 'sort') return sort;
  const criterion = customRuleCriterion(name);
  return criterion === null ? [] : [criterion];
}
