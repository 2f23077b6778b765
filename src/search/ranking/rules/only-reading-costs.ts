/**
 * Costs of documents that all satisfy one reading in the fields that count: by a scan, and by
 * positions for documents with a phrase that stands for a word, because the words of a phrase count
 * only in a match of the phrase.
 */
import { groupedByCost, mergedCostSets } from '../../matching/cost-sets.ts';
import type { ListedCosts } from '../../matching/listed-pairs.ts';
import { addedPhrases } from '../../matching/node-terms.ts';
import { PositionTable } from '../../matching/position-table.ts';
import {
  hasUncountedSynonyms,
  type Reading,
  type SatisfiedReading,
} from '../../matching/readings.ts';
import { derivedTypoMask } from '../../query/query-node.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../../sets/typed-array-pool.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';
import { priceReading, type ReadingCosts, UNSATISFIED } from './priced-buckets.ts';
import type { RankingContext } from './ranking-rule.ts';

/** With more than one of this many documents, all are priced by positions. */
const PHRASES_SHARE = 4;

/** Fewer documents are scanned at once. */
const LISTED_MIN = 512;

/**
 * Costs from lists of frequent pairs; documents with a phrase that stands for a word get the bound 0.
 * @param documentCount limits reading to the time of looking up this many documents
 */
export function listedCostsOf(
  context: RankingContext,
  { reading, docs }: SatisfiedReading,
  costs: ReadingCosts,
  documentCount = docs.count,
): ListedCosts | null {
  const { sets } = context;
  if (docs.count < LISTED_MIN) return null;
  if (!costs.listed || reading.some((step) => hasUncountedSynonyms(sets, step))) return null;
  const withPhrases = documentsWithPhrases(context, reading, docs);
  const listed = costs.listed(reading, docs.without(withPhrases), documentCount);
  if (listed === null || withPhrases.isEmpty) return listed;
  return { ...listed, bounds: mergedCostSets([...listed.bounds, { cost: 0, docs: withPhrases }]) };
}

/** Sets of documents by cost; null when positions of all are needed. */
export function costSetsOf(
  context: RankingContext,
  { reading, docs }: SatisfiedReading,
  costs: ReadingCosts,
): CostSet[] | null {
  const listed = listedCostsOf(context, { reading, docs }, costs);
  if (listed?.bounds.length === 0) return [...listed.sets];
  const rest =
    listed === null
      ? docs
      : DocSet.unionOf(
          listed.bounds.map((set) => set.docs),
          docs.bitsetLength,
        );
  const found = costsOfReading(context, { reading, docs: rest }, costs);
  if (found === null) return null;
  const sets = groupedByCost(rest, found, UNSATISFIED);
  return listed === null ? sets : mergedCostSets([...listed.sets, ...sets]);
}

/** By place in the list of the documents; null when positions of all are needed. */
export function costsOfReading(
  context: RankingContext,
  { reading, docs }: SatisfiedReading,
  costs: ReadingCosts,
): Int32Array | null {
  const { sets } = context;
  if (reading.some((step) => hasUncountedSynonyms(sets, step))) return null;
  const byPositions = (some: Uint32Array): Int32Array => {
    const list = DocSet.fromList(TYPED_ARRAY_POOL.copyOf(some), docs.bitsetLength);
    const table = new PositionTable(context.snapshot, sets, list);
    return priceReading(reading, costs, table, some);
  };
  const withPhrases = documentsWithPhrases(context, reading, docs);
  if (withPhrases.isEmpty) return costs.scan(reading, docs.toList(), byPositions);
  if (withPhrases.count * PHRASES_SHARE > docs.count) return null;
  const scanned = costs.scan(reading, docs.without(withPhrases).toList(), byPositions);
  if (scanned === null) return null;
  const special = withPhrases.toList();
  const own = byPositions(special);
  const list = docs.toList();
  const all = new Int32Array(list.length);
  for (let i = 0, n = 0, s = 0; i < list.length; i++)
    all[i] = list[i] === special[n] ? own[n++]! : scanned[s++]!;
  return all;
}

function documentsWithPhrases({ sets }: RankingContext, reading: Reading, docs: DocSet): DocSet {
  const found = reading.flatMap(({ node, typoMask }) =>
    addedPhrases(node, typoMask & derivedTypoMask(node)).map((phrase) =>
      docs.retain(sets.phrase(phrase)),
    ),
  );
  return DocSet.unionOf(found, docs.bitsetLength);
}
