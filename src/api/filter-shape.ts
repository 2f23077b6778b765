/** The JSON form of a filter: an expression, or an array of expressions and of arrays of expressions. */
import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';

const isExpressionList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** An absent filter passes. @throws ApiError with `code` */
export function checkFilterShape(filter: unknown, code: ErrorCode): void {
  if (filter === null || filter === undefined || typeof filter === 'string') return;
  if (Array.isArray(filter) && filter.every((item) => typeof item === 'string' || isExpressionList(item))) return;
  throw new ApiError(
    code,
    'A filter is invalid syntax unless it is a string, or an array of strings and of arrays of strings.',
  );
}

/** What passes both filters, each of which has the right shape or is absent. */
export function bothFilters(a: unknown, b: unknown): unknown {
  if (a === null || a === undefined) return b ?? null;
  if (b === null || b === undefined) return a;
  return [a, b].flat();
}
