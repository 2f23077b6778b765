/**
 * Buckets of a rule with expensive, position-based costs, found in parts: documents that the
 * following rules rank first are priced first, so that a window is full before most documents are
 * read. The following rules derive their order from sets alone.
 */
import { isReady, listBytes } from '../../matching/least-costs.ts';
import { type ListedCosts, together } from '../../matching/listed-pairs.ts';
import { PositionTable } from '../../matching/position-table.ts';
import { LIST_BYTE_COST } from '../../matching/read-terms.ts';
import { graphOf, type Reading, readingOfAll, type Step } from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import type { CostSet } from '../../snapshot/cached-values.ts';
import { keptStepCosts } from './cached-costs.ts';
import { costsOfReading, listedCostsOf } from './only-reading-costs.ts';
import { bucketsByCost, costSets, type ReadingCosts, setsOf } from './priced-buckets.ts';
import type {
  Bucket,
  BucketSource,
  RankDetail,
  RankingContext,
  RuleInput,
} from './ranking-rule.ts';

/** Fewer documents are not split into parts. */
const PARTED_MIN = 64;
/**
 * After a quarter of the documents, all others are priced at once, so that each posting list is
 * read once.
 */
const REST_SHARE = 4;
/**
 * Costs are taken from lists as soon as this reads no more than a look-up of the documents priced so
 * far, or of this number; and if at most one of `LISTED_SHARE` is left to be priced then.
 */
const LISTED_FIRST = 2048;
const LISTED_SHARE = 2;
/** Documents whose positions are read at once. */
const CHUNK_LENGTH = 1 << 14;

/** Documents that the following rules before `level` rank equally. */
interface Part {
  readonly docs: DocSet;
  readonly level: number;
}

/** A part whose documents were priced. */
interface PricedPart {
  readonly sets: readonly CostSet[];
  /** null if they were scanned, or read in several chunks. */
  readonly positions: PositionTable | null;
}

/** The documents to be grouped into buckets. */
interface Priced {
  readonly input: RuleInput;
  /** Satisfied by all documents of the input. */
  readonly reading: Reading;
  readonly costs: ReadingCosts;
  /** No document costs more. */
  readonly largest: number;
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
  readonly #of: Priced;
  readonly #detail: (cost: number) => RankDetail;
  /** Costs of those following rules that have costs. */
  readonly #orders: readonly ReadingCosts[];
  /** Average bytes of a document's words. */
  readonly #wordBytes: number;
  /** Whether lists have the costs of most documents. */
  #isListed = false;
  /** Documents whose costs lists do not have. */
  #unlistedCount = Number.POSITIVE_INFINITY;
  /** Documents of which a look-up takes as long as the lists may take at the next attempt. */
  #nextListed = LISTED_FIRST;
  /** Parts not yet priced, the first one last. */
  #left: Part[];
  readonly #priced: PricedPart[] = [];
  #pricedCount = 0;
  #cost = 0;
  /** Number of the next priced part. */
  #at = 0;

  constructor(context: RankingContext, of: Priced, detail: (cost: number) => RankDetail) {
    this.#context = context;
    this.#of = of;
    this.#detail = detail;
    const { graph, following, universe } = of.input;
    const orders: ReadingCosts[] = [];
    for (const rule of following) {
      const costs = rule.costsOf?.(context, graph);
      if (costs === undefined) break;
      if (costs.constant(of.reading) === null) orders.push(costs);
    }
    this.#orders = orders;
    this.#wordBytes = meanWordBytes(context.snapshot);
    this.#left = [{ docs: universe, level: 0 }];
  }

  next(universe: DocSet): Bucket | null {
    const { reading, largest } = this.#of;
    for (; this.#cost <= largest; this.#cost++, this.#at = 0) {
      for (;;) {
        const part = this.#part(this.#at);
        if (part === null) break;
        this.#at++;
        const set = part.sets.find(({ cost }) => cost === this.#cost);
        const docs = set?.docs.retain(universe);
        if (!docs || docs.isEmpty) continue;
        const detail = this.#detail(this.#cost);
        return { docs, graph: graphOf([reading]), detail, positions: part.positions };
      }
      if (this.isCutShort) return null;
    }
    return null;
  }

  /** null after the last one and after the deadline. */
  #part(number: number): PricedPart | null {
    while (number >= this.#priced.length) {
      const part = this.#left.pop();
      if (part === undefined) return null;
      const { deadline } = this.#context;
      deadline.check();
      if (deadline.exceeded) {
        this.isCutShort = true;
        return null;
      }
      const isRest = this.#isRest();
      const smaller = isRest ? null : this.#parted(part);
      if (smaller !== null) this.#left.push(...smaller.reverse());
      else this.#priced.push(this.#price(isRest ? this.#rest(part) : part.docs));
    }
    return this.#priced[number]!;
  }

