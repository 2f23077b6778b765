/** Buckets of documents whose costs are kept from an earlier search, or made and kept. */
import {
  documentsByLeastCost,
  isReady,
  isWordAlone,
  listCount,
} from '../../matching/least-costs.ts';
import type { MatchSets } from '../../matching/match-sets.ts';
import { PositionTable } from '../../matching/position-table.ts';
import {
  type Reading,
  type SatisfiedReading,
  type Step,
  stepDocuments,
} from '../../matching/readings.ts';
import { derivedTypoMask, nodeWithin } from '../../query/query-node.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import { KEPT } from '../../snapshot/kept-kinds.ts';
import type { CostSet } from '../../snapshot/kept-values.ts';
import { mayHold } from '../../snapshot/snapshot-part.ts';
import {
  costSets,
  type PricedBucket,
  type PricedReading,
  type ReadingCosts,
} from './priced-buckets.ts';
import { positionsOf, type RankingContext, type RuleInput } from './ranking-rule.ts';

const KEPT_FOR_DOCUMENTS_MIN = 512;
const KEPT_FOR_SHARE = 16;

/** Lists of so few documents are read whole, whichever of them are asked for. */
const SHORT_LIST = 32;

/**
 * Whether enough is asked of all documents with a word to find out about all of them, and keep it,
 * rather than about `docs` alone.
 */
export const paysForAll = (docs: DocSet, all: DocSet): boolean =>
  docs.count >= KEPT_FOR_DOCUMENTS_MIN && docs.count * KEPT_FOR_SHARE >= all.count;

/** Readings of several steps are kept that at least so many documents satisfy … */
const READING_DOCUMENTS_MIN = 64;
/** … or that lead to so many lists of words: looking at these is what costs, however few they hold. */
const READING_LISTS_MIN = 1024;
/**
 * Readings that no more documents satisfy, or no more than there are lists to look at, are priced for
 * all of them, however few are asked for.
 */
const PRICED_FOR_ALL_MAX = 4096;
/** Sentences are seldom asked again, and finding out who satisfies all of their steps costs most. */
const STEPS_MAX = 4;

/**
 * Buckets of a single step by what it costs all living documents, one set of documents for each
 * cost: kept from an earlier search, or made and kept. null for other readings, and for a share of
 * the documents too small to price all of them.
 */
export function keptStepBuckets(
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
  const { exactOnly, node } = step;
  const key = { costs: costs.nameOf(step), exactOnly, node: step.node.key };
  const find = (part: IndexSnapshot): readonly CostSet[] => {
    if (!mayHold(part, snapshot, node.derivations, false)) return [];
    const own = { ...step, node: nodeWithin(node, snapshot, part) };
    const all = stepDocuments(own, sets.within(part));
    return documentsByLeastCost(part, own, all, price);
  };
  let byCost = snapshot.kept.get(KEPT.documentsByCost, key, find);
  if (!byCost) {
    if (!isWordAlone(node)) return null;
    const all = stepDocuments(step, sets);
    const pays =
      paysForAll(docs, all) ||
      (docs.count >= KEPT_FOR_DOCUMENTS_MIN &&
        (isReady(snapshot, step) || listCount(snapshot, step) * SHORT_LIST >= all.count));
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

interface KeptReadings {
  readonly priced: readonly PricedReading[];
  /** Those that had to be read; null when all costs were known. */
  readonly positions: PositionTable | null;
}

/**
 * Readings by what they cost the documents that satisfy them. null when one of them has to be priced
 * for this search alone: it has typos or many steps, or the universe leaves out many documents that satisfy it.
 */
export function keptReadings(
  satisfied: readonly SatisfiedReading[],
  costs: ReadingCosts,
  context: RankingContext,
  input: RuleInput,
): KeptReadings | null {
  const { nameOfReadings } = costs;
  if (nameOfReadings === undefined || !areNamed(satisfied, costs)) return null;
  const { snapshot, sets } = context;
  const keyOf = (reading: Reading) => ({
    costs: `${nameOfReadings} of readings`,
    exactOnly: false,
    node: nameOf(reading),
  });
  const known = satisfied.map(({ reading, docs }) => {
    const cost = costs.constant(reading);
    if (cost !== null) return [{ cost, docs }];
    return snapshot.kept.get(KEPT.documentsByCost, keyOf(reading), (part) =>
      costsWithin(part, reading, costs, context),
    );
  });
  // By reading whose costs are to be found, all documents that satisfy it.
  const all = new Map<Reading, DocSet>();
  for (const [i, { reading, docs }] of satisfied.entries()) {
    if (known[i] !== undefined) continue;
    const documents = documentsOf(reading, sets);
    if (!paysForReading(docs, documents, listsOf(reading, snapshot))) return null;
    all.set(reading, documents);
  }
  const positions = all.size > 0 ? positionsOf(context, input) : null;
  const priced = satisfied.flatMap(({ reading, docs }, i) => {
    const byCost =
      known[i] ??
      snapshot.kept.make(KEPT.documentsByCost, keyOf(reading), () => {
        const documents = all.get(reading)!;
        const table = tableOf(documents, positions!, context);
        return costSets({ reading, docs: documents }, costs, table);
      });
    return byCost.map((set) => ({ cost: set.cost, docs: docs.retain(set.docs), reading }));
  });
  return { priced, positions };
}

const paysForReading = (docs: DocSet, all: DocSet, lists: number): boolean =>
  (all.count >= READING_DOCUMENTS_MIN || lists >= READING_LISTS_MIN) &&
  (docs.count === all.count || all.count <= Math.max(PRICED_FOR_ALL_MAX, lists));

const listsOf = (reading: Reading, snapshot: IndexSnapshot): number =>
  reading.reduce((sum, step) => sum + listCount(snapshot, step), 0);

const tableOf = (
  docs: DocSet,
  known: PositionTable,
  { snapshot, sets }: RankingContext,
): PositionTable => (known.includes(docs) ? known : new PositionTable(snapshot, sets, docs));

const areNamed = (satisfied: readonly SatisfiedReading[], costs: ReadingCosts): boolean =>
  satisfied.every(
    ({ reading }) =>
      (reading.length <= STEPS_MAX && reading.every(isNamed)) || costs.constant(reading) !== null,
  );

const isNamed = (step: Step): boolean => step.node.key !== null && isOfLevelZero(step);

/** Names the nodes of a reading, as narrow as they are, and their places in the query. */
const nameOf = (reading: Reading): string =>
  reading
    .map(
      ({ node, exactOnly }) => `${node.start} ${node.end}${exactOnly ? ' exact' : ''} ${node.key}`,
    )
    .join('\u0002');

const documentsOf = (reading: Reading, sets: MatchSets): DocSet =>
  reading.map((step) => stepDocuments(step, sets)).reduce((docs, other) => docs.retain(other));

function costsWithin(
  part: IndexSnapshot,
  reading: Reading,
  costs: ReadingCosts,
  { snapshot, sets }: RankingContext,
): CostSet[] {
  if (!reading.every(({ node }) => mayHold(part, snapshot, node.derivations, false))) return [];
  const own = reading.map((step) => ({ ...step, node: nodeWithin(step.node, snapshot, part) }));
  const docs = documentsOf(own, sets.within(part));
  if (docs.isEmpty) return [];
  const positions = new PositionTable(part, sets.within(part), docs);
  return costSets({ reading: own, docs }, costs, positions);
}
