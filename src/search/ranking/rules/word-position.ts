/** Documents first whose words are at similar positions in the attribute and in the query (3.9). */

import { limits } from '../../../core/limits.ts';
import { positionOfOccurrence } from '../../../engine/postings/occurrence-key.ts';
import type { LeastCosts } from '../../matching/least-costs.ts';
import { OccurrenceClass } from '../../matching/occurrence-records.ts';
import { admittedClasses } from '../../matching/position-table.ts';
import type { CostsByPositions } from '../../matching/reading-scan.ts';
import { largestCost, type Reading, type Step } from '../../matching/readings.ts';
import { costBuckets } from './cost-rule.ts';
import {
  type PricedDocuments,
  type ReadingCosts,
  type StepPrice,
  UNSATISFIED,
} from './priced-buckets.ts';
import type { RankingContext, RankingRule } from './ranking-rule.ts';

const POSITION_MAX = limits.fieldPositionMax;
/** Cost of a word farther away than the last of `DISTANCES`, or absent. */
const WORD_COST_MAX = 10;
/** Largest distance of each cost 0 … 9. */
const DISTANCES = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

/** Positions used for ranking: exact below 16, then increasingly coarse (relevance.md 1.5). */
export function bucketedPosition(position: number): number {
  if (position < 16) return position;
  if (position < 24) return 24;
  return Math.min(POSITION_MAX, 1 << (32 - Math.clz32(position - 1)));
}

/**
 * @param distance in bucketed positions, between the word's positions in the query and in the
 * attribute
 */
export function distanceCost(distance: number): number {
  for (let cost = 0; cost < DISTANCES.length; cost++) if (distance <= DISTANCES[cost]!) return cost;
  return WORD_COST_MAX;
}

export const wordPosition: RankingRule = {
  start(context, input) {
    const largest = largestCost(input.graph, (step) => WORD_COST_MAX * step.node.length);
    const costs = new PlaceCosts(context);
    return costBuckets(context, input, { rule: 'wordPosition', costs, largest });
  },
  costsOf: (context) => new PlaceCosts(context),
};

class PlaceCosts implements ReadingCosts {
  readonly #context: RankingContext;

  constructor(context: RankingContext) {
    this.#context = context;
  }

  constant(): null {
    return null;
  }

  compute(reading: Reading, documents: PricedDocuments, out: Int32Array): void {
    priceDocuments(reading, documents, out, this.#context.sets.anywhere !== null);
  }

  scan(reading: Reading, docs: Uint32Array, byPositions: CostsByPositions): Int32Array | null {
    return this.#context.readingScan.positionCosts(reading, docs, costByBucket, byPositions);
  }

  stepPrice(step: Step): StepPrice {
    return { name: `wordPosition ${step.node.start}`, price: leastCosts(costByBucket(step)) };
  }
}

/** Bucket number of a position: positions of one bucket cost the same. */
export function bucketNumber(position: number): number {
  if (position < 16) return position;
  return position < 24 ? 16 : 12 + 32 - Math.clz32(position - 1);
}

const BUCKET_COUNT = bucketNumber(POSITION_MAX) + 1;
const POSITION_OF_BUCKET = Array.from({ length: BUCKET_COUNT }, (_, n) =>
  n < 16 ? n : n === 16 ? 24 : Math.min(POSITION_MAX, 2 ** (n - 12)),
);

function costByBucket({ node }: Step): Uint8Array {
  const costs = new Uint8Array(BUCKET_COUNT);
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    const distance = Math.abs(POSITION_OF_BUCKET[bucket]! - node.start);
    for (let i = 0; i < node.length; i++) costs[bucket]! += distanceCost(distance + i);
  }
  return costs;
}

function leastCosts(costs: Uint8Array): LeastCosts {
  // If costs ascend, the first position is the cheapest.
  const ascend = costs.every((cost, bucket) => bucket === 0 || cost >= costs[bucket - 1]!);
  return {
    price: ({ docs, keys, length }, least) => {
      for (let i = 0; i < length; i++) {
        const cost = costs[bucketNumber(positionOfOccurrence(keys[i]!))]!;
        if (cost < least[docs[i]!]!) least[docs[i]!] = cost;
      }
    },
    ofClass: ({ least, most }) => {
      const cost = costs[bucketNumber(least)]!;
      return ascend && cost === costs[bucketNumber(most)] ? cost : null;
    },
  };
}

/** @param mayLack true if a document may have no position of a step */
function priceDocuments(
  reading: Reading,
  { positions, slots }: PricedDocuments,
  out: Int32Array,
  mayLack: boolean,
): void {
  for (const step of reading) {
    const own = positions.of(step);
    const { offsets, keys, classes } = own;
    const admitted = admittedClasses(step, OccurrenceClass.place);
    const costs = costByBucket(step);
    const highest = mayLack ? UNSATISFIED : WORD_COST_MAX * step.node.length;
    for (let d = 0; d < slots.length; d++) {
      const end = offsets[slots[d]! + 1]!;
      let least = highest;
      for (let i = offsets[slots[d]!]!; i < end; i++) {
        const cost = costs[bucketNumber(positionOfOccurrence(keys[i]!))]!;
        if (cost < least && admitted[classes[i]!] === 1) least = cost;
      }
      out[d]! += least;
    }
  }
}
