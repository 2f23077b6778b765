/**
 * Parses the sort criteria of a request, without an index: `attr:asc`, `attr:desc`, `_geoPoint(lat,
 * lng):asc|desc`.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { startOfText } from '../../core/preview.ts';
import { parseSortCriterion, type SortCriterion } from '../../model/sort-criterion.ts';

/** Empty for null. @throws ApiError with `code` that names the first invalid criterion */
export function parseSort(
  sort: readonly string[] | null | undefined,
  code: ErrorCode,
): SortCriterion[] {
  return (sort ?? []).map((text) => {
    const criterion = parseSortCriterion(text);
    if ('problem' in criterion)
      throw new ApiError(
        code,
        `\`${startOfText(text)}\` is not a valid sort criterion: ${criterion.problem}.`,
      );
    return criterion;
  });
}
