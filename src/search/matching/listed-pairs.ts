/**
 * Documents by the cost of two neighbouring steps of a reading, as lists of frequent pairs have them:
 * neither the words of the documents nor the positions of the terms are read.
 */
import { PAIR_COSTS } from '../../engine/segment/forward-scan.ts';
import type { FrequentPairs, SegmentReader } from '../../engine/segment/segment.ts';
import { hasBit, setBit } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { CostSet } from '../snapshot/cached-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { segmentDocuments } from '../snapshot/segment-documents.ts';
import type { TermsOfClass } from './node-terms.ts';

/** Documents of lists that are read in the time in which the costs of one document are looked up. */
const LISTED_PER_DOCUMENT = 8;
/** The same in bytes of posting lists, of terms without lists. */
const UNLISTED_BYTES = 4;

/** Terms of a step in a segment, with what their class may be used for as one side of the pair. */
export interface SideTerms extends TermsOfClass {
  readonly isNext: boolean;
  readonly isReversed: boolean;
}

/** Sides of a pair in each segment. */
export interface PairSides {
  readonly left: readonly (readonly SideTerms[])[];
  readonly right: readonly (readonly SideTerms[])[];
}

export interface ListedPair {
  /** By cost below `PAIR_COSTS`: documents that cost this, or less. */
  readonly near: readonly DocSet[];
  /** Documents, dead ones included, that other terms may bring closer together. */
  readonly unknown: DocSet;
}

/** Costs of documents, as far as lists have them. */
export interface ListedCosts {
  /** Cheapest first. */
  readonly sets: readonly CostSet[];
  /** Documents whose cost is not known. */
  readonly rest: DocSet;
}

/** null when more would be read than for the costs of `documentCount` documents. */
export function listedPair(
  snapshot: IndexSnapshot,
  sides: PairSides,
  documentCount: number,
): ListedPair | null {
  const found = new PairReader(snapshot, documentCount);
  const isListed = snapshot.segments.every((_, s) => {
    const left = sides.left[s]!;
    const right = sides.right[s]!;
    return left.length === 0 || right.length === 0 || found.add(s, left, right);
  });
  if (isListed) return found.take();
  found.release();
  return null;
}

/** The sum of the costs of pairs in each of the documents. */
export function listedCosts(pairs: readonly ListedPair[], docs: DocSet): ListedCosts {
  let known = docs;
  for (const { near, unknown } of pairs)
    if (!unknown.isEmpty) known = known.without(docs.retain(unknown).without(near[0]!));
  let sets: CostSet[] = [{ cost: 0, docs: known }];
  for (const { near } of pairs) sets = together(sets.flatMap((set) => parted(set, near)));
  return { sets, rest: known === docs ? DocSet.empty(docs.bitsetLength) : docs.without(known) };
}

/** The documents of a set by the cost of one more pair. */
function parted({ cost, docs }: CostSet, near: readonly DocSet[]): CostSet[] {
  const parts: CostSet[] = [];
  let left = docs;
  near.forEach((set, own) => {
    const closer = left.retain(set);
    if (closer.isEmpty) return;
    parts.push({ cost: cost + own, docs: closer });
    left = left.without(closer);
  });
  if (!left.isEmpty) parts.push({ cost: cost + PAIR_COSTS, docs: left });
  return parts;
}

/** One set for each cost, cheapest first. */
export function together(sets: readonly CostSet[]): CostSet[] {
  const byCost = new Map<number, DocSet[]>();
  for (const { cost, docs } of sets) {
    const own = byCost.get(cost);
    if (own) own.push(docs);
    else byCost.set(cost, [docs]);
  }
  return [...byCost]
    .map(([cost, parts]) => ({ cost, docs: DocSet.unionOf(parts, parts[0]!.bitsetLength) }))
    .sort((a, b) => a.cost - b.cost);
}

class PairReader {
  readonly #snapshot: IndexSnapshot;
  /** Documents of lists that may still be read. */
  #listedLeft: number;
  /** Bytes of posting lists of unlisted terms that may still be read. */
  #unlistedLeft: number;
  /** By cost below `PAIR_COSTS`, then of documents with unlisted terms; null = none so far. */
  readonly #bits: (Uint32Array | null)[] = new Array(PAIR_COSTS + 1).fill(null);

