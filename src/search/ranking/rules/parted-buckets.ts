/**
 * Buckets of a rule with expensive, position-based costs, found in parts: documents that the following
 * rules rank first are priced first, so that a window is full before most documents are read. The
 * order of the following rules comes from sets of documents, and lists of frequent pairs give the cost
 * of many documents, or a lower bound.
 */

import { groupedByCost, mergedCostSets } from '../../matching/cost-sets.ts';
import { isReady, listBytes } from '../../matching/least-costs.ts';
import type { ListedCosts } from '../../matching/listed-pairs.ts';
import { PositionTable } from '../../matching/position-table.ts';
import { graphOf, type Reading, readingOfAll, type Step } from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';
import { cachedStepCosts } from './cached-costs.ts';
import { costsOfReading, listedCostsOf } from './only-reading-costs.ts';
import { priceReading, type ReadingCosts, UNSATISFIED } from './priced-buckets.ts';
import {
  type Bucket,
  type BucketSource,
  costDetail,
  type PricedRule,
  type RankingContext,
  type RuleInput,
} from './ranking-rule.ts';

/** Fewer documents are not split into parts, and priced at once. */
const PARTED_MIN = 64;
/**
 * After a quarter of the documents of a cost, all others are priced at once, so that each posting list
 * is read once.
 */
const REST_SHARE = 4;
/**
 * Lists are read as soon as this takes no longer than a look-up of the documents priced so far, or of
 * this number; they are used if at most one of `LISTED_SHARE` documents may cost nothing then.
 */
const LISTED_FIRST = 2048;
const LISTED_SHARE = 2;
/**
 * Cost of reading a byte of the lists of a word to split documents, and of the sets that this makes, in
 * bytes of the forward index.
 */
const SPLIT_BYTE_COST = 32;
/** Documents whose positions are read at once. */
const CHUNK_LENGTH = 1 << 14;

/** Documents that the following rules before `level` rank equally. */
interface Part {
  readonly docs: DocSet;
  readonly level: number;
}

/** Documents by their cost. */
interface PricedSets {
  readonly sets: readonly CostSet[];
  /** null if they were scanned, or read in several chunks. */
  readonly positions: PositionTable | null;
}

/**
 * The only reading of the input, if its documents may be priced in parts: the cost of a document
 * must not depend on other documents.
 */
export function partedReading(
  { sets }: RankingContext,
  { graph, universe, positions }: RuleInput,
): Reading | null {
  if (positions !== null || universe.count < PARTED_MIN) return null;
  const reading = readingOfAll(graph, universe, sets);
  return reading === null || reading.length < 2 ? null : reading;
}

export class PartedBuckets implements BucketSource {
  isCutShort = false;
  readonly #context: RankingContext;
  readonly #universe: DocSet;
  /** Satisfied by all documents of the universe. */
  readonly #reading: Reading;
  readonly #of: PricedRule;
  /** Costs of the following rules, up to the first rule without costs. */
  readonly #orders: readonly ReadingCosts[];
  /** Average bytes of a document's words. */
  readonly #wordBytes: number;
  /** Costs from lists of frequent pairs; null = not read yet, or not in lists. */
  #listed: ListedCosts | null = null;
  /** Number of priced documents at which the lists are tried again. */
  #nextListed = LISTED_FIRST;
  /** Documents that were found to cost more than `#cost`. */
  #dearer: readonly CostSet[] = [];
  #pricedCount = 0;
  #cost = 0;
  /** Documents known to cost `#cost`. */
  #known: DocSet;
  /** Number of documents that may cost `#cost`. */
  #unknownCount: number;
  /** Number of these documents that are not priced yet. */
  #unknownLeft: number;
  /** Parts of both, the first one last. */
  #left: Part[];

  constructor(
    context: RankingContext,
    { following, universe }: RuleInput,
    reading: Reading,
    of: PricedRule,
  ) {
    this.#context = context;
    this.#universe = universe;
    this.#reading = reading;
    this.#of = of;
    const orders: ReadingCosts[] = [];
    for (const rule of following) {
      const costs = rule.costsOf?.(context);
      if (costs === undefined) break;
      if (costs.constant(reading) === null) orders.push(costs);
    }
    this.#orders = orders;
    this.#wordBytes = meanWordBytes(context.snapshot);
    this.#known = DocSet.empty(universe.bitsetLength);
    this.#unknownCount = this.#unknownLeft = universe.count;
    this.#left = [{ docs: universe, level: 0 }];
  }

