/** Buckets of documents by costs in the query cache, computed and cached if that pays. */
import {
  documentsByLeastCost,
  isOfWords,
  isReadyWithoutCache,
  type LazyCostSet,
  type LeastCosts,
  lazyDocumentsByLeastCost,
} from '../../matching/least-costs.ts';
import type { MatchSets } from '../../matching/match-sets.ts';
import {
  hasUncountedSynonyms,
  type SatisfiedReading,
  type Step,
  stepDocuments,
} from '../../matching/readings.ts';
import { derivedTypoMask, nodeWithin } from '../../query/query-node.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import { CACHE_KINDS } from '../../snapshot/cache-kinds.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import { mayHold } from '../../snapshot/segment-subset.ts';
import type { PricedBucket, ReadingCosts } from './priced-buckets.ts';
import type { RankingContext } from './ranking-rule.ts';

type CostContext = Pick<RankingContext, 'snapshot' | 'sets'>;

const CACHED_FOR_DOCUMENTS_MIN = 512;
const CACHED_FOR_SHARE = 16;

/** True if `docs` covers enough of the word's documents that computing and caching all of them pays. */
export const paysForAll = (docs: DocSet, all: DocSet): boolean =>
  docs.count >= CACHED_FOR_DOCUMENTS_MIN && docs.count * CACHED_FOR_SHARE >= all.count;

/**
 * Buckets of a reading with one step, from the costs of the step in all living documents. null for
 * other readings, and if `satisfied` covers too few documents to compute the costs of all.
 */
export function cachedStepBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  context: RankingContext,
): PricedBucket[] | null {
  const [first, ...others] = satisfied;
  const step = first?.reading[0];
  if (!first || !step || others.length > 0 || first.reading.length > 1) return null;
  const { docs, reading } = first;
  const lazy = lazyStepCosts(step, costs, context);
  if (lazy !== null)
    return lazy.map((set) => ({
      cost: set.cost,
      docs: () => docs.retain(set.docs()),
      readings: [reading],
    }));
  const byCost = cachedStepCosts(step, costs, context, (all) => paysForAll(docs, all));
  if (byCost === null) return null;
  return byCost.map((set) => ({
    cost: set.cost,
    docs: () => docs.retain(set.docs),
    readings: [reading],
  }));
}

/** The costs of a step if nearly all documents have them ready; else null. */
function lazyStepCosts(
  step: Step,
  costs: ReadingCosts,
  { snapshot, sets }: CostContext,
): LazyCostSet[] | null {
  const price = costs.stepPrice?.(step)?.price ?? null;
  const { node } = step;
  if (price === null || !isOfLevelZero(step) || !isOfWords(node)) return null;
  if (hasUncountedSynonyms(sets, step)) return null;
  if (!isReadyWithoutCache(snapshot, step, price)) return null;
  return lazyDocumentsByLeastCost(snapshot, step, anywhereDocuments(step, sets), price);
}

/** Documents with the step in any searchable field, for which costs are cached. */
const anywhereDocuments = (step: Step, sets: MatchSets): DocSet =>
  stepDocuments(step, sets.anywhere ?? sets);

/** Without typos. */
const isOfLevelZero = ({ node, typoMask }: Step): boolean =>
  (typoMask & derivedTypoMask(node)) === 1;

/**
 * All living documents with the step by its cost, cheapest first: from the query cache, or computed
 * and cached if `pays` returns true. null if it returns false, or if the step has no such costs.
 * @param pays receives the documents and the price of their occurrences
 */
export function cachedStepCosts(
  step: Step,
  costs: ReadingCosts,
  { snapshot, sets }: CostContext,
  pays: (all: DocSet, price: LeastCosts) => boolean,
): readonly CostSet[] | null {
  const { exactOnly, node } = step;
  const priced = costs.stepPrice?.(step) ?? null;
  if (priced === null || node.key === null || !isOfLevelZero(step)) return null;
  if (hasUncountedSynonyms(sets, step)) return null;
  const { name: costName, price } = priced;
  const key = { costs: costName, exactOnly, node: node.key };
  const find = (part: IndexSnapshot): readonly CostSet[] => {
    if (!mayHold(part, snapshot, node.derivations, false)) return [];
    const own = { ...step, node: nodeWithin(node, snapshot, part) };
    const all = anywhereDocuments(own, sets.within(part));
    return documentsByLeastCost(part, own, all, price);
  };
  const known = snapshot.queryCache.get(CACHE_KINDS.documentsByCost, key, find);
  if (known) return known;
  if (!isOfWords(node) || !pays(anywhereDocuments(step, sets), price)) return null;
  return snapshot.queryCache.make(CACHE_KINDS.documentsByCost, key, () => find(snapshot));
}
