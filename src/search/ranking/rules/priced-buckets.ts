/** Documents in buckets by the cost of their readings, from positions or from sets of known cost. */
import type { LeastCosts } from '../../matching/least-costs.ts';
import type { ListedCosts } from '../../matching/listed-pairs.ts';
import type { PositionTable } from '../../matching/position-table.ts';
import type { CostsByPositions } from '../../matching/reading-scan.ts';
import type { Reading, SatisfiedReading, Step } from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { DocumentsByNumber } from '../../sets/documents-by-number.ts';
import { TYPED_ARRAY_POOL } from '../../sets/typed-array-pool.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';

/**
 * Cost, or more, of a document that cannot take a reading. Words that a request does not count
 * (fields outside its bounds, exact fields under typo) still have positions, so that a rule may
 * find a reading satisfied by them alone.
 */
export const UNSATISFIED = 1 << 20;

/** How a rule prices a reading. */
export interface ReadingCosts {
  /**
   * The cost when it is the same for every document that satisfies the reading in the fields that
   * count, else null.
   */
  constant(reading: Reading): number | null;
  /**
   * Adds to `out[i]`, which is 0, the cost of `reading` for the document `docs[i]`, whose slot in
   * the table is `slots[i]`.
   */
  compute(reading: Reading, documents: PricedDocuments, out: Int32Array): void;
  /**
   * Costs from lists of frequent pairs, of a reading that all the documents satisfy. null if no list
   * has them, or if reading the lists takes longer than looking up `documentCount` documents.
   */
  listed?(reading: Reading, docs: DocSet, documentCount: number): ListedCosts | null;
  /**
   * Costs of a reading that all the documents satisfy in the fields that count, by a scan or by
   * posting lists, whichever is quicker; null if neither can find them.
   * @param byPositions the costs that `compute` finds
   */
  scan(reading: Reading, docs: Uint32Array, byPositions: CostsByPositions): Int32Array | null;
  /**
   * Price of the occurrences of a step, for rules where a reading of this step alone costs as much as
   * its cheapest occurrence; null if the cost may exceed a byte. Absent if the cost is constant.
   */
  stepPrice?(step: Step): StepPrice | null;
}

export interface StepPrice {
  /** Identifies everything that the cost depends on, within a generation and all searchable fields. */
  readonly name: string;
  readonly price: LeastCosts;
}

export interface PricedDocuments {
  readonly positions: PositionTable;
  readonly docs: Uint32Array;
  readonly slots: Uint32Array;
}

/** A bucket; `docs` computes its documents. */
export interface PricedBucket {
  readonly cost: number;
  readonly docs: () => DocSet;
  readonly readings: readonly Reading[];
}

/**
 * Buckets by cost of readings that cost all their documents the same: each document goes to its
 * cheapest reading, the first among equals.
 */
export function bucketsOf(
  satisfied: readonly SatisfiedReading[],
  costs: readonly number[],
): PricedBucket[] {
  const order = [...satisfied.keys()].sort((a, b) => costs[a]! - costs[b]!);
  const buckets: PricedBucket[] = [];
  const taken: DocSet[] = [];
  for (const r of order) {
    const { docs: all, reading } = satisfied[r]!;
    const docs = taken.reduce((left, other) => left.without(other), all);
    if (docs.isEmpty) continue;
    taken.push(docs);
    buckets.push({ cost: costs[r]!, docs: () => docs, readings: [reading] });
  }
  return mergedByCost(
    buckets,
    satisfied.map(({ reading }) => reading),
  );
}

/** Buckets of documents that all take the only reading. */
export function bucketsOfSets(sets: readonly CostSet[], reading: Reading): PricedBucket[] {
  const readings = [reading];
  return sets.map(({ cost, docs }) => ({ cost, docs: () => docs, readings }));
}

/** Merges disjoint buckets of equal cost. @param order of the readings */
export function mergedByCost(
  buckets: readonly PricedBucket[],
  order: readonly Reading[],
): PricedBucket[] {
  const costs = [...new Set(buckets.map(({ cost }) => cost))].sort((a, b) => a - b);
  return costs.map((cost) => {
    const own = buckets.filter((bucket) => bucket.cost === cost);
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

/** Documents whose cost is `UNSATISFIED` or more get into no bucket. */
export function pricedBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  positions: PositionTable,
  bitsetLength: number,
): PricedBucket[] {
  const best = new Int32Array(positions.docs.length).fill(UNSATISFIED);
  const from = TYPED_ARRAY_POOL.zeros(positions.docs.length);
  satisfied.forEach(({ reading, docs }, r) => {
    const list = docs.toList();
    const slots = positions.slotsOf(list);
    const out = priceReading(reading, costs, positions, list, slots);
    for (let i = 0; i < list.length; i++) {
      const slot = slots[i]!;
      if (out[i]! >= best[slot]!) continue;
      best[slot] = out[i]!;
      from[slot] = r;
    }
  });
  const grouped = new DocumentsByNumber(positions.docs, best, UNSATISFIED, bitsetLength);
  const used = readingsByCost(best, from);
  return grouped.numbers.map((cost) => ({
    cost,
    docs: () => grouped.with(cost),
    readings: satisfied.flatMap(({ reading }, r) => (used.get(cost)!.has(r) ? [reading] : [])),
  }));
}

/** @param docs in the table */
export function priceReading(
  reading: Reading,
  costs: ReadingCosts,
  positions: PositionTable,
  docs: Uint32Array,
  slots = positions.slotsOf(docs),
): Int32Array {
  const out = new Int32Array(docs.length);
  positions.prepare(reading);
  costs.compute(reading, { positions, docs, slots }, out);
  return out;
}

/** The readings that give documents each cost. */
function readingsByCost(costs: Int32Array, from: Uint32Array): Map<number, Set<number>> {
  const used = new Map<number, Set<number>>();
  for (let i = 0; i < costs.length; i++) {
    const own = used.get(costs[i]!);
    if (own) own.add(from[i]!);
    else used.set(costs[i]!, new Set([from[i]!]));
  }
  return used;
}
