/**
 * Score bounds of documents before weighing: the sets of documents that hold query words, in
 * processing order, and the maximum score of a document by its sets.
 */
import type { Deadline } from '../../core/deadline.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { Holders, QueryPart, QueryUnit, UnitPair } from './query-units.ts';
import { type Strength, strengthsOf } from './word-strengths.ts';

/**
 * Documents that hold a word with one match kind, or the subset with higher scores for the word.
 */
export interface HeldSet extends Strength {
  /** Bit of the match kind. */
  readonly bit: number;
  /**
   * Bits of all match kinds of the word, without the shared bit. The first matching set bounds the
   * document's score for this word.
   */
  readonly unitBits: number;
  /** Rank of the set within its match kind, in the bits of a document's ranks. */
  readonly rankBits: number;
}

/** A match kind of a word: one or several of its classes. */
interface Way {
  readonly bit: number;
  /** Maximum score of documents by the rank of their set; rank 0 has the highest scores. */
  readonly mosts: readonly number[];
}

/** Bits of the words of a pair, and its maximum score. */
type BitPair = readonly [left: number, right: number, most: number];

/** The sets from a place in the processing order on. */
interface OpenSets {
  /** Bits of their match kinds. */
  readonly bits: number;
  /** Maximum score of the first set of each word. */
  readonly firsts: readonly (readonly [unitBits: number, most: number])[];
}

/** Match kinds after the 31st share one bit; its bound is the sum of their bounds. */
const OWN_BITS = 31;
const SHARED_BIT = 1 << OWN_BITS;

/**
 * Maximum number of words with ranked sets: the 32 bits of a document's ranks hold 2 bits per word.
 */
const RANKED_PARTS = 16;
const RANK_BITS = 2;
const RANK_MASK = 3;

const KNOWN_BITS = 12;

/** Hash cache of `moreOf` by bits. */
const knownBits = new Uint32Array(1 << KNOWN_BITS);
const knownMost = new Float64Array(1 << KNOWN_BITS);

/** The sets of a query and the meaning of their bits. */
export class HeldWords {
  /**
   * Sets in processing order: first the sets that lower the bound of the remaining documents most.
   */
  readonly order: readonly HeldSet[];
  /** By place in the order: the maximum score of a document that is in no earlier set. */
  readonly mostFrom: readonly number[];
  /** By query part. */
  readonly #ways: readonly (readonly Way[])[];
  readonly #bitOf: ReadonlyMap<QueryUnit, number>;
  readonly #pairs: readonly BitPair[];
  #open: OpenSets = { bits: 0, firsts: [] };

