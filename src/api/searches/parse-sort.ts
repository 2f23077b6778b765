/**
 * Sort criteria of a request, by their syntax, which needs no index: `attr:asc`, `attr:desc`,
 * `_geoPoint(lat, lng):asc|desc`.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { parseSortCriterion, type SortCriterion } from '../../model/sort-criterion.ts';

/** None for null. @throws ApiError with `code`, naming the first criterion that is wrong */
export function parseSort(
  sort: readonly string[] | null | undefined,
  code: ErrorCode,
): SortCriterion[] {
  return (sort ?? []).map((text) => {
    const criterion = parseSortCriterion(text);
    if ('problem' in criterion)
      throw new ApiError(code, `\`${text}\` is no sort criterion: ${criterion.problem}.`);
    return criterion;
  });
}
