/**
 * Documents by the cost of two neighbouring steps of a reading, from lists of frequent pairs, without
 * reading words of documents or positions of terms.
 */
import { PAIR_COSTS, type PairTerms } from '../../engine/postings/pair-kernel.ts';
import { type FrequentPairs, listOf } from '../../engine/segment/frequent-pairs.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { hasBit, setBit } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { CostSet } from '../snapshot/cached-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { segmentDocuments } from '../snapshot/segment-documents.ts';
import { mergedCostSets } from './cost-sets.ts';

/** Documents of lists that are read in the time in which the costs of one document are looked up. */
const LISTED_PER_DOCUMENT = 64;
/** The same in bytes of posting lists, of terms without lists. */
const UNLISTED_BYTES = 32;

/** Sides of a pair in each segment. */
export interface PairSides {
  readonly left: readonly (readonly PairTerms[])[];
  readonly right: readonly (readonly PairTerms[])[];
}

export interface ListedPair {
  /** By cost below `PAIR_COSTS`: documents that cost this, or less. */
  readonly near: readonly DocSet[];
  /** Documents, possibly dead, in which unlisted terms may be closer together. */
  readonly unknown: DocSet;
}

/** Costs of documents from lists: known ones, and lower bounds of the others. */
export interface ListedCosts {
  /** Documents whose cost is known, cheapest first. */
  readonly sets: readonly CostSet[];
  /** All others, by the least that they may cost. */
  readonly bounds: readonly CostSet[];
}

/**
 * null if no list has the pair, or if reading the lists takes longer than the costs of `documentCount`
 * documents. If only the unlisted terms are too long to read, all documents are unknown.
 */
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
  if (isListed && found.hasLists) return found.take();
  found.release();
  return null;
}

/** The sum of the costs of pairs in each of the documents. @param pairs null = nothing is known */
export function listedCosts(pairs: readonly (ListedPair | null)[], docs: DocSet): ListedCosts {
  let sets: CostSet[] = [{ cost: 0, docs }];
  let bounds: CostSet[] = [];
  for (const pair of pairs) {
    if (pair === null) {
      bounds = mergedCostSets([...bounds, ...sets]);
      sets = [];
      continue;
    }
    const known = sets.map((set) => parted(set, pair));
    const bounded = bounds.map((set) => parted(set, pair));
    sets = mergedCostSets(known.flatMap((parts) => parts.sets));
    bounds = mergedCostSets([
      ...known.flatMap((parts) => parts.bounds),
      ...bounded.flatMap((parts) => [...parts.sets, ...parts.bounds]),
    ]);
  }
  return { sets, bounds };
}

/** The documents of a set by the cost of one more pair. */
function parted({ cost, docs }: CostSet, { near, unknown }: ListedPair): ListedCosts {
  const sets: CostSet[] = [];
  const bounds: CostSet[] = [];
  let left = docs;
  const take = (some: DocSet, more: number, to: CostSet[]): void => {
    const found = left.retain(some);
    if (found.isEmpty) return;
    to.push({ cost: cost + more, docs: found });
    left = left.without(found);
  };
  near.forEach((some, more) => {
    take(some, more, sets);
    // Other terms may bring the words of all further documents closer together.
    if (more === 0) take(unknown, 0, bounds);
  });
  if (!left.isEmpty) sets.push({ cost: cost + PAIR_COSTS, docs: left });
  return { sets, bounds };
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

  get hasLists(): boolean {
    return this.#bits.some((bits, cost) => cost < PAIR_COSTS && bits !== null);
  }

  take(): ListedPair {
    const { bitsetLength, live } = this.#snapshot;
    const sets = this.#bits.map((bits) =>
      bits === null ? DocSet.empty(bitsetLength) : DocSet.fromBits(bits),
    );
    const unknown = this.#unlistedLeft < 0 ? live : sets[PAIR_COSTS]!;
    return { near: sets.slice(0, PAIR_COSTS), unknown };
  }

  release(): void {
    for (const bits of this.#bits) if (bits !== null) TYPED_ARRAY_POOL.release(bits);
  }

  #bitsAt(place: number): Uint32Array {
    const bits = this.#bits[place] ?? TYPED_ARRAY_POOL.zeros(this.#snapshot.bitsetLength);
    this.#bits[place] = bits;
    return bits;
  }

  /** Reads the lists of a segment; false if they are too long, or if both sides have several terms. */
  add(s: number, left: readonly PairTerms[], right: readonly PairTerms[]): boolean {
    const segment = this.#snapshot.segments[s]!;
    const { frequentPairs } = segment;
    if (frequentPairs === null) {
      const own = segmentDocuments(this.#snapshot, s);
      this.#unlistedLeft -= own.count;
      if (this.#unlistedLeft >= 0) own.addTo(this.#bitsAt(PAIR_COSTS));
      return true;
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
        if (!isRead) return false;
        this.#addUnlisted(segment, unlisted, term);
        unlisted = term + 1;
      }
      this.#addUnlisted(segment, unlisted, others.hi);
      return true;
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
    const count = pair < 0 ? 0 : frequentPairs.count(listOf(pair, distance));
    if (count === 0) return true;
    this.#listedLeft -= count;
    if (this.#listedLeft < 0) return false;
    const bits = this.#bitsAt(cost);
    if (dead === null) frequentPairs.addDocuments(listOf(pair, distance), bits);
    else
      for (const docId of frequentPairs.documents(listOf(pair, distance)))
        if (!hasBit(dead, docId)) setBit(bits, docId);
    return true;
  }

  #addUnlisted(segment: SegmentReader, lo: number, hi: number): void {
    if (lo >= hi) return;
    this.#unlistedLeft -= segment.postingBytes(lo, hi);
    if (this.#unlistedLeft >= 0)
      segment.postings.addRangeDocuments(lo, hi, this.#bitsAt(PAIR_COSTS));
  }
}

interface SegmentLists {
  readonly frequentPairs: FrequentPairs;
  readonly dead: Uint32Array | null;
}

type SideTerm = Pick<PairTerms, 'isNext' | 'isReversed'> & { readonly term: number };

/** The only term of a side, or null. */
function singleOf(terms: readonly PairTerms[]): PairTerms | null {
  const [only, ...others] = terms.filter(({ lo, hi }) => lo < hi);
  return only && others.length === 0 && only.hi - only.lo === 1 ? only : null;
}
