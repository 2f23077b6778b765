/** Documents in which neighbouring words of the query are close together first (3.7). */
import { fieldOfOccurrence } from '../../../engine/postings/occurrence-key.ts';
import type { ListedCosts } from '../../matching/listed-pairs.ts';
import type { MatchSets } from '../../matching/match-sets.ts';
import { type NodePositions, OccurrenceClass } from '../../matching/occurrence-records.ts';
import { admittedClasses } from '../../matching/position-table.ts';
import type { CostsByPositions } from '../../matching/reading-scan.ts';
import {
  areNeighbours,
  largestCost,
  type Reading,
  type Step,
  stepDocuments,
} from '../../matching/readings.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';
import { costBuckets } from './cost-rule.ts';
import { baseCost, FAR, fieldProximityOptions } from './field-proximity.ts';
import { PartedBuckets, partedReading } from './parted-buckets.ts';
import { type PricedDocuments, type ReadingCosts, UNSATISFIED } from './priced-buckets.ts';
import type { RankingContext, RankingRule } from './ranking-rule.ts';
import { WalkedBuckets } from './walked-buckets.ts';

/** Distances in words below which a pair costs less: left before right, and reversed. */
const NEAR_AFTER = FAR;
const NEAR_BEFORE = FAR - 1;

export const proximity: RankingRule = {
  start(context, input) {
    if (context.snapshot.manifest.settings.proximityPrecision === 'byAttribute')
      return new WalkedBuckets('proximity', input, fieldProximityOptions(context));
    const largest = largestCost(
      input.graph,
      (step, previous) => baseCost(step) + (areNeighbours(previous, step) ? FAR : 0),
    );
    const costs = new PositionCosts(context);
    const priced = { rule: 'proximity', costs, largest } as const;
    const reading = partedReading(context, input);
    return reading === null || costs.constant(reading) !== null
      ? costBuckets(context, input, priced)
      : new PartedBuckets(context, input, reading, priced);
  },
};

class PositionCosts implements ReadingCosts {
  readonly #context: RankingContext;

  constructor(context: RankingContext) {
    this.#context = context;
  }

  constant(reading: Reading): number | null {
    for (let i = 1; i < reading.length; i++)
      if (areNeighbours(reading[i - 1]!, reading[i]!)) return null;
    return sumOfBases(reading);
  }

