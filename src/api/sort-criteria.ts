/** Checks the syntax of sort criteria, which needs no index: `attr:asc`, `attr:desc`, `_geoPoint(lat, lng):asc|desc`. */
import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';
import { parseSortCriterion } from '../model/sort-criterion.ts';

/** @throws ApiError with `code`, naming the first criterion that is wrong */
export function checkSortCriteria(criteria: readonly string[], code: ErrorCode): void {
  for (const criterion of criteria) {
    const parsed = parseSortCriterion(criterion);
    if ('problem' in parsed) throw new ApiError(code, `\`${criterion}\` is no sort criterion: ${parsed.problem}.`);
  }
}
