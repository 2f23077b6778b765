/** Buckets of a rule that computes a cost per document from positions: proximity, attributeRank and wordPosition. */
import { DocSet } from '../doc-set.ts';
import type { PositionTable } from '../position-table.ts';
import { graphOf, type Reading, type SatisfiedReading, satisfiedReadings, unionOf } from '../readings.ts';
import {
  type Bucket,
  type BucketSource,
  positionsOf,
  type RankDetail,
  type RankingContext,
  type RuleInput,
} from './ranking-rule.ts';

/**
 * Cost, or more, of a document that cannot take a reading. Words that a request does not count (fields outside its bounds,
 * exact fields under typo) still have positions, so that a rule may find a reading satisfied by them alone.
 */
export const UNSATISFIED = 1 << 20;

/** How a rule prices a reading. */
export interface ReadingCosts {
  /** The cost when it is the same for every document that satisfies the reading, else null. */
  constant(reading: Reading): number | null;
  /** Adds to `out[i]`, which is 0, the cost of `reading` for the document `docs[i]`, whose slot in the table is `slots[i]`. */
  compute(reading: Reading, documents: PricedDocuments, out: Int32Array): void;
}

export interface PricedDocuments {
  readonly positions: PositionTable;
  readonly docs: Uint32Array;
  readonly slots: Uint32Array;
}

interface PricedBucket {
  readonly cost: number;
  readonly docs: DocSet;
  readonly readings: readonly Reading[];
}

export class CostBuckets implements BucketSource {
  readonly #buckets: readonly PricedBucket[];
  readonly #detail: (cost: number) => RankDetail;
  readonly #positions: PositionTable | null;
  #at = 0;
  /** Documents left in the universe when nobody else removed any. */
  #expected: number;

  constructor(context: RankingContext, input: RuleInput, costs: ReadingCosts, detail: (cost: number) => RankDetail) {
    const { anywhere } = context.sets;
    const satisfied = satisfiedReadings(input.graph, input.universe, anywhere ?? context.sets);
    const constants = satisfied.map(({ reading }) => costs.constant(reading));
    this.#detail = detail;
    this.#expected = input.universe.count;
    if (anywhere === null && constants.every((c) => c !== null)) {
      this.#positions = input.positions;
      this.#buckets = constantBuckets(satisfied, constants as number[]);
    } else {
      this.#positions = positionsOf(context, input);
      this.#buckets = pricedBuckets(satisfied, costs, this.#positions, input.universe.words, anywhere !== null);
    }
  }

  next(universe: DocSet): Bucket | null {
    while (this.#at < this.#buckets.length) {
      const { cost, docs, readings } = this.#buckets[this.#at++]!;
      const left = universe.count === this.#expected ? docs : docs.retain(universe);
      this.#expected = universe.count - left.count;
      if (left.isEmpty) continue;
      return { docs: left, graph: graphOf(readings), detail: this.#detail(cost), positions: this.#positions };
    }
    return null;
  }
}

/** Buckets by cost when no positions are needed: each document goes to its cheapest reading, the first among equals. */
function constantBuckets(satisfied: readonly SatisfiedReading[], costs: readonly number[]): PricedBucket[] {
  const order = satisfied.map((_, i) => i).sort((a, b) => costs[a]! - costs[b]! || a - b);
  const buckets: { cost: number; parts: DocSet[]; readings: Reading[] }[] = [];
  const taken: DocSet[] = [];
  for (const i of order) {
    let docs = satisfied[i]!.docs;
    for (const other of taken) docs = docs.without(other);
    if (docs.isEmpty) continue;
    taken.push(docs);
    const last = buckets[buckets.length - 1];
    if (last && last.cost === costs[i]) {
      last.parts.push(docs);
      last.readings.push(satisfied[i]!.reading);
    } else buckets.push({ cost: costs[i]!, parts: [docs], readings: [satisfied[i]!.reading] });
  }
  return buckets.map(({ cost, parts, readings }) => ({ cost, docs: unionOf(parts, parts[0]!.words), readings }));
}

function pricedBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  positions: PositionTable,
  words: number,
  mayFail: boolean,
): PricedBucket[] {
  const only = satisfied.length === 1 ? satisfied[0]! : null;
  if (only && !mayFail) {
    const docs = only.docs.toList();
    return dealByCost(
      docs,
      priceReading(only.reading, costs, positions, docs, positions.slotsOf(docs)),
      null,
      [only.reading],
      words,
    );
  }
  const best = new Int32Array(positions.size).fill(-1);
  const from = new Int32Array(positions.size);
  satisfied.forEach(({ reading, docs }, r) => {
    const list = docs.toList();
    const slots = positions.slotsOf(list);
    const out = priceReading(reading, costs, positions, list, slots);
    for (let i = 0; i < list.length; i++) {
      const slot = slots[i]!;
      if (out[i]! >= UNSATISFIED || (best[slot]! >= 0 && best[slot]! <= out[i]!)) continue;
      best[slot] = out[i]!;
      from[slot] = r;
    }
  });
  const slots = Uint32Array.from(best.keys()).filter((slot) => best[slot]! >= 0);
  return dealByCost(
    slots.map((slot) => positions.docs[slot]!),
    Int32Array.from(slots, (slot) => best[slot]!),
    Int32Array.from(slots, (slot) => from[slot]!),
    satisfied.map((s) => s.reading),
    words,
  );
}

function priceReading(
  reading: Reading,
  costs: ReadingCosts,
  positions: PositionTable,
  docs: Uint32Array,
  slots: Uint32Array,
): Int32Array {
  const out = new Int32Array(docs.length);
  costs.compute(reading, { positions, docs, slots }, out);
  return out;
}

/** @param from reading of each document, or null when there is one reading only */
function dealByCost(
  docs: Uint32Array,
  costs: Int32Array,
  from: Int32Array | null,
  readings: readonly Reading[],
  words: number,
): PricedBucket[] {
  let highest = 0;
  for (let i = 0; i < costs.length; i++) if (costs[i]! > highest) highest = costs[i]!;
  const ends = new Uint32Array(highest + 1);
  for (let i = 0; i < costs.length; i++) ends[costs[i]!]!++;
  for (let cost = 1; cost <= highest; cost++) ends[cost]! += ends[cost - 1]!;
  const next = ends.slice();
  const order = new Uint32Array(docs.length);
  for (let i = docs.length - 1; i >= 0; i--) order[--next[costs[i]!]!] = i;
  const buckets: PricedBucket[] = [];
  for (let cost = 0; cost <= highest; cost++) {
    const members = order.subarray(cost === 0 ? 0 : ends[cost - 1]!, ends[cost]!);
    if (members.length === 0) continue;
    const used = from && new Set(members.map((i) => from[i]!));
    buckets.push({
      cost,
      docs: DocSet.fromList(
        members.map((i) => docs[i]!),
        words,
      ),
      readings: used ? readings.filter((_, r) => used.has(r)) : readings,
    });
  }
  return buckets;
}
