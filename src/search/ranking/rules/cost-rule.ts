/**
 * Buckets of a rule that computes a cost per document from positions: proximity, attributeRank and
 * wordPosition.
 */
import { PositionTable } from '../../matching/position-table.ts';
import {
  graphOf,
  type Reading,
  readingOfAll,
  type SatisfiedReading,
  satisfiedReadings,
} from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { keptStepBuckets } from './cached-costs.ts';
import { costSetsOf } from './only-reading-costs.ts';
import {
  bucketsOf,
  type PricedBucket,
  pricedBuckets,
  type ReadingCosts,
} from './priced-buckets.ts';
import {
  type Bucket,
  type BucketSource,
  positionsOf,
  type RankDetail,
  type RankingContext,
  type RuleInput,
} from './ranking-rule.ts';

/** With more than one of this many documents in several readings, all are priced by positions. */
const SEVERAL_SHARE = 4;

export class CostBuckets implements BucketSource {
  readonly #dealt: DealtBuckets;
  readonly #detail: (cost: number) => RankDetail;
  #at = 0;
  /** Documents left in the universe if only this rule removes documents. */
  #expected: number;

  constructor(
    context: RankingContext,
    input: RuleInput,
    costs: ReadingCosts,
    detail: (cost: number) => RankDetail,
  ) {
    this.#detail = detail;
    this.#expected = input.universe.count;
    this.#dealt = dealBuckets(context, input, costs);
  }

  next(universe: DocSet): Bucket | null {
    const { buckets, positions } = this.#dealt;
    while (this.#at < buckets.length) {
      const { cost, docs, readings } = buckets[this.#at++]!;
      const left = universe.count === this.#expected ? docs() : docs().retain(universe);
      this.#expected = universe.count - left.count;
      if (left.isEmpty) continue;
      return {
        docs: left,
        graph: graphOf(readings),
        detail: this.#detail(cost),
        positions,
      };
    }
    return null;
  }
}

interface DealtBuckets {
  readonly buckets: readonly PricedBucket[];
  /** For the following rules; null = they read the positions of their bucket. */
  readonly positions: PositionTable | null;
}

function dealBuckets(context: RankingContext, input: RuleInput, costs: ReadingCosts): DealtBuckets {
  const { sets } = context;
  const { graph, universe } = input;
  const satisfied = satisfiedReadings(graph, universe, sets.anywhere ?? sets);
  if (sets.anywhere === null || readingOfAll(graph, universe, sets) !== null) {
    const constants = satisfied.map(({ reading }) => costs.constant(reading));
    if (constants.every((cost) => cost !== null))
      return {
        buckets: bucketsOf(
          satisfied.map(({ reading, docs }, i) => ({ cost: constants[i]!, docs, reading })),
        ),
        positions: input.positions,
      };
    const ofStep = keptStepBuckets(satisfied, costs, context);
    if (ofStep) return { buckets: ofStep, positions: input.positions };
    const ofReadings = bucketsOfReadings(context, satisfied, input, costs);
    if (ofReadings) return { buckets: ofReadings, positions: input.positions };
  }
  const positions = positionsOf(context, input);
  const mayFail = sets.anywhere !== null;
  const buckets = pricedBuckets(satisfied, costs, positions, universe.bitsetLength, mayFail);
  return { buckets, positions };
}

/**
 * Buckets without a table of all positions: documents with the most frequent reading alone from their
 * words, those with others too from positions. null when a table of all is the quicker way.
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
  const buckets = bucketsOf(priced.map((set) => ({ ...set, reading: alone.reading })));
  if (several.isEmpty) return buckets;
  const table = new PositionTable(context.snapshot, context.sets, several);
  const ofSeveral = satisfied.map(({ reading, docs }) => ({ reading, docs: docs.retain(several) }));
  const readings = satisfied.map(({ reading }) => reading);
  return together(buckets, pricedBuckets(ofSeveral, costs, table, bitsetLength, false), readings);
}

/** Buckets of different documents as one list. @param order of the readings */
function together(
  some: readonly PricedBucket[],
  others: readonly PricedBucket[],
  order: readonly Reading[],
): PricedBucket[] {
  const all = [...some, ...others];
  const costs = [...new Set(all.map(({ cost }) => cost))].sort((a, b) => a - b);
  return costs.map((cost) => {
    const own = all.filter((bucket) => bucket.cost === cost);
    const used = new Set(own.flatMap(({ readings }) => readings));
    return {
      cost,
      docs: () => {
        const parts = own.map(({ docs }) => docs());
        return DocSet.unionOf(parts, parts[0]!.bitsetLength);
      },
      readings: order.filter((reading) => used.has(reading)),
    };
  });
}
