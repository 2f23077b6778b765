/** Buckets of documents with costs from the query cache, or computed and cached. */
import {
  documentsByLeastCost,
  isReady,
  isWordAlone,
  listCount,
} from '../../matching/least-costs.ts';
import { type SatisfiedReading, type Step, stepDocuments } from '../../matching/readings.ts';
import { derivedTypoMask, nodeWithin } from '../../query/query-node.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import { CACHE_KINDS } from '../../snapshot/cache-kinds.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import { mayHold } from '../../snapshot/segment-subset.ts';
import type { PricedBucket, ReadingCosts } from './priced-buckets.ts';
import type { RankingContext } from './ranking-rule.ts';

const KEPT_FOR_DOCUMENTS_MIN = 512;
const KEPT_FOR_SHARE = 16;

/** Posting lists of up to this many documents are read as a whole. */
const SHORT_LIST = 32;

/**
 * True if `docs` covers enough of the term's documents that computing and caching costs for all of
 * them pays.
 */
export const paysForAll = (docs: DocSet, all: DocSet): boolean =>
  docs.count >= KEPT_FOR_DOCUMENTS_MIN && docs.count * KEPT_FOR_SHARE >= all.count;

/**
 * Buckets of a single step by its cost for all live documents, one set per cost: from the query
 * cache, or computed and cached. null for other readings, or if `docs` is too small to price all
 * documents.
 */
export function keptStepBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  { snapshot, sets }: RankingContext,
): PricedBucket[] | null {
  const [first, ...others] = satisfied;
  const step = first?.reading[0];
  if (!first || !step || others.length > 0 || first.reading.length > 1) return null;
  const { docs, reading } = first;
  const byCost = keptStepCosts(step, costs, { snapshot, sets }, (all) => {
    if (paysForAll(docs, all)) return true;
    if (docs.count < KEPT_FOR_DOCUMENTS_MIN) return false;
    return isReady(snapshot, step) || listCount(snapshot, step) * SHORT_LIST >= all.count;
  });
  if (byCost === null) return null;
  return byCost.map((set) => ({
    cost: set.cost,
    docs: () => docs.retain(set.docs),
    readings: [reading],
  }));
}

/** True for a step without typos. */
const isOfLevelZero = ({ node, typoMask }: Step): boolean =>
  (typoMask & derivedTypoMask(node)) === 1;

/**
 * All live documents with the step by cost in ascending order: from the query cache, or computed
 * and cached if that pays. null if it does not pay or the step has no such costs. @param pays
 * receives the documents
 */
export function keptStepCosts(
  step: Step,
  costs: ReadingCosts,
  { snapshot, sets }: Pick<RankingContext, 'snapshot' | 'sets'>,
  pays: (all: DocSet) => boolean,
): readonly CostSet[] | null {
  const { exactOnly, node } = step;
  const price = costs.priceOf?.(step) ?? null;
  if (!costs.nameOf || price === null || node.key === null || !isOfLevelZero(step)) return null;
  const key = { costs: costs.nameOf(step), exactOnly, node: node.key };
  const find = (part: IndexSnapshot): readonly CostSet[] => {
    if (!mayHold(part, snapshot, node.derivations, false)) return [];
    const own = { ...step, node: nodeWithin(node, snapshot, part) };
    const all = stepDocuments(own, sets.within(part));
    return documentsByLeastCost(part, own, all, price);
  };
  const known = snapshot.kept.get(CACHE_KINDS.documentsByCost, key, find);
  if (known) return known;
  if (!isWordAlone(node) || !pays(stepDocuments(step, sets))) return null;
  return snapshot.kept.make(CACHE_KINDS.documentsByCost, key, () => find(snapshot));
}
