/**
 * Words found in more important attributes first; each word counts with its best attribute (3.8).
 */
import { fieldOfOccurrence } from '../../../engine/postings/occurrence-key.ts';
import { LEAST_COST_END, type LeastCosts } from '../../matching/least-costs.ts';
import { OccurrenceClass } from '../../matching/occurrence-records.ts';
import { admittedClasses } from '../../matching/position-table.ts';
import { largestCost, type Reading, type Step } from '../../matching/readings.ts';
import { CostBuckets } from './cost-rule.ts';
import { type PricedDocuments, UNSATISFIED } from './priced-buckets.ts';
import type { RankDetail, RankingContext, RankingRule } from './ranking-rule.ts';

export const attributeRank: RankingRule = {
  start(context, input) {
    const largestWeight = largestWeightOf(context);
    const max = largestCost(input.graph, (step) => largestWeight * step.node.length) + 1;
    const detail = (cost: number): RankDetail => ({ rule: 'attributeRank', rank: max - cost, max });
    return new CostBuckets(context, input, attributeRank.costsOf!(context, input.graph), detail);
  },
  costsOf(context) {
    const { weights } = context.snapshot.fields;
    const largestWeight = largestWeightOf(context);
    return {
      constant: () => (largestWeight === 0 ? 0 : null),
      compute: (reading: Reading, documents: PricedDocuments, out: Int32Array) =>
        priceDocuments(context, reading, documents, out, largestWeight),
      scan: (reading: Reading, docs: Uint32Array) => {
        const costOf = ({ node: { length } }: Step, field: number): number =>
          weights[field]! * length;
        const isPriced = reading.every(({ node }) => largestWeight * node.length < LEAST_COST_END);
        if (context.sets.anywhere !== null || !isPriced) return null;
        return context.readingScan.fieldCosts(reading, docs, costOf);
      },
      nameOf: () => 'attributeRank',
      priceOf: ({ node: { length } }: Step) =>
        largestWeight * length < LEAST_COST_END ? leastCosts(weights, length) : null,
    };
  },
};

function largestWeightOf({ snapshot }: RankingContext): number {
  const { weights, isUserDefined, attributeCount } = snapshot.fields;
  return isUserDefined ? attributeCount - 1 : Math.max(0, ...weights);
}

const leastCosts = (weights: Int32Array, length: number): LeastCosts => ({
  price: ({ docs, keys, length: count }, least) => {
    for (let i = 0; i < count; i++) {
      const cost = weights[fieldOfOccurrence(keys[i]!)]! * length;
      if (cost < least[docs[i]!]!) least[docs[i]!] = cost;
    }
  },
  ofPlacing: ({ fields }, fieldMap) => {
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
