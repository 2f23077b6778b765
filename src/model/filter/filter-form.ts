/**
 * The JSON forms of an unparsed filter: an expression, or an array (AND) of expressions and of
 * arrays (OR) of expressions.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import type { FilterFeatures } from './filter-node.ts';

export type FilterForm = string | readonly (string | readonly string[])[];

/**
 * A filter for the thread that parses it: parsing may take long, and the result is larger than the
 * text.
 */
export interface UnparsedFilter {
  readonly form: FilterForm;
  /** Features that were enabled when the request arrived. */
  readonly features: FilterFeatures;
}

/** null for an absent filter. @throws ApiError with `code` for other JSON values */
export function filterForm(value: unknown, code: ErrorCode): FilterForm | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  return listAt('', value, code, (item, place) =>
    typeof item === 'string'
      ? item
      : listAt(place, item, code, (text, inner) => expression(text, inner, code)),
  );
}

function listAt<Item>(
  place: string,
  value: unknown,
  code: ErrorCode,
  itemAt: (item: unknown, place: string) => Item,
): readonly Item[] {
  if (!Array.isArray(value)) throw wrongForm(value, place, code);
  return value.map((item: unknown, i) => itemAt(item, `${place}[${i}]`));
}

function expression(value: unknown, place: string, code: ErrorCode): string {
  if (typeof value === 'string') return value;
  throw wrongForm(value, place, code);
}

const SHOWN_CHARACTERS_MAX = 60;

function wrongForm(value: unknown, place: string, code: ErrorCode): ApiError {
  const name = place === '' ? 'The filter' : `The filter \`filter${place}\``;
  return new ApiError(
    code,
    `${name} has invalid syntax: expected a string, or an array of strings and of arrays of strings, but \`${JSON.stringify(value).slice(0, SHOWN_CHARACTERS_MAX)}\` was found.`,
  );
}

/** null for an absent form. */
export const unparsedFilter = (
  form: FilterForm | null,
  { containsFilter, multimodal, foreignKeys }: FilterFeatures,
): UnparsedFilter | null =>
  form === null ? null : { form, features: { containsFilter, multimodal, foreignKeys } };

/** Longer filters take some tenths of a millisecond to parse, too long for an event loop. */
const SHORT_LENGTH_MAX = 10_000;

export const isShortFilter = (form: FilterForm): boolean =>
  [form].flat(2).reduce((sum, text) => sum + text.length, 0) <= SHORT_LENGTH_MAX;

/** Joins two filters, either of which may be absent, by AND. @throws ApiError as `filterForm` */
export function bothFilters(a: unknown, b: unknown, code: ErrorCode): FilterForm | null {
  const [first, second] = [filterForm(a, code), filterForm(b, code)];
  if (first === null || second === null) return first ?? second;
  return [first, second].flat();
}