  next(universe: DocSet): Bucket | null {
    const { largest } = this.#of;
    while (this.#cost <= largest) {
      const part = this.#nextPart();
      if (this.isCutShort) return null;
      if (part === null) {
        this.#toCost(this.#cost + 1);
        continue;
      }
      const priced = this.#price(part);
      const docs = priced.docs.retain(universe);
      if (docs.isEmpty) continue;
      return {
        docs,
        graph: graphOf([this.#reading]),
        detail: costDetail(this.#of, this.#cost),
        positions: priced.positions,
      };
    }
    return null;
  }

  /** Continues with the documents that cost `cost`, or may cost it. */
  #toCost(cost: number): void {
    const { bitsetLength } = this.#universe;
    const found = docsOf(this.#dearer, cost);
    let unknown = docsOf(this.#listed?.bounds ?? [], cost);
    for (const { docs } of this.#dearer) unknown = unknown?.without(docs) ?? null;
    const known = [found, docsOf(this.#listed?.sets ?? [], cost)].filter((docs) => docs !== null);
    this.#cost = cost;
    this.#known = DocSet.unionOf(known, bitsetLength);
    this.#dearer = this.#dearer.filter((set) => set.cost > cost);
    this.#unknownCount = this.#unknownLeft = unknown?.count ?? 0;
    const docs = unknown === null ? known : [...known, unknown];
    this.#left = docs.length === 0 ? [] : [{ docs: DocSet.unionOf(docs, bitsetLength), level: 0 }];
  }

  /** The documents left that the following rules rank first; null after the last. */
  #nextPart(): DocSet | null {
    for (;;) {
      const { deadline } = this.#context;
      deadline.check();
      if (deadline.exceeded) {
        this.isCutShort = true;
        return null;
      }
      this.#tryLists();
      if (this.#isRestPriced()) this.#priceRest();
      const part = this.#left.pop();
      if (part === undefined) return null;
      if (part.docs.isEmpty) continue;
      const smaller = this.#parted(part);
      if (smaller === null) return part.docs;
      this.#left.push(...smaller.reverse());
    }
  }

  #isRestPriced(): boolean {
    if (this.#unknownLeft === 0) return false;
    const done = this.#unknownCount - this.#unknownLeft;
    return this.#unknownLeft < PARTED_MIN || done * REST_SHARE >= this.#unknownCount;
  }

  /** Prices all documents left; the parts keep the documents that cost `#cost`. */
  #priceRest(): void {
    const all = this.#left.map(({ docs }) => docs);
    const { docs } = this.#price(DocSet.unionOf(all, this.#known.bitsetLength));
    this.#known = DocSet.unionOf([this.#known, docs], docs.bitsetLength);
    this.#left = this.#left.map((part) => ({ ...part, docs: part.docs.retain(docs) }));
  }

  /** Uses lists as soon as they may be read: leaves the documents that cost more for later. */
  #tryLists(): void {
    const documentCount = Math.max(LISTED_FIRST, this.#pricedCount);
    if (this.#listed !== null || this.#unknownLeft === 0) return;
    if (documentCount < this.#nextListed) return;
    this.#nextListed = 2 * documentCount;
    const all = { reading: this.#reading, docs: this.#universe };
    const listed = listedCostsOf(this.#context, all, this.#of.costs, documentCount);
    if (listed === null) return;
    const { bitsetLength, count } = this.#universe;
    const upTo = (sets: readonly CostSet[]): DocSet =>
      DocSet.unionOf(
        sets.filter(({ cost }) => cost <= this.#cost).map(({ docs }) => docs),
        bitsetLength,
      );
    const unknown = upTo(listed.bounds);
    if (unknown.count * LISTED_SHARE > count) return;
    this.#listed = listed;
    this.#known = DocSet.unionOf([this.#known, upTo(listed.sets)], bitsetLength);
    const wanted = DocSet.unionOf([this.#known, unknown], bitsetLength);
    this.#left = this.#left.map((part) => ({ ...part, docs: part.docs.retain(wanted) }));
    const left = DocSet.unionOf(
      this.#left.map(({ docs }) => docs),
      bitsetLength,
    );
    this.#unknownCount = this.#unknownLeft = left.without(this.#known).count;
  }

  /** Splits by the rule of its level, best first; null if that is not worth its cost. */
  #parted({ docs, level }: Part): Part[] | null {
    const costs = this.#orders[level];
    if (costs === undefined || docs.count < PARTED_MIN) return null;
    let byCost: readonly CostSet[] = [{ cost: 0, docs }];
    for (const step of this.#reading) {
      const ofStep = this.#costsOf(step, costs, docs);
      if (ofStep === null) return null;
      byCost = sums(byCost, ofStep);
    }
    return byCost.map((set) => ({ docs: set.docs, level: level + 1 }));
  }

  #costsOf(step: Step, costs: ReadingCosts, docs: DocSet): readonly CostSet[] | null {
    const { snapshot } = this.#context;
    return cachedStepCosts(step, costs, this.#context, (_, price) => {
      if (isReady(snapshot, step, price)) return true;
      return listBytes(snapshot, step) * SPLIT_BYTE_COST < this.#wordBytes * docs.count;
    });
  }

  /** Prices the documents and returns the ones that cost `#cost`. */
  #price(docs: DocSet): { readonly docs: DocSet; readonly positions: PositionTable | null } {
    const unknown = docs.without(this.#known);
    if (unknown.isEmpty) return { docs, positions: null };
    const { count } = unknown;
    this.#pricedCount += count;
    this.#unknownLeft -= count;
    const { sets, positions } = this.#priceUnknown(unknown);
    const dearer = sets.filter(({ cost }) => cost > this.#cost);
    if (dearer.length > 0) this.#dearer = mergedCostSets([...this.#dearer, ...dearer]);
    const found = docsOf(sets, this.#cost);
    if (count === docs.count) return { docs: found ?? DocSet.empty(docs.bitsetLength), positions };
    const known = docs.without(unknown);
    const both = found === null ? known : DocSet.unionOf([known, found], docs.bitsetLength);
    return { docs: both, positions: null };
  }

  #priceUnknown(docs: DocSet): PricedSets {
    if (docs.count <= CHUNK_LENGTH) return this.#priceChunk(docs);
    const list = docs.toList();
    const found: CostSet[] = [];
    for (let from = 0; from < list.length; from += CHUNK_LENGTH) {
      this.#context.deadline.check();
      const chunk = DocSet.fromList(list.slice(from, from + CHUNK_LENGTH), docs.bitsetLength);
      found.push(...this.#priceChunk(chunk).sets);
    }
    return { sets: mergedCostSets(found), positions: null };
  }

  #priceChunk(docs: DocSet): PricedSets {
    const { snapshot, sets } = this.#context;
    const satisfied = { reading: this.#reading, docs };
    const { costs } = this.#of;
    const scanned = costsOfReading(this.#context, satisfied, costs);
    if (scanned !== null)
      return { sets: groupedByCost(docs, scanned, UNSATISFIED), positions: null };
    const positions = new PositionTable(snapshot, sets, docs);
    const priced = priceReading(this.#reading, costs, positions, docs.toList());
    return { sets: groupedByCost(docs, priced, UNSATISFIED), positions };
  }
}

const docsOf = (sets: readonly CostSet[], wanted: number): DocSet | null =>
  sets.find(({ cost }) => cost === wanted)?.docs ?? null;

function meanWordBytes({ segments, live }: RankingContext['snapshot']): number {
  const bytes = segments.reduce(
    (sum, { forward, documentCount }) => sum + (forward?.bytesOf(0, documentCount) ?? 0),
    0,
  );
  return bytes / live.count;
}

/** Documents that are in a set of both lists, by the sum of costs in ascending order. */
function sums(some: readonly CostSet[], others: readonly CostSet[]): CostSet[] {
  const found: CostSet[] = [];
  for (const a of some) {
    for (const b of others) {
      const docs = a.docs.retain(b.docs);
      if (!docs.isEmpty) found.push({ cost: a.cost + b.cost, docs });
    }
  }
  return mergedCostSets(found);
}
