/**
 * Buckets of a rule that computes a cost per document from positions: proximity, attributeRank and
 * wordPosition.
 */
import { PositionTable } from '../../matching/position-table.ts';
import { graphOf, satisfiedReadings } from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { keptReadings, keptStepBuckets } from './kept-costs.ts';
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

export class CostBuckets implements BucketSource {
  readonly #dealt: DealtBuckets;
  readonly #detail: (cost: number) => RankDetail;
  #at = 0;
  /** Documents left in the universe when nobody else removed any. */
  #expected: number;

  /** @param wanted documents that are asked for, from the best on; no more than a hint */
  constructor(
    context: RankingContext,
    input: RuleInput,
    costs: ReadingCosts,
    detail: (cost: number) => RankDetail,
    wanted: number,
  ) {
    this.#detail = detail;
    this.#expected = input.universe.count;
    this.#dealt = dealBuckets(context, input, costs, wanted);
  }

  next(universe: DocSet): Bucket | null {
    const { buckets, positions, placedCount } = this.#dealt;
    while (this.#at < buckets.length) {
      const place = this.#at++;
      const { cost, docs, readings } = buckets[place]!;
      const left = universe.count === this.#expected ? docs() : docs().retain(universe);
      this.#expected = universe.count - left.count;
      if (left.isEmpty) continue;
      return {
        docs: left,
        graph: graphOf(readings),
        detail: this.#detail(cost),
        positions: place < placedCount ? positions : null,
      };
    }
    return null;
  }
}

interface DealtBuckets {
  readonly buckets: readonly PricedBucket[];
  /** For the rules below; where there are none they read those of a bucket alone. */
  readonly positions: PositionTable | null;
  /** Number of the first buckets whose documents the positions include. */
  readonly placedCount: number;
}

function dealBuckets(
  context: RankingContext,
  input: RuleInput,
  costs: ReadingCosts,
  wanted: number,
): DealtBuckets {
  const { anywhere } = context.sets;
  const satisfied = satisfiedReadings(input.graph, input.universe, anywhere ?? context.sets);
  if (anywhere === null) {
    const constants = satisfied.map(({ reading }) => costs.constant(reading));
    if (constants.every((cost) => cost !== null))
      return placed(
        bucketsOf(
          satisfied.map(({ reading, docs }, i) => ({ cost: constants[i]!, docs, reading })),
        ),
        input.positions,
      );
    const ofStep = keptStepBuckets(satisfied, costs, context);
    if (ofStep) return placed(ofStep, input.positions);
    const ofReadings = keptReadings(satisfied, costs, context, input);
    if (ofReadings) {
      const buckets = bucketsOf(ofReadings.priced);
      const positions = ofReadings.positions ?? input.positions;
      return positions ? placed(buckets, positions) : placedFirst(context, buckets, wanted);
    }
  }
  const positions = positionsOf(context, input);
  const { bitsetLength } = input.universe;
  return placed(
    pricedBuckets(satisfied, costs, positions, bitsetLength, anywhere !== null),
    positions,
  );
}

const placed = (
  buckets: readonly PricedBucket[],
  positions: PositionTable | null,
): DealtBuckets => ({ buckets, positions, placedCount: buckets.length });

/** With positions of the first buckets, which have the documents that are asked for, read at once. */
function placedFirst(
  { snapshot, sets }: RankingContext,
  buckets: readonly PricedBucket[],
  wanted: number,
): DealtBuckets {
  const first: DocSet[] = [];
  for (let count = 0; count < wanted && first.length < buckets.length; ) {
    const docs = buckets[first.length]!.docs();
    first.push(docs);
    count += docs.count;
  }
  const universe = DocSet.unionOf(first, snapshot.bitsetLength);
  const positions = new PositionTable(snapshot, sets, universe);
  return { buckets, positions, placedCount: first.length };
}
