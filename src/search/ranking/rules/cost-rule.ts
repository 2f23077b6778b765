/**
 * Buckets of a rule that computes a cost per document from positions: proximity, attributeRank and
 * wordPosition.
 */
import { PositionTable } from '../../matching/position-table.ts';
import {
  graphOf,
  readingOfAll,
  type SatisfiedReading,
  satisfiedReadings,
} from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { cachedStepBuckets } from './cached-costs.ts';
import { ListedBuckets } from './listed-buckets.ts';
import { costSetsOf } from './only-reading-costs.ts';
import {
  bucketsOf,
  bucketsOfSets,
  mergedByCost,
  type PricedBucket,
  pricedBuckets,
  type ReadingCosts,
} from './priced-buckets.ts';
import {
  type BucketSource,
  costDetail,
  type PricedRule,
  positionsOf,
  type RankingContext,
  type RuleInput,
} from './ranking-rule.ts';

/** With more than one of this many documents in several readings, all are priced by positions. */
const SEVERAL_SHARE = 4;

export function costBuckets(
  context: RankingContext,
  input: RuleInput,
  priced: PricedRule,
): BucketSource {
  const { buckets, positions } = computeBuckets(context, input, priced.costs);
  return new ListedBuckets(input.universe, buckets, ({ cost, readings }, docs) => ({
    docs,
    graph: graphOf(readings),
    detail: costDetail(priced, cost),
    positions,
  }));
}

interface ComputedBuckets {
  readonly buckets: readonly PricedBucket[];
  /** For the following rules; null = they read the positions of their bucket. */
  readonly positions: PositionTable | null;
}

function computeBuckets(
  context: RankingContext,
  input: RuleInput,
  costs: ReadingCosts,
): ComputedBuckets {
  const { sets } = context;
  const { graph, universe } = input;
  const satisfied = satisfiedReadings(graph, universe, sets.anywhere ?? sets);
  if (sets.anywhere === null || readingOfAll(graph, universe, sets) !== null) {
    const constants = satisfied.map(({ reading }) => costs.constant(reading));
    if (constants.every((cost) => cost !== null))
      return { buckets: bucketsOf(satisfied, constants), positions: input.positions };
    const ofStep = cachedStepBuckets(satisfied, costs, context);
    if (ofStep) return { buckets: ofStep, positions: input.positions };
    const ofReadings = bucketsOfReadings(context, satisfied, input, costs);
    if (ofReadings) return { buckets: ofReadings, positions: input.positions };
  }
  const positions = positionsOf(context, input);
  const buckets = pricedBuckets(satisfied, costs, positions, universe.bitsetLength);
  return { buckets, positions };
}

/**
 * Buckets without a table of all positions: documents that satisfy only the most frequent reading are
 * scanned, documents with several readings are priced by positions. null if one table of all positions
 * is quicker.
 */
function bucketsOfReadings(
  context: RankingContext,
  satisfied: readonly SatisfiedReading[],
  { positions, universe }: RuleInput,
  costs: ReadingCosts,
): PricedBucket[] | null {
  if (satisfied.length === 0 || positions !== null) return null;
  const { bitsetLength } = universe;
  const main = satisfied.reduce((a, b) => (b.docs.count > a.docs.count ? b : a));
  const others = satisfied.filter((each) => each !== main).map(({ docs }) => docs);
  const several = DocSet.unionOf(others, bitsetLength);
  if (several.count * SEVERAL_SHARE > universe.count) return null;
  const alone = { reading: main.reading, docs: main.docs.without(several) };
  const priced = costSetsOf(context, alone, costs);
  if (priced === null) return null;
  const buckets = bucketsOfSets(priced, alone.reading);
  if (several.isEmpty) return buckets;
  const table = new PositionTable(context.snapshot, context.sets, several);
  const ofSeveral = satisfied.map(({ reading, docs }) => ({ reading, docs: docs.retain(several) }));
  return mergedByCost(
    [...buckets, ...pricedBuckets(ofSeveral, costs, table, bitsetLength)],
    satisfied.map(({ reading }) => reading),
  );
}