  constructor(snapshot: IndexSnapshot, documentCount: number) {
    this.#snapshot = snapshot;
    this.#listedLeft = documentCount * LISTED_PER_DOCUMENT;
    this.#unlistedLeft = documentCount * UNLISTED_BYTES;
  }

  take(): ListedPair {
    const { bitsetLength } = this.#snapshot;
    const sets = this.#bits.map((bits) =>
      bits === null ? DocSet.empty(bitsetLength) : DocSet.fromBits(bits),
    );
    return { near: sets.slice(0, PAIR_COSTS), unknown: sets[PAIR_COSTS]! };
  }

  release(): void {
    for (const bits of this.#bits) if (bits !== null) TYPED_ARRAY_POOL.release(bits);
  }

  #bitsAt(place: number): Uint32Array {
    const bits = this.#bits[place] ?? TYPED_ARRAY_POOL.zeros(this.#snapshot.bitsetLength);
    this.#bits[place] = bits;
    return bits;
  }

  /** Reads the lists of a segment; false when that is too much, or both sides have several terms. */
  add(s: number, left: readonly SideTerms[], right: readonly SideTerms[]): boolean {
    const segment = this.#snapshot.segments[s]!;
    const { frequentPairs } = segment;
    if (frequentPairs === null) {
      const own = segmentDocuments(this.#snapshot, s);
      this.#unlistedLeft -= own.count;
      own.addTo(this.#bitsAt(PAIR_COSTS));
      return this.#unlistedLeft >= 0;
    }
    const leftTerm = singleOf(left);
    const single = leftTerm ?? singleOf(right);
    if (single === null) return false;
    const lists = { frequentPairs, dead: this.#snapshot.dead[s]! };
    const partners = frequentPairs.partnersOf(single.lo);
    return (leftTerm ? right : left).every((others) => {
      let unlisted = others.lo;
      for (const term of partners.filter((each) => each >= others.lo && each < others.hi).sort()) {
        const isRead = leftTerm
          ? this.#addLists(lists, { ...single, term: single.lo }, { ...others, term })
          : this.#addLists(lists, { ...others, term }, { ...single, term: single.lo });
        if (!isRead || !this.#addUnlisted(segment, unlisted, term)) return false;
        unlisted = term + 1;
      }
      return this.#addUnlisted(segment, unlisted, others.hi);
    });
  }

  #addLists(lists: SegmentLists, left: SideTerm, right: SideTerm): boolean {
    const { frequentPairs } = lists;
    const next = left.isNext && right.isNext ? frequentPairs.pair(left.term, right.term) : -1;
    const reversed =
      left.isReversed && right.isReversed ? frequentPairs.pair(right.term, left.term) : -1;
    for (let cost = 0; cost < PAIR_COSTS; cost++) {
      if (!this.#addList(lists, next, cost + 1, cost)) return false;
      if (cost > 0 && !this.#addList(lists, reversed, cost, cost)) return false;
    }
    return true;
  }

  #addList(
    { frequentPairs, dead }: SegmentLists,
    pair: number,
    distance: number,
    cost: number,
  ): boolean {
    const count = pair < 0 ? 0 : frequentPairs.count(pair, distance);
    if (count === 0) return true;
    this.#listedLeft -= count;
    if (this.#listedLeft < 0) return false;
    const bits = this.#bitsAt(cost);
    if (dead === null) frequentPairs.addDocuments(pair, distance, bits);
    else
      for (const docId of frequentPairs.documents(pair, distance))
        if (!hasBit(dead, docId)) setBit(bits, docId);
    return true;
  }

  #addUnlisted(segment: SegmentReader, lo: number, hi: number): boolean {
    if (lo >= hi) return true;
    this.#unlistedLeft -= segment.postingBytes(lo, hi);
    if (this.#unlistedLeft < 0) return false;
    segment.addRangeDocuments(lo, hi, this.#bitsAt(PAIR_COSTS));
    return true;
  }
}

interface SegmentLists {
  readonly frequentPairs: FrequentPairs;
  readonly dead: Uint32Array | null;
}

type SideTerm = Pick<SideTerms, 'isNext' | 'isReversed'> & { readonly term: number };

/** The only term of a side, or null. */
function singleOf(terms: readonly SideTerms[]): SideTerms | null {
  const [only, ...others] = terms.filter(({ lo, hi }) => lo < hi);
  return only && others.length === 0 && only.hi - only.lo === 1 ? only : null;
}