  /** Whether all documents that are left are priced at once. */
  #isRest(): boolean {
    const { count } = this.#of.input.universe;
    this.#tryLists(Math.max(LISTED_FIRST, this.#pricedCount));
    return this.#pricedCount * REST_SHARE >= count || this.#unlistedCount <= CHUNK_LENGTH;
  }

  /** @param documentCount documents of which a look-up takes as long as the lists may take */
  #tryLists(documentCount: number): void {
    if (this.#isListed || documentCount < this.#nextListed) return;
    this.#nextListed = 2 * documentCount;
    const { reading, costs, input } = this.#of;
    const { universe } = input;
    const all = { reading, docs: universe };
    const listed = listedCostsOf(this.#context, all, costs, documentCount);
    if (listed === null || listed.rest.count * LISTED_SHARE > universe.count) return;
    this.#isListed = true;
    this.#unlistedCount = listed.rest.count;
  }

  /** Documents of the part and of all remaining parts. */
  #rest(part: Part): DocSet {
    const parts = [part, ...this.#left].map(({ docs }) => docs);
    this.#left = [];
    return DocSet.unionOf(parts, part.docs.bitsetLength);
  }

  /** Splits by the rule of its level, best first; null if that is not worth its cost. */
  #parted({ docs, level }: Part): Part[] | null {
    const costs = this.#orders[level];
    if (costs === undefined || docs.count < PARTED_MIN) return null;
    let byCost: readonly CostSet[] = [{ cost: 0, docs }];
    for (const step of this.#of.reading) {
      const ofStep = this.#costsOf(step, costs, docs);
      if (ofStep === null) return null;
      byCost = sums(byCost, ofStep);
    }
    return byCost.map((set) => ({ docs: set.docs, level: level + 1 }));
  }

  #costsOf(step: Step, costs: ReadingCosts, docs: DocSet): readonly CostSet[] | null {
    const { snapshot } = this.#context;
    return keptStepCosts(step, costs, this.#context, (_, price) => {
      if (isReady(snapshot, step, price)) return true;
      return listBytes(snapshot, step) * LIST_BYTE_COST < this.#wordBytes * docs.count;
    });
  }

  #price(docs: DocSet): PricedPart {
    this.#pricedCount += docs.count;
    this.#tryLists(this.#pricedCount);
    const { reading, costs } = this.#of;
    const listed = this.#isListed ? listedCostsOf(this.#context, { reading, docs }, costs) : null;
    return listed === null ? this.#priceUnlisted(docs) : this.#priceListed(listed);
  }

  #priceListed({ sets, rest }: ListedCosts): PricedPart {
    if (rest.isEmpty) return { sets, positions: null };
    return { sets: together([...sets, ...this.#priceUnlisted(rest).sets]), positions: null };
  }

  #priceUnlisted(docs: DocSet): PricedPart {
    if (docs.count <= CHUNK_LENGTH) return this.#priceChunk(docs);
    const list = docs.toList();
    const found: CostSet[] = [];
    for (let from = 0; from < list.length; from += CHUNK_LENGTH) {
      this.#context.deadline.check();
      const chunk = DocSet.fromList(list.slice(from, from + CHUNK_LENGTH), docs.bitsetLength);
      found.push(...this.#priceChunk(chunk).sets);
    }
    return { sets: together(found), positions: null };
  }

  #priceChunk(docs: DocSet): PricedPart {
    const { snapshot, sets } = this.#context;
    const { reading, costs } = this.#of;
    const scanned = costsOfReading(this.#context, { reading, docs }, costs);
    if (scanned !== null)
      return { sets: setsOf(bucketsByCost({ reading, docs }, scanned)), positions: null };
    const positions = new PositionTable(snapshot, sets, docs);
    return { sets: costSets({ reading, docs }, costs, positions), positions };
  }
}

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
  return together(found);
}
