/**
 * Buckets of a rule that computes a cost per document from positions: proximity, attributeRank and
 * wordPosition.
 */
import type { PositionTable } from '../../matching/position-table.ts';
import {
  graphOf,
  readingOfAll,
  type SatisfiedReading,
  satisfiedReadings,
} from '../../matching/readings.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import { keptStepBuckets } from './cached-costs.ts';
import { costsOfReading } from './only-reading-costs.ts';
import {
  bucketsByCost,
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
    const ofReading = bucketsOfReading(context, satisfied, input, costs);
    if (ofReading) return { buckets: ofReading, positions: input.positions };
  }
  const positions = positionsOf(context, input);
  const mayFail = sets.anywhere !== null;
  const buckets = pricedBuckets(satisfied, costs, positions, universe.bitsetLength, mayFail);
  return { buckets, positions };
}

/**
 * Buckets of a single reading, from the words of the documents; null for other readings, and when
 * positions are the quicker way.
 */
function bucketsOfReading(
  context: RankingContext,
  [first, ...others]: readonly SatisfiedReading[],
  { positions }: RuleInput,
  costs: ReadingCosts,
): PricedBucket[] | null {
  if (!first || others.length > 0 || positions !== null) return null;
  const prices = costsOfReading(context, first, costs);
  return prices && bucketsByCost(first, prices);
}
