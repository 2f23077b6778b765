/** Parses the JSON form of a filter. */
import { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { FilterClock } from './filter-clock.ts';
import { type FilterForm, isShortFilter, type UnparsedFilter } from './filter-form.ts';
import { type FilterFeatures, type FilterNode, joinNodes } from './filter-node.ts';
import { type ParseContext, parseExpression } from './filter-parser.ts';
import { foreignConditions } from './replace-foreign.ts';

/**
 * null for a filter without effect: null, blank text, arrays without an expression.
 * @throws ApiError `code` for invalid syntax, `feature_not_enabled` for operators of a disabled
 * feature
 */
export function parseFilter(
  form: FilterForm | null,
  code: ErrorCode,
  features: FilterFeatures,
  clock = new FilterClock(Deadline.never(), code),
): FilterNode | null {
  const context: ParseContext = { code, features, clock, refusal: null };
  const node = parseForm(form, context);
  if (context.refusal !== null) throw context.refusal;
  return node;
}

/** null for a long filter, which would block the front. @throws ApiError as `parseFilter` */
export function parseShortFilter(
  { form, features }: UnparsedFilter,
  code: ErrorCode = 'invalid_search_filter',
): FilterNode | null {
  return isShortFilter(form) ? parseFilter(form, code, features) : null;
}

/**
 * Parses a filter of a task. The indexer applies it to one index later, so conditions on other
 * indexes are refused, but for exports, whose tasks then fail, as with Meilisearch.
 * @throws ApiError also `code` for `_foreign`
 */
export function parseTaskFilter(
  form: FilterForm | null,
  code: ErrorCode,
  features: FilterFeatures,
  clock: FilterClock,
): FilterNode | null {
  const node = parseFilter(form, code, features, clock);
  if (node !== null && code !== 'invalid_export_index_filter') refuseForeign(node, code);
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

function parseForm(form: FilterForm | null, context: ParseContext): FilterNode | null {
  if (form === null) return null;
  if (typeof form === 'string') return parseText(form, 'The filter', context);
  const name = (place: string): string => `The filter \`filter${place}\``;
  return joined('and', form, (item, i) =>
    typeof item === 'string'
      ? parseText(item, name(`[${i}]`), context)
      : joined('or', item, (text, j) => parseText(text, name(`[${i}][${j}]`), context)),
  );
}

const parseText = (text: string, name: string, context: ParseContext): FilterNode | null =>
  text.trim() === '' ? null : parseExpression(text, name, context);

function joined<Item>(
  kind: 'and' | 'or',
  items: readonly Item[],
  parse: (item: Item, index: number) => FilterNode | null,
): FilterNode | null {
  const nodes: FilterNode[] = [];
  items.forEach((item, i) => {
    const node = parse(item, i);
    if (node !== null) nodes.push(node);
  });
  return nodes.length === 0 ? null : joinNodes(kind, nodes);
}
