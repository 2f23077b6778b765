/** Documents of a rule by cost. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { DocSet } from '../sets/doc-set.ts';
import { DocumentsByNumber } from '../sets/documents-by-number.ts';
import type { CostSet } from '../snapshot/cached-values.ts';

/**
 * One set for each cost, cheapest first.
 * @param costs by place in the list of the documents; documents with a cost of `end` or more are left out
 */
export function groupedByCost(docs: DocSet, costs: ArrayLike<number>, end: number): CostSet[] {
  const grouped = new DocumentsByNumber(docs.toList(), costs, end, docs.bitsetLength);
  return grouped.numbers.map((cost) => ({ cost, docs: grouped.with(cost) }));
}

/** One set for each cost, cheapest first. */
export function mergedCostSets(sets: readonly CostSet[]): CostSet[] {
  const byCost = new Map<number, DocSet[]>();
  for (const { cost, docs } of sets) getOrCompute(byCost, cost, () => []).push(docs);
  return [...byCost]
    .map(([cost, parts]) => ({ cost, docs: DocSet.unionOf(parts, parts[0]!.bitsetLength) }))
    .sort((a, b) => a.cost - b.cost);
}
