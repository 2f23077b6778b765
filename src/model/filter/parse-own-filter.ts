/**
 * Parses a filter of a task. The indexer applies it to one index later, so conditions on other
 * indexes are refused.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import type { FilterClock } from './filter-clock.ts';
import type { FilterForm } from './filter-form.ts';
import type { FilterFeatures, FilterNode } from './filter-node.ts';
import { parseFilter } from './parse-filter.ts';
import { foreignConditions } from './replace-foreign.ts';

/** Like `parseFilter`. @throws ApiError `code` for `_foreign` too */
export function parseOwnFilter(
  form: FilterForm | null,
  code: ErrorCode,
  features: FilterFeatures,
  clock: FilterClock,
): FilterNode | null {
  const node = parseFilter(form, code, features, clock);
  if (node !== null) refuseForeign(node, code);
  return node;
}

/** @throws ApiError `code` for a condition on another index */
export function refuseForeign(node: FilterNode, code: ErrorCode): void {
  const [foreign] = foreignConditions(node);
  if (foreign === undefined) return;
  throw new ApiError(
    code,
    `The filter uses \`_foreign\` at column ${foreign.column}, which searches and reads of documents take; a task selects documents by what they hold themselves.`,
  );
}