  compute(reading: Reading, documents: PricedDocuments, out: Int32Array): void {
    priceByPosition(reading, documents, out, this.#context.sets);
  }

  listed(reading: Reading, docs: DocSet, documentCount: number): ListedCosts | null {
    const base = sumOfBases(reading);
    const costs = this.#context.readingScan.listedPairCosts(reading, docs, documentCount);
    const more = (set: CostSet): CostSet => ({ cost: base + set.cost, docs: set.docs });
    return costs && { sets: costs.sets.map(more), bounds: costs.bounds.map(more) };
  }

  scan(reading: Reading, docs: Uint32Array, byPositions: CostsByPositions): Int32Array | null {
    return scanPrices(this.#context, reading, docs, byPositions);
  }
}

const sumOfBases = (reading: Reading): number =>
  reading.reduce((sum, step) => sum + baseCost(step), 0);

/** The cache has the costs of pairs alone. */
function scanPrices(
  { readingScan }: RankingContext,
  reading: Reading,
  docs: Uint32Array,
  byPositions: CostsByPositions,
): Int32Array | null {
  const base = sumOfBases(reading);
  const pairsByPositions = (some: Uint32Array): Int32Array => plus(byPositions(some), -base);
  const costs = readingScan.pairCosts(reading, docs, pairsByPositions);
  return costs && plus(costs, base);
}

/** Adds to each of the costs and returns them. */
function plus(costs: Int32Array, base: number): Int32Array {
  if (base !== 0) for (let i = 0; i < costs.length; i++) costs[i]! += base;
  return costs;
}

function priceByPosition(
  reading: Reading,
  documents: PricedDocuments,
  out: Int32Array,
  sets: MatchSets,
): void {
  priceLeftEnds(reading, documents, out, sets);
  eachPairOfNeighbours(reading, (left, right) => {
    const l = sideOf(left, documents, OccurrenceClass.left | OccurrenceClass.reversed);
    const r = sideOf(right, documents, OccurrenceClass.right | OccurrenceClass.reversed);
    for (let i = 0; i < out.length; i++) out[i]! += pairCost(l, l.rowOf[i]!, r, r.rowOf[i]!);
    refuseFar(right, documents, out, sets, (i) => pairCost(l, l.rowOf[i]!, r, r.rowOf[i]!) < FAR);
  });
}

/** Base costs; a step without a left neighbour must be in a counted field of the document. */
function priceLeftEnds(
  reading: Reading,
  documents: PricedDocuments,
  out: Int32Array,
  sets: MatchSets,
): void {
  out.fill(sumOfBases(reading));
  reading.forEach((step, i) => {
    if (!areNeighbours(reading[i - 1] ?? null, step))
      refuseFar(step, documents, out, sets, () => false);
  });
}

/**
 * Refuses documents with the step only in fields that do not count, unless it is near its left
 * neighbour.
 */
function refuseFar(
  step: Step,
  { docs }: PricedDocuments,
  out: Int32Array,
  sets: MatchSets,
  isNear: (i: number) => boolean,
): void {
  if (sets.anywhere === null) return;
  const counted = stepDocuments(step, sets);
  for (let i = 0; i < docs.length; i++)
    if (!counted.has(docs[i]!) && !isNear(i)) out[i]! += UNSATISFIED;
}

function eachPairOfNeighbours(reading: Reading, visit: (left: Step, right: Step) => void): void {
  for (let i = 1; i < reading.length; i++)
    if (areNeighbours(reading[i - 1]!, reading[i]!)) visit(reading[i - 1]!, reading[i]!);
}

/** One side of a pair: its records and the permitted classes. */
interface Side {
  readonly positions: NodePositions;
  readonly admitted: Uint8Array;
  /** Row of each document. */
  readonly rowOf: Uint32Array;
}

function sideOf(step: Step, { positions, slots }: PricedDocuments, uses: number): Side {
  const own = positions.of(step);
  return {
    positions: own,
    admitted: admittedClasses(step, uses),
    rowOf: slots,
  };
}

/** Lowest cost of a pair of occurrences in a document: 0 … FAR. */
function pairCost(left: Side, lRow: number, right: Side, rRow: number): number {
  const { offsets: lOffsets, keys: lKeys } = left.positions;
  const { offsets: rOffsets, keys: rKeys } = right.positions;
  const lEnd = lOffsets[lRow + 1]!;
  const rEnd = rOffsets[rRow + 1]!;
  let lStart = lOffsets[lRow]!;
  let best = FAR;
  for (let j = rOffsets[rRow]!; j < rEnd; j++) {
    const key = rKeys[j]!;
    while (lStart < lEnd && lKeys[lStart]! + NEAR_AFTER < key) lStart++;
    for (let i = lStart; i < lEnd && lKeys[i]! <= key + NEAR_BEFORE; i++) {
      const cost = costOfGap(left, i, right, j, key - lKeys[i]!);
      if (cost === 0) return 0;
      if (cost < best) best = cost;
    }
  }
  return best;
}

/** Forward neighbours cost their distance minus one, reversed ones their distance. */
function costOfGap(left: Side, i: number, right: Side, j: number, gap: number): number {
  const leftClass = left.positions.classes[i]!;
  const rightClass = right.positions.classes[j]!;
  const isPair =
    left.admitted[leftClass] === 1 &&
    right.admitted[rightClass] === 1 &&
    fieldOfOccurrence(left.positions.keys[i]!) === fieldOfOccurrence(right.positions.keys[j]!);
  if (!isPair || gap === 0) return FAR;
  if (gap > 0)
    return (leftClass & OccurrenceClass.left) !== 0 && (rightClass & OccurrenceClass.right) !== 0
      ? gap - 1
      : FAR;
  return (leftClass & rightClass & OccurrenceClass.reversed) !== 0 ? -gap : FAR;
}
