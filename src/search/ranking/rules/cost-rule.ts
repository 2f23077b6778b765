/**
 * Buckets of a rule that computes a cost per document from positions: proximity, attributeRank and
 * wordPosition.
 */

import {
  documentsByLeastCost,
  isReady,
  isWordAlone,
  type LeastCosts,
} from '../../matching/least-costs.ts';
import type { PositionTable } from '../../matching/position-table.ts';
import {
  graphOf,
  type Reading,
  type SatisfiedReading,
  type Step,
  satisfiedReadings,
  stepDocuments,
} from '../../matching/readings.ts';
import { derivedTypoMask, nodeWithin } from '../../query/query-node.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { SEARCH_SPACE } from '../../sets/search-space.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import { KEPT } from '../../snapshot/kept-kinds.ts';
import type { CostSet } from '../../snapshot/kept-values.ts';
import {
  type Bucket,
  type BucketSource,
  positionsOf,
  type RankDetail,
  type RankingContext,
  type RuleInput,
} from './ranking-rule.ts';

/**
 * Cost, or more, of a document that cannot take a reading. Words that a request does not count
 * (fields outside its bounds, exact fields under typo) still have positions, so that a rule may
 * find a reading satisfied by them alone.
 */
export const UNSATISFIED = 1 << 20;

const KEPT_FOR_DOCUMENTS_MIN = 512;
const KEPT_FOR_SHARE = 16;

/**
 * Whether enough is asked of all documents with a word to find out about all of them, and keep it,
 * rather than about `docs` alone.
 */
export const paysForAll = (docs: DocSet, all: DocSet): boolean =>
  docs.count >= KEPT_FOR_DOCUMENTS_MIN && docs.count * KEPT_FOR_SHARE >= all.count;

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
interface PricedBucket {
  readonly cost: number;
  readonly docs: () => DocSet;
  readonly readings: readonly Reading[];
}

export class CostBuckets implements BucketSource {
  readonly #buckets: readonly PricedBucket[];
  readonly #detail: (cost: number) => RankDetail;
  readonly #positions: PositionTable | null;
  #at = 0;
  /** Documents left in the universe when nobody else removed any. */
  #expected: number;

  constructor(
    context: RankingContext,
    input: RuleInput,
    costs: ReadingCosts,
    detail: (cost: number) => RankDetail,
  ) {
    const { anywhere } = context.sets;
    const satisfied = satisfiedReadings(input.graph, input.universe, anywhere ?? context.sets);
    const constants = satisfied.map(({ reading }) => costs.constant(reading));
    this.#detail = detail;
    this.#expected = input.universe.count;
    if (anywhere === null && constants.every((c) => c !== null)) {
      this.#positions = input.positions;
      this.#buckets = constantBuckets(satisfied, constants as number[]);
    } else {
      const kept = anywhere === null ? keptBuckets(satisfied, costs, context) : null;
      // Without positions the next rule reads those of its bucket alone.
      this.#positions = kept ? input.positions : positionsOf(context, input);
      this.#buckets =
        kept ??
        pricedBuckets(
          satisfied,
          costs,
          this.#positions!,
          input.universe.bitsetLength,
          anywhere !== null,
        );
    }
  }

  next(universe: DocSet): Bucket | null {
    while (this.#at < this.#buckets.length) {
      const { cost, docs, readings } = this.#buckets[this.#at++]!;
      const left = universe.count === this.#expected ? docs() : docs().retain(universe);
      this.#expected = universe.count - left.count;
      if (left.isEmpty) continue;
      return {
        docs: left,
        graph: graphOf(readings),
        detail: this.#detail(cost),
        positions: this.#positions,
      };
    }
    return null;
  }
}

/**
 * Buckets by cost when no positions are needed: each document goes to its cheapest reading, the
 * first among equals.
 */
function constantBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: readonly number[],
): PricedBucket[] {
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
  return buckets.map(({ cost, parts, readings }) => ({
    cost,
    docs: () => DocSet.unionOf(parts, parts[0]!.bitsetLength),
    readings,
  }));
}

/**
 * Buckets of a single step by what it costs all living documents, one set of documents for each
 * cost: kept from an earlier search, or made and kept. null for other readings, and for a share of
 * the documents too small to price all of them.
 */
function keptBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  { snapshot, sets }: RankingContext,
): PricedBucket[] | null {
  const [first, ...others] = satisfied;
  const step = first?.reading[0];
  if (!first || !step || others.length > 0 || first.reading.length > 1) return null;
  const price = costs.priceOf?.(step) ?? null;
  if (!costs.nameOf || price === null || step.node.key === null || !isOfLevelZero(step))
    return null;
  const { docs, reading } = first;
  const key = { costs: costs.nameOf(step), exactOnly: step.exactOnly, node: step.node.key };
  const { exactOnly, node } = step;
  const find = (part: IndexSnapshot): readonly CostSet[] => {
    const own = { ...step, node: nodeWithin(node, snapshot, part) };
    const all = stepDocuments(own, sets.within(part));
    return documentsByLeastCost(part, own.node, exactOnly, all, price);
  };
  let byCost = snapshot.kept.get(KEPT.documentsByCost, key, find);
  if (!byCost) {
    if (!isWordAlone(node)) return null;
    const pays =
      paysForAll(docs, stepDocuments(step, sets)) ||
      (docs.count >= KEPT_FOR_DOCUMENTS_MIN && isReady(snapshot, node, exactOnly));
    if (!pays) return null;
    byCost = snapshot.kept.make(KEPT.documentsByCost, key, () => find(snapshot));
  }
  return byCost.map((set) => ({
    cost: set.cost,
    docs: () => docs.retain(set.docs),
    readings: [reading],
  }));
}

/** Without typos. */
const isOfLevelZero = ({ node, typoMask }: Step): boolean =>
  (typoMask & derivedTypoMask(node)) === 1;

function pricedBuckets(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  positions: PositionTable,
  bitsetLength: number,
  mayFail: boolean,
): PricedBucket[] {
  const readings = satisfied.map((s) => s.reading);
  const only = satisfied.length === 1 ? satisfied[0]! : null;
  if (only && !mayFail) {
    const docs = only.docs.toList();
    const prices = priceReading(only.reading, costs, positions, docs, positions.slotsOf(docs));
    return dealByCost(docs, prices, null, readings, bitsetLength);
  }
  const best = new Int32Array(positions.docs.length).fill(UNSATISFIED);
  const from = SEARCH_SPACE.zeros(positions.docs.length);
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
  const dealt = SEARCH_SPACE.numbers(starts[highest + 1]!);
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
        DocSet.fromList(SEARCH_SPACE.copyOf(dealt, starts[cost], starts[cost + 1]), bitsetLength),
      readings: used ? readings.filter((_, r) => used[cost]!.has(r)) : readings,
    });
  }
  return buckets;
}
