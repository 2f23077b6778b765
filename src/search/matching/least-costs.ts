/**
 * Documents by the lowest cost of an occurrence of a query node without typos: from digests, else
 * by one pass over the node's occurrences, priced while they are read.
 */
import type {
  OccurrenceBuffer,
  Placing,
  RangeDigest,
  SegmentReader,
} from '../../engine/segment/segment.ts';
import { orInto } from '../../engine/sets/bitset.ts';
import type { QueryNode } from '../query/query-node.ts';
import { CollectedDocuments } from '../sets/collected-documents.ts';
import { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { CostSet } from '../snapshot/cached-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { dealDigest } from './digested-documents.ts';
import { dropDead } from './term-occurrences.ts';

/** Approximate number of occurrences read before they are priced. */
const BATCH_LENGTH = 8192;

/** All costs are lower. */
export const LEAST_COST_END = 0xff;

/** Marks a document without an occurrence. */
const NOTHING = LEAST_COST_END;

/** Lowers `least[docs[i]]` to the cost of each occurrence. */
export type PriceOccurrences = (occurrences: OccurrenceBuffer, least: Uint8Array) => void;

/** Costs of occurrences, one by one or by fieldPositionClass. */
export interface LeastCosts {
  readonly price: PriceOccurrences;
  /**
   * The lowest cost of a document's occurrences by its fieldPositionClass; null if the class does
   * not determine it. @param fieldMap global numbers of the class's fields
   */
  readonly ofPlacing: (fieldPositionClass: Placing, fieldMap: Int32Array) => number | null;
}

/** A node of a reading, without typos. */
interface PlainStep {
  readonly node: QueryNode;
  /** Only the exact word counts, or completions of a frequent prefix. */
  readonly exactOnly: boolean;
}

/** Digests are used when they cover at least 7/8 of the live documents. */
const READY_SHARE = 8;

/** True if digests cover nearly all live documents with the node, and give their costs. */
export function isReady(
  { segments, live, everywhere }: IndexSnapshot,
  step: PlainStep,
  costs: LeastCosts | null = null,
): boolean {
  const unready = segments.filter((segment, s) => {
    const ranges = termRanges(step, s);
    if (!hasTerms(ranges)) return false;
    const { fieldMap } = everywhere[s]!;
    const fieldPositionClasses = digestOf(segment, ranges)?.fieldPositionClasses ?? null;
    return (
      fieldPositionClasses === null ||
      fieldPositionClasses.some(
        (fieldPositionClass) => costs?.ofPlacing(fieldPositionClass, fieldMap) === null,
      )
    );
  });
  const count = unready.reduce((sum, { documentCount }) => sum + documentCount, 0);
  return count * READY_SHARE <= live.count;
}

/** Bytes of the node's posting lists without typos. */
export const listBytes = ({ segments }: IndexSnapshot, step: PlainStep): number =>
  segments.reduce(
    (sum, segment, s) =>
      sum + termRanges(step, s).reduce((n, [lo, hi]) => n + segment.postingBytes(lo, hi), 0),
    0,
  );

/** Number of the node's posting lists without typos, over words and segments. */
export const listCount = ({ segments }: IndexSnapshot, step: PlainStep): number =>
  segments.reduce((sum, _, s) => termRanges(step, s).reduce((n, [lo, hi]) => n + hi - lo, sum), 0);

/** True if the node is a word with its completions, without typos or other derivations. */
export const isWordAlone = ({
  derivations: { exact, completions, synonyms, phrase },
}: QueryNode): boolean =>
  !phrase && synonyms.length === 0 && (exact !== null || completions !== null);

/** The documents, which all contain the plain node, by lowest cost in ascending order. */
export function documentsByLeastCost(
  snapshot: IndexSnapshot,
  step: PlainStep,
  documents: DocSet,
  costs: LeastCosts,
): CostSet[] {
  const ready = new Map<number, Uint32Array>();
  const unread = snapshot.segments.flatMap((_, s) => {
    const ranges = termRanges(step, s);
    return addReady(snapshot, s, ranges, costs, ready) ? [] : [{ s, ranges }];
  });
  let rest = unread.length === 0 ? DocSet.empty(snapshot.bitsetLength) : documents;
  if (!rest.isEmpty) for (const bits of ready.values()) rest = rest.subtract(bits);
  const least = SCRATCH.costs.take(snapshot.bitsetLength * 32, NOTHING);
  rest.withBits(SCRATCH.universe, (candidates) => {
    for (const { s, ranges } of unread) {
      const pass = new SegmentPass(snapshot, s, candidates, costs.price, least);
      for (const [lo, hi] of ranges) pass.read(lo, hi);
      pass.finish();
    }
  });
  return withReady(dealt(rest, least), ready, snapshot.bitsetLength);
}

type TermRange = readonly [lo: number, hi: number];

/** Digest of the terms of adjacent ranges; null if there is none or the ranges are not adjacent. */
function digestOf(segment: SegmentReader, ranges: readonly TermRange[]): RangeDigest | null {
  const [first, second] = ranges;
  if (!first || (second && second[0] !== first[1])) return null;
  return segment.rangeDigest(first[0], (second ?? first)[1]);
}

const hasTerms = (ranges: readonly TermRange[]): boolean => ranges.some(([lo, hi]) => lo < hi);

/** Adds the live documents of the terms by cost from a digest; false if there is none. */
function addReady(
  snapshot: IndexSnapshot,
  s: number,
  ranges: readonly TermRange[],
  { ofPlacing }: LeastCosts,
  into: Map<number, Uint32Array>,
): boolean {
  if (!hasTerms(ranges)) return true;
  const digest = digestOf(snapshot.segments[s]!, ranges);
  const { fieldMap, outside } = snapshot.everywhere[s]!;
  if (digest === null || outside !== 0) return false;
  const costs = digest.fieldPositionClasses.map((fieldPositionClass) =>
    ofPlacing(fieldPositionClass, fieldMap),
  );
  if (costs.some((cost) => cost === null)) return false;
  const distinct = [...new Set(costs as number[])];
  const groups = new Map(
    digest.fieldPositionClasses.map((fieldPositionClass, p) => [
      fieldPositionClass,
      distinct.indexOf(costs[p]!),
    ]),
  );
  dealDigest(
    snapshot,
    s,
    digest,
    (fieldPositionClass) => groups.get(fieldPositionClass)!,
    (group, bits) => {
      const cost = distinct[group]!;
      const known = into.get(cost);
      if (known) orInto(known, bits);
      else into.set(cost, TYPED_ARRAY_POOL.copyOf(bits));
    },
  );
  return true;
}

/** In ascending order of cost. */
function withReady(
  sets: readonly CostSet[],
  ready: ReadonlyMap<number, Uint32Array>,
  bitsetLength: number,
): CostSet[] {
  const byCost = new Map(sets.map(({ cost, docs }) => [cost, docs]));
  for (const [cost, bits] of ready) {
    const own = DocSet.fromBits(bits);
    const read = byCost.get(cost);
    byCost.set(cost, read ? DocSet.unionOf([own, read], bitsetLength) : own);
  }
  return [...byCost]
    .map(([cost, docs]) => ({ cost, docs }))
    .filter(({ docs }) => !docs.isEmpty)
    .sort((a, b) => a.cost - b.cost);
}

/** Terms of a segment that match the node, as half-open ranges. */
function termRanges({ node, exactOnly }: PlainStep, s: number): TermRange[] {
  const { kind, isFrequentPrefix, derivations } = node;
  const { exact, completions } = derivations;
  const ordinal = exact?.ordinals[s] ?? -1;
  const own: TermRange[] =
    ordinal >= 0 && (!exactOnly || kind === 'word') ? [[ordinal, ordinal + 1]] : [];
  if (!completions || (exactOnly && !isFrequentPrefix)) return own;
  // The prefix itself is the first term of its range.
  const lo = completions.bounds[2 * s]!;
  return [...own, [own.length > 0 && lo === ordinal ? lo + 1 : lo, completions.bounds[2 * s + 1]!]];
}

/** Prices the occurrences of one segment in batches. */
class SegmentPass {
  readonly #snapshot: IndexSnapshot;
  readonly #s: number;
  readonly #candidates: Uint32Array;
  readonly #price: PriceOccurrences;
  readonly #least: Uint8Array;
  readonly #occurrences = SCRATCH.occurrences;

  constructor(
    snapshot: IndexSnapshot,
    s: number,
    candidates: Uint32Array,
    price: PriceOccurrences,
    least: Uint8Array,
  ) {
    this.#snapshot = snapshot;
    this.#s = s;
    this.#candidates = candidates;
    this.#price = price;
    this.#least = least;
    this.#occurrences.length = 0;
  }

  /** The terms `[lo, hi)`. */
  read(lo: number, hi: number): void {
    const segment = this.#snapshot.segments[this.#s]!;
    const { fieldMap } = this.#snapshot.everywhere[this.#s]!;
    const occurrences = this.#occurrences;
    for (let term = lo; term < hi; term++) {
      segment.readOccurrences(term, this.#candidates, fieldMap, occurrences);
      if (occurrences.length > BATCH_LENGTH) this.finish();
    }
  }

  finish(): void {
    const dead = this.#snapshot.dead[this.#s]!;
    if (dead !== null) dropDead(this.#occurrences, dead);
    this.#price(this.#occurrences, this.#least);
    this.#occurrences.length = 0;
  }
}

/** Groups documents by cost and resets `least`. */
function dealt(documents: DocSet, least: Uint8Array): CostSet[] {
  const docs = documents.toList();
  const counts: number[] = [];
  for (let i = 0; i < docs.length; i++) {
    const cost = least[docs[i]!]!;
    counts[cost] = (counts[cost] ?? 0) + 1;
  }
  const collected = counts.map((count) => new CollectedDocuments(count, documents.bitsetLength));
  for (let i = 0; i < docs.length; i++) {
    collected[least[docs[i]!]!]!.add(docs[i]!);
    least[docs[i]!] = NOTHING;
  }
  const sets: CostSet[] = [];
  // Costs without a document are holes.
  collected.forEach((own, cost) => {
    if (cost !== NOTHING) sets.push({ cost, docs: own.take() });
  });
  return sets;
}
