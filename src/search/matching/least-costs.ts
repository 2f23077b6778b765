/**
 * Documents by the least cost of an occurrence of a query node without typos: one pass over the
 * node's occurrences, which are priced as they are read and never gathered.
 */
import type { OccurrenceBuffer } from '../../engine/segment/segment.ts';
import type { QueryNode } from '../query/query-node.ts';
import { CollectedDocuments } from '../sets/collected-documents.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { CostSet } from '../snapshot/kept-results.ts';
import { dropDead } from './term-occurrences.ts';

/** Occurrences that are read before they are priced, roughly. */
const BATCH_LENGTH = 8192;

/** Costs are below. */
export const LEAST_COST_END = 0xff;

/** Nothing has been found in the document. */
const NOTHING = LEAST_COST_END;

/** Lowers `least[docs[i]]` to the cost of each occurrence. */
export type PriceOccurrences = (occurrences: OccurrenceBuffer, least: Uint8Array) => void;

/** Whether the node is a word and its completions alone, without typos. */
export const isWordAlone = ({
  derivations: { exact, completions, synonyms, phrase },
}: QueryNode): boolean =>
  !phrase && synonyms.length === 0 && (exact !== null || completions !== null);

/**
 * The documents, all of which have the plain node, by their least cost, cheapest first.
 * @param exactOnly only the exact word counts, and completions of a frequent prefix
 */
export function documentsByLeastCost(
  snapshot: IndexSnapshot,
  node: QueryNode,
  exactOnly: boolean,
  documents: DocSet,
  price: PriceOccurrences,
): CostSet[] {
  const least = SCRATCH.costs.take(snapshot.bitsetLength * 32, NOTHING);
  documents.withBits(SCRATCH.universe, (candidates) => {
    for (let s = 0; s < snapshot.segments.length; s++) {
      const pass = new SegmentPass(snapshot, s, candidates, price, least);
      for (const [lo, hi] of termRanges(node, exactOnly, s)) pass.read(lo, hi);
      pass.finish();
    }
  });
  return dealt(documents, least);
}

/** Terms of a segment that stand for the node, as half-open ranges. */
function termRanges(
  { kind, isFrequentPrefix, derivations: { exact, completions } }: QueryNode,
  exactOnly: boolean,
  s: number,
): [lo: number, hi: number][] {
  const ordinal = exact?.ordinals[s] ?? -1;
  const own: [number, number][] =
    ordinal >= 0 && (!exactOnly || kind === 'word') ? [[ordinal, ordinal + 1]] : [];
  if (!completions || (exactOnly && !isFrequentPrefix)) return own;
  // The prefix itself is the first word of its range.
  const lo = completions.bounds[2 * s]!;
  return [...own, [own.length > 0 && lo === ordinal ? lo + 1 : lo, completions.bounds[2 * s + 1]!]];
}

/** Prices the occurrences of one segment, some thousand at a time. */
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

/** Leaves `least` as if nothing had been found. */
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
  // Costs that no document has are holes.
  collected.forEach((own, cost) => {
    if (cost !== NOTHING) sets.push({ cost, docs: own.take() });
  });
  return sets;
}
