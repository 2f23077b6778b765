/** The JSON forms of a filter: an expression, or an array (AND) of expressions and of arrays (OR) of expressions. */
import { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { FilterClock } from './filter-clock.ts';
import type { FilterFeatures, FilterNode } from './filter-node.ts';
import { type ParseContext, parseExpression } from './filter-parser.ts';
import { joinNodes } from './join-nodes.ts';

/**
 * null for what restricts nothing: null, blank text, arrays without any expression.
 * @throws ApiError `code` for invalid syntax, `feature_not_enabled` for operators whose feature is off
 */
export function parseFilter(
  filter: unknown,
  code: ErrorCode,
  features: FilterFeatures,
  clock = new FilterClock(Deadline.never(), code),
): FilterNode | null {
  const context: ParseContext = { code, features, clock };
  if (filter === null || filter === undefined) return null;
  if (typeof filter === 'string') return parseText(filter, 'The filter', context);
  if (!Array.isArray(filter)) throw wrongShape(filter, 'The filter', code);
  const name = (place: string): string => `The filter \`filter${place}\``;
  return joined('and', filter, (item: unknown, i) => {
    if (typeof item === 'string') return parseText(item, name(`[${i}]`), context);
    if (!Array.isArray(item)) throw wrongShape(item, name(`[${i}]`), code);
    return joined('or', item, (inner: unknown, j) => {
      if (typeof inner === 'string') return parseText(inner, name(`[${i}][${j}]`), context);
      throw wrongShape(inner, name(`[${i}][${j}]`), code);
    });
  });
}

const parseText = (text: string, name: string, context: ParseContext): FilterNode | null =>
  text.trim() === '' ? null : parseExpression(text, name, context);

function joined(
  kind: 'and' | 'or',
  items: readonly unknown[],
  parse: (item: unknown, index: number) => FilterNode | null,
): FilterNode | null {
  const nodes: FilterNode[] = [];
  items.forEach((item, i) => {
    const node = parse(item, i);
    if (node !== null) nodes.push(node);
  });
  return nodes.length === 0 ? null : joinNodes(kind, nodes);
}

function wrongShape(value: unknown, name: string, code: ErrorCode): ApiError {
  const shown = JSON.stringify(value)?.slice(0, 60);
  return new ApiError(
    code,
    `${name} has invalid syntax: expected a string, or an array of strings and of arrays of strings, but \`${shown}\` was found.`,
  );
}
