/**
 * Documents dealt into buckets by what their readings cost: from the positions of each, or from sets
 * of documents whose cost is known.
 */
import type { LeastCosts } from '../../matching/least-costs.ts';
import type { PositionTable } from '../../matching/position-table.ts';
import type { Reading, SatisfiedReading, Step } from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
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
  /** The cost when it is the same for every document that satisfies the reading, else null. */
  constant(reading: Reading): number | null;
  /**
   * Adds to `out[i]`, which is 0, the cost of `reading` for the document `docs[i]`, whose slot in
   * the table is `slots[i]`.
   */
  compute(reading: Reading, documents: PricedDocuments, out: Int32Array): void;
  /**
   * The costs of a reading that all the documents satisfy, without a table of positions; null when
   * that is not to be had, or not quicker.
   */
  scan?(reading: Reading, docs: Uint32Array): Int32Array | null;
  /**
   * Names all that the cost of a reading of this step alone depends on, within a generation and all
   * searchable fields, so that it can be kept. Left out by a rule for which such a cost is
   * constant.
   */
  nameOf?(step: Step): string;
  /** The same cost, of the step's occurrences; null when it may be too large for that. */
  priceOf?(step: Step): LeastCosts | null;
}

export interface PricedDocuments {
  readonly positions: PositionTable;
  readonly docs: Uint32Array;
  readonly slots: Uint32Array;
}

/** A bucket whose documents are listed when they are asked for. */
export interface PricedBucket {
  readonly cost: number;
  readonly docs: () => DocSet;
  readonly readings: readonly Reading[];
}

/** Documents that a reading costs so much. */
export interface PricedReading extends CostSet {
  readonly reading: Reading;
}

/**
 * Buckets by cost when costs are known: each document goes to its cheapest reading, the first among
 * equals.
 */
export function bucketsOf(priced: readonly PricedReading[]): PricedBucket[] {
  const buckets: { cost: number; parts: DocSet[]; readings: Reading[] }[] = [];
  const taken: DocSet[] = [];
  for (const { cost, docs: all, reading } of [...priced].sort((a, b) => a.cost - b.cost)) {
    let docs = all;
    for (const other of taken) docs = docs.without(other);
    if (docs.isEmpty) continue;
    taken.push(docs);
    const last = buckets[buckets.length - 1];
    if (last && last.cost === cost) {
      last.parts.push(docs);
      last.readings.push(reading);
    } else buckets.push({ cost, parts: [docs], readings: [reading] });
  }
  return buckets.map(({ cost, parts, readings }) => ({
    cost,
    docs: () => DocSet.unionOf(parts, parts[0]!.bitsetLength),
    readings,
  }));
}

/** Buckets of documents whose costs are known. @param costs by place in the list of the documents */
export const bucketsByCost = (
  { reading, docs }: SatisfiedReading,
  costs: Int32Array,
): PricedBucket[] => dealByCost(docs.toList(), costs, null, [reading], docs.bitsetLength);

/** Buckets of documents that all can take the only reading. */
function bucketsOfReading(
  { reading, docs }: SatisfiedReading,
  costs: ReadingCosts,
  positions: PositionTable,
): PricedBucket[] {
  const list = docs.toList();
  const prices = priceReading(reading, costs, positions, list, positions.slotsOf(list));
  return dealByCost(list, prices, null, [reading], docs.bitsetLength);
}

/** The documents, all of which satisfy the reading, by what it costs. */
export const costSets = (
  satisfied: SatisfiedReading,
  costs: ReadingCosts,
  positions: PositionTable,
): CostSet[] => setsOf(bucketsOfReading(satisfied, costs, positions));

export const setsOf = (buckets: readonly PricedBucket[]): CostSet[] =>
  buckets.map(({ cost, docs }) => ({ cost, docs: docs() }));

/** @param mayFail whether a document that satisfies a reading may yet not be able to take it */
export function pricedBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  positions: PositionTable,
  bitsetLength: number,
  mayFail: boolean,
): PricedBucket[] {
  if (satisfied.length === 1 && !mayFail) return bucketsOfReading(satisfied[0]!, costs, positions);
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
  const readings = satisfied.map((s) => s.reading);
  return dealByCost(positions.docs, best, from, readings, bitsetLength);
}

function priceReading(
  reading: Reading,
  costs: ReadingCosts,
  positions: PositionTable,
  docs: Uint32Array,
  slots: Uint32Array,
): Int32Array {
  const out = new Int32Array(docs.length);
  positions.prepare(reading);
  costs.compute(reading, { positions, docs, slots }, out);
  return out;
}

/** Where the documents of each cost start once they are in order of cost, and the end of all. */
function startsByCost(costs: Int32Array): Uint32Array {
  let highest = -1;
  for (let i = 0; i < costs.length; i++) {
    const cost = costs[i]!;
    if (cost > highest && cost < UNSATISFIED) highest = cost;
  }
  const starts = new Uint32Array(highest + 2);
  for (let i = 0; i < costs.length; i++) if (costs[i]! < UNSATISFIED) starts[costs[i]! + 1]!++;
  for (let cost = 1; cost <= highest + 1; cost++) starts[cost]! += starts[cost - 1]!;
  return starts;
}

/**
 * Documents whose cost is `UNSATISFIED` or more get into no bucket.
 * @param from reading of each document, or null when there is one reading only
 */
function dealByCost(
  docs: Uint32Array,
  costs: Int32Array,
  from: Uint32Array | null,
  readings: readonly Reading[],
  bitsetLength: number,
): PricedBucket[] {
  const starts = startsByCost(costs);
  const highest = starts.length - 2;
  const next = starts.slice();
  const dealt = TYPED_ARRAY_POOL.numbers(starts[highest + 1]!);
  const used = from && Array.from({ length: highest + 1 }, () => new Set<number>());
  for (let i = 0; i < docs.length; i++) {
    const cost = costs[i]!;
    if (cost >= UNSATISFIED) continue;
    dealt[next[cost]!++] = docs[i]!;
    if (used) used[cost]!.add(from[i]!);
  }
  const buckets: PricedBucket[] = [];
  for (let cost = 0; cost <= highest; cost++) {
    if (starts[cost] === starts[cost + 1]) continue;
    buckets.push({
      cost,
      docs: () =>
        DocSet.fromList(
          TYPED_ARRAY_POOL.copyOf(dealt, starts[cost], starts[cost + 1]),
          bitsetLength,
        ),
      readings: used ? readings.filter((_, r) => used[cost]!.has(r)) : readings,
    });
  }
  return buckets;
}
