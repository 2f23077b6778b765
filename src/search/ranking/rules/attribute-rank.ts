/**
 * Words found in more important attributes first; each word counts with its best attribute (3.8).
 */
import { sumOf } from '../../../core/sum.ts';
import { fieldOfOccurrence } from '../../../engine/postings/occurrence-key.ts';
import { LEAST_COST_END, type LeastCosts } from '../../matching/least-costs.ts';
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

export const attributeRank: RankingRule = {
  start(context, input) {
    const largestWeight = largestWeightOf(context);
    const largest = largestCost(input.graph, (step) => largestWeight * step.node.length);
    const costs = new FieldCosts(context);
    return costBuckets(context, input, { rule: 'attributeRank', costs, largest });
  },
  costsOf: (context) => new FieldCosts(context),
};

class FieldCosts implements ReadingCosts {
  readonly #context: RankingContext;
  readonly #largestWeight: number;
  /** Whether the request leaves searchable fields out. */
  readonly #isRestricted: boolean;

  constructor(context: RankingContext) {
    const { sets, snapshot } = context;
    this.#context = context;
    this.#largestWeight = largestWeightOf(context);
    this.#isRestricted = sets.scopes.present !== snapshot.everywhere;
  }

  constant(reading: Reading): number | null {
    if (this.#largestWeight === 0) return 0;
    const weight = this.#isRestricted ? onlyWeight(this.#context) : null;
    return weight === null ? null : weight * sumOf(reading.map(({ node }) => node.length));
  }

  compute(reading: Reading, documents: PricedDocuments, out: Int32Array): void {
    priceDocuments(this.#context, reading, documents, out, this.#largestWeight);
  }

  scan(reading: Reading, docs: Uint32Array, byPositions: CostsByPositions): Int32Array | null {
    const { snapshot, readingScan } = this.#context;
    if (!reading.every((step) => this.#isPriced(step))) return null;
    const { weights } = snapshot.fields;
    return readingScan.fieldCosts(
      reading,
      docs,
      ({ node: { length } }, field) => weights[field]! * length,
      byPositions,
    );
  }

  stepPrice(step: Step): StepPrice | null {
    const { weights } = this.#context.snapshot.fields;
    if (!this.#isPriced(step)) return null;
    return { name: 'attributeRank', price: leastCosts(weights, step.node.length) };
  }

  #isPriced({ node }: Step): boolean {
    return !this.#isRestricted && this.#largestWeight * node.length < LEAST_COST_END;
  }
}

/** The weight of all fields that count; null if they have several. */
function onlyWeight({ snapshot, presentFields }: RankingContext): number | null {
  const weights = new Set(snapshot.fields.weights.filter((_, field) => presentFields[field] === 1));
  const [weight] = weights;
  return weights.size === 1 ? weight! : null;
}

function largestWeightOf({ snapshot }: RankingContext): number {
  const { weights, isUserDefined, attributeCount } = snapshot.fields;
  return isUserDefined
    ? attributeCount - 1
    : weights.reduce((largest, weight) => Math.max(largest, weight), 0);
}

const leastCosts = (weights: Int32Array, length: number): LeastCosts => ({
  price: ({ docs, keys, length: count }, least) => {
    for (let i = 0; i < count; i++) {
      const cost = weights[fieldOfOccurrence(keys[i]!)]! * length;
      if (cost < least[docs[i]!]!) least[docs[i]!] = cost;
    }
  },
  ofClass: ({ fields }, fieldMap) => {
    let cost = LEAST_COST_END;
    for (let rest = fields; rest !== 0; rest &= rest - 1) {
      const field = fieldMap[31 - Math.clz32(rest & -rest)]!;
      cost = Math.min(cost, weights[field]! * length);
    }
    return cost;
  },
});

function priceDocuments(
  { snapshot, sets, presentFields }: RankingContext,
  reading: Reading,
  { positions, slots }: PricedDocuments,
  out: Int32Array,
  largestWeight: number,
): void {
  const absent = sets.anywhere === null ? largestWeight : UNSATISFIED;
  const weights = snapshot.fields.weights.map((weight, field) =>
    presentFields[field] === 1 ? weight : absent,
  );
  for (const step of reading) {
    const own = positions.of(step);
    const { offsets, keys, classes } = own;
    const admitted = admittedClasses(step, OccurrenceClass.place);
    const { length } = step.node;
    for (let d = 0; d < slots.length; d++) {
      const end = offsets[slots[d]! + 1]!;
      let least = absent;
      for (let i = offsets[slots[d]!]!; i < end; i++) {
        const weight = weights[fieldOfOccurrence(keys[i]!)]!;
        if (weight < least && admitted[classes[i]!] === 1) least = weight;
      }
      out[d]! += least * length;
    }
  }
}
