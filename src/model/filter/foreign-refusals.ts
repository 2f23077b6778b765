/** Refusals of conditions on other indexes. Their codes do not depend on the route. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Settings } from '../settings.ts';
import type { ForeignCondition } from './filter-node.ts';

export const refusal = (code: ErrorCode, column: number, problem: string): ApiError =>
  new ApiError(code, `The filter \`_foreign\` at column ${column} ${problem}.`);

type Place = Pick<ForeignCondition, 'column' | 'attribute'>;

/** @throws ApiError if the attribute of the condition is no foreign key */
export function requireForeignKey(place: Place, { foreignKeys }: Settings): void {
  const names = foreignKeys.map(({ fieldName }) => fieldName);
  if (names.includes(place.attribute)) return;
  const listed = names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', ');
  throw refusal(
    'invalid_search_filter',
    place.column,
    `names \`${place.attribute}\`, expected a field of \`foreignKeys\`; this index has ${listed}`,
  );
}

export const foreignIndexMissing = (place: Place): ApiError =>
  refusal(
    'index_not_found',
    place.column,
    `needs the index that \`${place.attribute}\` references, which is unavailable to this request: the index does not exist, the API key has no access to it, or another instance sent the request`,
  );

/** @param count of selected documents; null = more than allowed, of several instances together */
export function tooManyForeign(
  code: ErrorCode,
  column: number,
  uid: string,
  count: number | null,
): ApiError {
  const max = limits.foreignDocumentsMax;
  return refusal(
    code,
    column,
    `selects ${count ?? `more than ${max}`} documents of the index \`${uid}\`; at most ${max} are joined. Narrow it down`,
  );
}

/** The error of a condition inside, with the index that it is about. */
export const errorInForeign = (uid: string, attribute: string, error: ApiError): ApiError =>
  new ApiError(error.code, `In the index \`${uid}\`, for \`${attribute}\`: ${error.message}`);
