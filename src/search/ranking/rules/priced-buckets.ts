/**
 * Groups documents into buckets by the cost of their readings: from positions, or from sets of
 * documents with known costs.
 */
import type { LeastCosts } from '../../matching/least-costs.ts';
import type { PositionTable } from '../../matching/position-table.ts';
import type { Reading, SatisfiedReading, Step } from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../../sets/typed-array-pool.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';

/**
 * Minimum cost of a document that does not satisfy a reading. Words that a request does not count
 * (outside its fields, exact fields with typos) still have positions, so a rule may find a reading
 * satisfied by these alone.
 */
export const UNSATISFIED = 1 << 20;

/** How a rule prices a reading. */
export interface ReadingCosts {
  /** The cost if it is the same for every document that satisfies the reading, else null. */
  constant(reading: Reading): number | null;
  /**
   * Adds the cost of `reading` for the document `docs[i]` to `out[i]`, which is 0; the slot in the
   * table is `slots[i]`.
   */
  compute(reading: Reading, documents: PricedDocuments, out: Int32Array): void;
  /**
<<<<<<< HEAD
   * Cache key of the cost of a reading of this step alone, within a generation and all searchable
   * fields. Absent for a rule with a constant cost.
=======
   * The costs of a reading that all the documents satisfy, without a table of positions; null when
   * that is not to be had, or not quicker.
   */
  scan?(reading: Reading, docs: Uint32Array): Int32Array | null;
  /**
   * Names all that the cost of a reading of this step alone depends on, within a generation and all
   * searchable fields, so that it can be kept. Left out by a rule for which such a cost is
   * constant.
>>>>>>> ffc90af (perf(search): pairs of words are looked for by a compiled scan)
   */
  nameOf?(step: Step): string;
  /** The same cost from the step's occurrences; null if it may exceed the limit of `LeastCosts`. */
  priceOf?(step: Step): LeastCosts | null;
}

export interface PricedDocuments {
  readonly positions: PositionTable;
  readonly docs: Uint32Array;
  readonly slots: Uint32Array;
}

/** A bucket whose documents are listed on demand. */
export interface PricedBucket {
  readonly cost: number;
  readonly docs: () => DocSet;
  readonly readings: readonly Reading[];
}

/** Documents of a reading with one cost. */
export interface PricedReading extends CostSet {
  readonly reading: Reading;
}

/** Buckets by known costs: each document goes to its cheapest reading, the first among equals. */
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

<<<<<<< HEAD
/** Buckets of documents that all satisfy the only reading. */
=======
/** Buckets of documents that all can take the only reading, when no table of positions is needed. */
export function scannedBuckets(
  { reading, docs }: SatisfiedReading,
  costs: ReadingCosts,
): PricedBucket[] | null {
  if (!costs.scan) return null;
  const list = docs.toList();
  const prices = costs.scan(reading, list);
  return prices && dealByCost(list, prices, null, [reading], docs.bitsetLength);
}

/** Buckets of documents that all can take the only reading. */
>>>>>>> ffc90af (perf(search): pairs of words are looked for by a compiled scan)
function bucketsOfReading(
  { reading, docs }: SatisfiedReading,
  costs: ReadingCosts,
  positions: PositionTable,
): PricedBucket[] {
  const list = docs.toList();
  const prices = priceReading(reading, costs, positions, list, positions.slotsOf(list));
  return dealByCost(list, prices, null, [reading], docs.bitsetLength);
}

/** The documents, which all satisfy the reading, by cost. */
export const costSets = (
  satisfied: SatisfiedReading,
  costs: ReadingCosts,
  positions: PositionTable,
): CostSet[] => setsOf(bucketsOfReading(satisfied, costs, positions));

export const setsOf = (buckets: readonly PricedBucket[]): CostSet[] =>
  buckets.map(({ cost, docs }) => ({ cost, docs: docs() }));

/** @param mayFail true if a document in a reading's set may not satisfy the reading */
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

/** Start of each cost in the documents ordered by cost, and the end. */
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
 * Documents with a cost of `UNSATISFIED` or more are left out. @param from reading of each
 * document, or null for a single reading
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
