/** Parses the JSON form of a filter. */
import { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { FilterClock } from './filter-clock.ts';
import type { FilterForm } from './filter-form.ts';
import type { FilterFeatures, FilterNode } from './filter-node.ts';
import { type ParseContext, parseExpression } from './filter-parser.ts';
import { joinNodes } from './join-nodes.ts';

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
