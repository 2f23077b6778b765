/** Documents of a rule by what they cost. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { DealtDocuments } from '../sets/dealt-documents.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { CostSet } from '../snapshot/cached-values.ts';

/**
 * One set for each cost, cheapest first.
 * @param costs by place in the list of the documents; those with `end` or more are left out
 */
export function dealtByCost(docs: DocSet, costs: ArrayLike<number>, end: number): CostSet[] {
  const dealt = new DealtDocuments(docs.toList(), costs, end, docs.bitsetLength);
  return dealt.numbers.map((cost) => ({ cost, docs: dealt.with(cost) }));
}

/** One set for each cost, cheapest first. */
export function together(sets: readonly CostSet[]): CostSet[] {
  const byCost = new Map<number, DocSet[]>();
  for (const { cost, docs } of sets) getOrCompute(byCost, cost, () => []).push(docs);
  return [...byCost]
    .map(([cost, parts]) => ({ cost, docs: DocSet.unionOf(parts, parts[0]!.bitsetLength) }))
    .sort((a, b) => a.cost - b.cost);
}
