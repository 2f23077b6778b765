/** Pages of lists that are in memory. */
import { limits } from '../../core/limits.ts';
import type { JsonAnswer } from './answer.ts';

interface PageQuery {
  readonly offset?: number;
  readonly limit?: number;
}

/** @param shown form of an item in the answer */
export function offsetPage<Item>(
  all: readonly Item[],
  { offset = 0, limit = limits.pageItemsDefault }: PageQuery,
  shown: (item: Item) => unknown,
): JsonAnswer {
  const results = all.slice(offset, offset + limit).map(shown);
  return { status: 200, json: { results, offset, limit, total: all.length } };
}
