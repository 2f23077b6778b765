/**
 * Documents by the least cost of an occurrence of a query node without typos: from the digests of
 * segments, else by one pass over the node's occurrences, which are priced as they are read.
 */

import { sumOf } from '../../core/sum.ts';
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import type { FieldPositionClass, RangeDigest } from '../../engine/segment/range-digests.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import type { QueryNode } from '../query/query-node.ts';
import { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { CostSet } from '../snapshot/cached-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { segmentDocuments } from '../snapshot/segment-documents.ts';
import { groupedByCost } from './cost-sets.ts';
import { digestedDocuments } from './digested-documents.ts';
import { type NodeTerms, type TermsOfClass, termsInMatches } from './node-terms.ts';
import { OccurrenceClass } from './occurrence-records.ts';
import { admittedClasses } from './position-table.ts';
import { dropDead } from './read-terms.ts';

/** Approximate number of occurrences that are priced at once. */
const BATCH_LENGTH = 8192;

/** Costs are below. */
export const LEAST_COST_END = 0xff;

/** Nothing has been found in the document. */
const NOTHING = LEAST_COST_END;

/** Lowers `least[docs[i]]` to the cost of each occurrence. */
export type PriceOccurrences = (occurrences: OccurrenceBuffer, least: Uint8Array) => void;

/** Price of single occurrences, and of the classes of a digest. */
export interface LeastCosts {
  readonly price: PriceOccurrences;
  /**
   * The least cost of a document's occurrences by its field position class; null if the class does not determine it.
   * @param fieldMap the numbers of the fieldPositionClass's fields
   */
  readonly ofClass: (fieldPositionClass: FieldPositionClass, fieldMap: Int32Array) => number | null;
}

/** A node of a reading, without typos. */
interface PlainStep {
  readonly node: QueryNode;
  /** Only the exact word counts, and completions of a frequent prefix. */
  readonly exactOnly: boolean;
}

/** A node is ready if the segments without its costs hold at most an eighth of the documents. */
const READY_SHARE = 8;
/** Largest number of documents whose occurrences are read for each search rather than cached. */
const UNREAD_DOCUMENTS_MAX = 4096;

/** Whether the segments that hold nearly all documents have the costs of the node ready. */
export const isReady = (snapshot: IndexSnapshot, step: PlainStep, costs: LeastCosts): boolean =>
  unreadyDocuments(snapshot, step, costs) * READY_SHARE <= snapshot.live.count;

/** Whether looking up single costs of the node takes little more than reading digests. */
export const isReadyWithoutCache = (
  snapshot: IndexSnapshot,
  step: PlainStep,
  costs: LeastCosts,
): boolean => unreadyDocuments(snapshot, step, costs) <= UNREAD_DOCUMENTS_MAX;

/** Documents of the segments that have the node, but not its costs ready. */
function unreadyDocuments(snapshot: IndexSnapshot, step: PlainStep, costs: LeastCosts): number {
  const terms = placedTerms(snapshot, step);
  return snapshot.segments.reduce((sum, { documentCount }, s) => {
    const isRead = terms[s]!.length > 0 && readyClasses(snapshot, s, terms[s]!, costs) === null;
    return isRead ? sum + documentCount : sum;
  }, 0);
}

/** Bytes of the lists of the node without typos. */
export const listBytes = (snapshot: IndexSnapshot, step: PlainStep): number =>
  sumOf(
    placedTerms(snapshot, step).flatMap((terms, s) =>
      terms.map(({ lo, hi }) => snapshot.segments[s]!.postingBytes(lo, hi)),
    ),
  );

/**
 * True if the places of the node without typos are places of single words: its own words, or the first
 * word of its phrase in documents that match the phrase.
 */
export const isOfWords = ({
  derivations: { exact, completions, synonyms, phrase },
}: QueryNode): boolean =>
  synonyms.every(({ slots }) => slots.length === 1) &&
  (phrase !== null || exact !== null || completions !== null);

/** Documents of one cost; `docs` computes them. */
export interface LazyCostSet {
  readonly cost: number;
  readonly docs: () => DocSet;
}

/** The documents, which all have the plain node, by their least cost, cheapest first. */
export const documentsByLeastCost = (
  snapshot: IndexSnapshot,
  step: PlainStep,
  documents: DocSet,
  costs: LeastCosts,
): CostSet[] =>
  lazyDocumentsByLeastCost(snapshot, step, documents, costs)
    .map(({ cost, docs }) => ({ cost, docs: docs() }))
    .filter(({ docs }) => !docs.isEmpty);

/** The same with sets that may be empty; digests of segments are read by `docs`. */
export function lazyDocumentsByLeastCost(
  snapshot: IndexSnapshot,
  step: PlainStep,
  documents: DocSet,
  costs: LeastCosts,
): LazyCostSet[] {
  const { bitsetLength } = snapshot;
  const ready: ReadyClasses[] = [];
  const unread = placedTerms(snapshot, step).flatMap((terms, s) => {
    const own = terms.length > 0 ? readyClasses(snapshot, s, terms, costs) : null;
    if (own === null) return terms.length > 0 ? [{ s, terms }] : [];
    ready.push(own);
    return [];
  });
  const byCost = new Map<number, DocSet[]>();
  if (unread.length > 0) {
    const own = unread.map(({ s }) => segmentDocuments(snapshot, s));
    const rest = documents.retain(DocSet.unionOf(own, bitsetLength));
    for (const { cost, docs } of readLeastCosts(snapshot, unread, rest, costs.price))
      byCost.set(cost, [docs]);
  }
  for (const { costOf } of ready)
    for (const cost of costOf) if (!byCost.has(cost)) byCost.set(cost, []);
  return [...byCost]
    .sort(([a], [b]) => a - b)
    .map(([cost, read]) => ({
      cost,
      docs: () =>
        DocSet.unionOf(
          [...read, ...ready.map((own) => classesOfCost(snapshot, own, cost))],
          bitsetLength,
        ),
    }));
}

interface SegmentTerms {
  readonly s: number;
  readonly terms: readonly TermsOfClass[];
}

/** The documents of segments that do not have the node ready. */
function readLeastCosts(
  snapshot: IndexSnapshot,
  unread: readonly SegmentTerms[],
  documents: DocSet,
  price: PriceOccurrences,
): CostSet[] {
  const least = SCRATCH.costs.take(snapshot.bitsetLength * 32, NOTHING);
  documents.withBits(SCRATCH.universe, (candidates) => {
    for (const own of unread)
      priceTerms(snapshot, own, candidates, (occurrences) => price(occurrences, least));
  });
  return takeLeastCosts(documents, least);
}

/** Digest of terms that follow each other in the dictionary; null for other terms, or without digest. */
function digestOf(segment: SegmentReader, terms: readonly TermsOfClass[]): RangeDigest | null {
  const [first, second, ...others] = terms;
  if (!first || others.length > 0 || (second && second.lo !== first.hi)) return null;
  return segment.rangeDigest(first.lo, (second ?? first).hi);
}

/** A digest of the node's terms in a segment. */
interface ReadyClasses {
  readonly s: number;
  readonly digest: RangeDigest;
  /** By class. */
  readonly costOf: readonly number[];
}

/** null when the segment does not have the costs ready. */
function readyClasses(
  { segments, everywhere }: IndexSnapshot,
  s: number,
  terms: readonly TermsOfClass[],
  { ofClass }: LeastCosts,
): ReadyClasses | null {
  const digest = digestOf(segments[s]!, terms);
  const { fieldMap, outside } = everywhere[s]!;
  if (digest === null || outside !== 0) return null;
  const costOf: number[] = [];
  for (const fieldPositionClass of digest.fieldPositionClasses) {
    const cost = ofClass(fieldPositionClass, fieldMap);
    if (cost === null) return null;
    costOf.push(cost);
  }
  return { s, digest, costOf };
}

/** Living documents of the classes that have this cost. */
const classesOfCost = (snapshot: IndexSnapshot, own: ReadyClasses, cost: number): DocSet =>
  digestedDocuments(snapshot, own.s, own.digest, (n) => own.costOf[n] === cost);

/** Terms that stand for the node and tell its place, by segment. */
function placedTerms({ segments }: IndexSnapshot, step: PlainStep): NodeTerms {
  const plain = { ...step, typoMask: 1 };
  const admitted = admittedClasses(plain, OccurrenceClass.place);
  const terms = termsInMatches(step.node, 1, segments.length) ?? segments.map(() => []);
  return terms.map((own) =>
    own.filter(({ lo, hi, recordClass }) => lo < hi && admitted[recordClass] === 1),
  );
}

/** Prices the occurrences of terms of a segment, some thousand at a time. */
function priceTerms(
  { segments, everywhere, dead }: IndexSnapshot,
  { s, terms }: SegmentTerms,
  candidates: Uint32Array,
  price: (occurrences: OccurrenceBuffer) => void,
): void {
  const { occurrences } = SCRATCH;
  const { fieldMap } = everywhere[s]!;
  const priceRead = (): void => {
    dropDead(occurrences, dead[s]!);
    price(occurrences);
    occurrences.length = 0;
  };
  occurrences.length = 0;
  for (const { lo, hi } of terms) {
    for (let term = lo; term < hi; term++) {
      segments[s]!.postings.readOccurrences(term, candidates, fieldMap, occurrences);
      if (occurrences.length > BATCH_LENGTH) priceRead();
    }
  }
  priceRead();
}

/** Resets `least` to `NOTHING`. */
function takeLeastCosts(documents: DocSet, least: Uint8Array): CostSet[] {
  const docs = documents.toList();
  const costs = new Uint8Array(docs.length);
  for (let i = 0; i < docs.length; i++) {
    costs[i] = least[docs[i]!]!;
    least[docs[i]!] = NOTHING;
  }
  return groupedByCost(documents, costs, NOTHING);
}
