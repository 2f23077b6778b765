/** Maximal marginal relevance: an order of relevant items in which neighbours differ. */

export interface RelevantItems {
  /** Of each item, 0 … 1. */
  readonly relevance: readonly number[];
  /** 0 = only relevance counts, 1 = only difference. */
  readonly strength: number;
  /** True for an item that keeps its place. */
  readonly isFixed: (item: number) => boolean;
  /** Of two items, 0 … 1. Called at most once for each pair. */
  readonly similarity: (a: number, b: number) => number;
}

/**
 * The numbers of the items in their new order: each is the one with the greatest
 * `(1 − strength) × relevance − strength × similarity`, where the similarity is the greatest to an
 * item before it. Of equal ones the first comes first. Cost: the square of the number of items.
 * @param check called for each item; may throw
 */
export function marginalRelevanceOrder(
  { relevance, strength, isFixed, similarity }: RelevantItems,
  check = (): void => undefined,
): readonly number[] {
  /** Greatest similarity of each item to an item in `order`. */
  const greatest = new Float64Array(relevance.length);
  const worth = (item: number): number =>
    (1 - strength) * relevance[item]! - strength * greatest[item]!;
  const free = [...relevance.keys()].filter((item) => !isFixed(item));
  const order: number[] = [];
  for (let place = 0; place < relevance.length; place++) {
    check();
    let chosen = place;
    if (!isFixed(place)) {
      chosen = free.reduce((best, item) => (worth(item) > worth(best) ? item : best));
      free.splice(free.indexOf(chosen), 1);
    }
    order.push(chosen);
    for (const item of free) {
      greatest[item] = Math.max(greatest[item]!, similarity(item, chosen));
    }
  }
  return order;
}