  constructor(parts: readonly QueryPart[], snapshot: IndexSnapshot, deadline: Deadline) {
    const queues = parts.map((): HeldSet[] => []);
    const shared: Strength[] = [];
    let bitCount = 0;
    this.#ways = parts.map(({ unit: { holders } }, part) => {
      const firstBit = bitCount;
      bitCount += holders.length;
      // The shared bit is bounded separately.
      const unitBits = holders.reduce((bits, _, i) => bits | bitAt(firstBit + i), 0) & ~SHARED_BIT;
      return holders.map((own, i) => {
        const bit = bitAt(firstBit + i);
        const isRanked = i === 0 && part < RANKED_PARTS && bit !== SHARED_BIT;
        const sets = setsOf(own, holders.slice(1), isRanked ? snapshot : null, deadline);
        if (bit === SHARED_BIT) shared.push(...sets);
        else
          sets.forEach(({ docs, most }, rank) => {
            const rankBits = rank << (RANK_BITS * part);
            queues[part]!.push({ docs, most, bit, unitBits, rankBits });
          });
        return { bit, mosts: bit === SHARED_BIT ? [0] : sets.map(({ most }) => most) };
      });
    });
    this.#bitOf = new Map(
      parts.map(({ unit }, i) => [unit, unit.isMetAsTyped ? this.#ways[i]![0]!.bit : 0]),
    );
    this.#pairs = parts.flatMap(({ pairs }) =>
      pairs.map((pair) => [...this.pairBits(pair), pair.most] as const),
    );
    this.order = inOrder([...queues, sharedQueue(shared)], this.#pairs);
    this.mostFrom = this.order.map((_, place) =>
      gainOf(openSets(this.order, place), 0, this.#pairs),
    );
  }

  /**
   * The sets from a place in the order on, by match kind: the last set of a kind contains the
   * documents of all. Each set with the shared bit is returned alone.
   */
  waysFrom(place: number): readonly (readonly HeldSet[])[] {
    const ways = new Map<number, HeldSet[]>();
    const alone: HeldSet[][] = [];
    for (const set of this.order.slice(place)) {
      const sets = ways.get(set.bit);
      if (set.bit === SHARED_BIT) alone.push([set]);
      else if (sets) sets.push(set);
      else ways.set(set.bit, [set]);
    }
    return [...ways.values(), ...alone];
  }

  /** Makes `moreOf` bound the gain by the sets from the place in the order on. */
  openFrom(place: number): void {
    this.#open = openSets(this.order, place);
    knownBits.fill(0);
    knownMost.fill(-1);
  }

  /**
   * The maximum gain of a document with these bits by open sets and by pairs; its membership in all
   * other sets is known.
   */
  moreOf(bits: number): number {
    const slot = Math.imul(bits, 0x9e3779b1) >>> (32 - KNOWN_BITS);
    if (knownBits[slot] !== bits >>> 0 || knownMost[slot]! < 0) {
      knownBits[slot] = bits;
      knownMost[slot] = gainOf(this.#open, bits, this.#pairs);
    }
    return knownMost[slot]!;
  }

  /** Bits of a part's word, by match kind. */
  bitsOf(part: number): readonly number[] {
    return this.#ways[part]!.map(({ bit }) => bit);
  }

  /**
   * The bits of both words of a pair, for the match kinds that proximity applies to; 0 for none.
   */
  pairBits({ left, right }: UnitPair): readonly [number, number] {
    return [this.#bitOf.get(left)!, this.#bitOf.get(right)!];
  }

  /** The maximum score for the word of a part, of a document with these bits and ranks. */
  mostOf(part: number, bits: number, ranks: number): number {
    for (const { bit, mosts } of this.#ways[part]!)
      if ((bits & bit) !== 0)
        return mosts[mosts.length === 1 ? 0 : (ranks >>> (RANK_BITS * part)) & RANK_MASK]!;
    return 0;
  }
}

/** The maximum score of pairs for a document with these bits. */
function mostOfPairs(pairs: readonly BitPair[], bits: number): number {
  let sum = 0;
  for (const [left, right, most] of pairs)
    if ((bits & left) !== 0 && (bits & right) !== 0) sum += most;
  return sum;
}

/** The sets from a place in the order on. */
function openSets(order: readonly HeldSet[], place: number): OpenSets {
  const firsts = new Map<number, number>();
  let bits = 0;
  for (let at = order.length - 1; at >= place; at--) {
    const { bit, unitBits, most } = order[at]!;
    firsts.set(unitBits, most);
    bits |= bit;
  }
  return { bits, firsts: [...firsts] };
}

/** The maximum gain of a document with these bits by open sets and by pairs. */
function gainOf(
  { bits: openBits, firsts }: OpenSets,
  bits: number,
  pairs: readonly BitPair[],
): number {
  let sum = 0;
  for (const [unitBits, most] of firsts) if ((bits & unitBits) === 0) sum += most;
  return sum + mostOfPairs(pairs, bits | openBits);
}

const bitAt = (index: number): number => 1 << Math.min(index, OWN_BITS);

/**
 * @param others later match kinds of the word; @param snapshot null to return all documents as one
 * set
 */
function setsOf(
  { docs, most, classes }: Holders,
  others: readonly Holders[],
  snapshot: IndexSnapshot | null,
  deadline: Deadline,
): Strength[] {
  const [own] = classes;
  const strengths =
    snapshot !== null && classes.length === 1 ? strengthsOf(snapshot, own!, deadline) : null;
  if (strengths === null) return [{ docs, most }];
  const least = others.reduce((greatest, each) => Math.max(greatest, each.most), 0);
  return [...strengths.strong, { docs, most: strengths.otherMost }].map((set) => ({
    docs: set.docs,
    most: Math.max(own!.weight * set.most, least),
  }));
}

/** Documents of the match kinds that share a bit. */
function sharedQueue(shared: readonly Strength[]): HeldSet[] {
  const most = shared.reduce((sum, set) => sum + set.most, 0);
  return shared.map(({ docs }) => ({
    docs,
    most,
    bit: SHARED_BIT,
    unitBits: SHARED_BIT,
    rankBits: 0,
  }));
}

/**
 * Orders sets by how much they lower the bound of all other documents, per document of the set,
 * alone or with the next sets of their queue. The order within a queue is kept.
 * @param pairs their maximum scores count while neither side's queue is empty
 */
function inOrder(queues: readonly (readonly HeldSet[])[], pairs: readonly BitPair[]): HeldSet[] {
  const order: HeldSet[] = [];
  const left = queues.map((sets) => [...sets]);
  let openPairs = pairs;
  for (;;) {
    let best: Run | null = null;
    for (const sets of left) {
      const run = bestRun(sets, openPairs);
      if (run !== null && (best === null || run.worth > best.worth)) best = run;
    }
    if (best === null) return order;
    const { sets, length } = best;
    const { unitBits } = sets[0]!;
    order.push(...sets.splice(0, length));
    if (sets.length === 0)
      openPairs = openPairs.filter(([a, b]) => (unitBits & a) === 0 && (unitBits & b) === 0);
  }
}

/** The first sets of a queue. */
interface Run {
  readonly sets: HeldSet[];
  readonly length: number;
  /** Decrease of the bound of all other documents, per document of the sets. */
  readonly worth: number;
}

function bestRun(sets: HeldSet[], pairs: readonly BitPair[]): Run | null {
  let best: Run | null = null;
  let documents = 1;
  for (const [i, { docs, unitBits }] of sets.entries()) {
    documents += docs.count;
    const next = sets[i + 1]?.most;
    let less = sets[0]!.most - (next ?? 0);
    if (next === undefined)
      for (const [left, right, more] of pairs)
        if ((unitBits & left) !== 0 || (unitBits & right) !== 0) less += more;
    const worth = less / documents;
    if (best === null || worth > best.worth) best = { sets, length: i + 1, worth };
  }
  return best;
}
