/**
 * What bounds documents before they are weighed: the sets of documents that hold words of a query,
 * in the order in which they are taken in, and the most that a document can have by them.
 */
import type { Deadline } from '../../core/deadline.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { Holders, QueryPart, QueryUnit, UnitPair } from './query-units.ts';
import { type Strength, strengthsOf } from './word-strengths.ts';

/** Documents that hold a word in one way, or those of them where it says more than elsewhere. */
export interface HeldSet extends Strength {
  /** Of the way in which they hold it. */
  readonly bit: number;
  /** Of all ways to hold the word. A document has of it what the first of the word's sets says. */
  readonly unitBits: number;
  /** Which of its way's sets it is, where the documents' ranks have it. */
  readonly rankBits: number;
}

/** A way in which a word is held. */
interface Way {
  readonly bit: number;
  /** What documents have at most, by the rank of their set, the strongest being 0. */
  readonly mosts: readonly number[];
}

/** Ways beyond so many share a bit: a document with it may have what all of them give. */
const OWN_BITS = 31;
const SHARED_BIT = 1 << OWN_BITS;

/** Words that have sets of strong documents, four ranks each in the 32 bits of a document's ranks. */
const RANKED_PARTS = 16;
const RANK_BITS = 2;
const RANK_MASK = 3;

const KNOWN_BITS = 12;

/** What pairs can give, for the bits asked for lately. */
const knownBits = new Uint32Array(1 << KNOWN_BITS);
const knownMost = new Float64Array(1 << KNOWN_BITS);

/** The sets of a query, and what their bits stand for. */
export class HeldWords {
  /** Sets in the order in which they are taken in: those first that lower most what others have. */
  readonly order: readonly HeldSet[];
  /** By place in the order: the most that a document has that is in no set before. */
  readonly mostFrom: readonly number[];
  /** The same of words alone, for a document whose sets before are known. */
  readonly wordsFrom: readonly number[];
  /** What all pairs can give. */
  readonly mostOfPairs: number;
  /** By part. */
  readonly #ways: readonly (readonly Way[])[];
  readonly #bitOf: ReadonlyMap<QueryUnit, number>;
  readonly #pairs: readonly (readonly [left: number, right: number, most: number])[];

  constructor(parts: readonly QueryPart[], snapshot: IndexSnapshot, deadline: Deadline) {
    const queues = parts.map((): HeldSet[] => []);
    const shared: Strength[] = [];
    let bitCount = 0;
    this.#ways = parts.map(({ unit: { holders } }, part) => {
      const firstBit = bitCount;
      bitCount += holders.length;
      const unitBits = holders.reduce((bits, _, i) => bits | bitAt(firstBit + i), 0);
      return holders.map((own, i) => {
        const bit = bitAt(firstBit + i);
        const isRanked = i === 0 && part < RANKED_PARTS && bit !== SHARED_BIT;
        const sets = setsOf(own, holders.slice(1), isRanked ? snapshot : null, deadline);
        if (bit === SHARED_BIT) shared.push(...sets);
        else
          sets.forEach((set, rank) => {
            queues[part]!.push({ ...set, bit, unitBits, rankBits: rank << (RANK_BITS * part) });
          });
        return { bit, mosts: bit === SHARED_BIT ? [0] : sets.map(({ most }) => most) };
      });
    });
    this.#bitOf = new Map(parts.map(({ unit }, i) => [unit, this.#ways[i]![0]!.bit]));
    this.#pairs = parts.flatMap(({ pairs }) =>
      pairs.map((pair) => [...this.pairBits(pair), pair.most] as const),
    );
    this.mostOfPairs = this.#pairs.reduce((sum, [, , most]) => sum + most, 0);
    this.order = inOrder([...queues, sharedQueue(shared)]);
    this.wordsFrom = mostOfFirsts(this.order);
    const lastOf = new Map(this.order.map(({ bit }, place) => [bit, place]));
    const isOpen = (bit: number, place: number): boolean => lastOf.get(bit)! >= place;
    this.mostFrom = this.wordsFrom.map((words, place) =>
      this.#pairs.reduce(
        (sum, [left, right, most]) =>
          sum + (isOpen(left, place) && isOpen(right, place) ? most : 0),
        words,
      ),
    );
    knownBits.fill(0);
    knownMost.fill(0);
  }

  /** By number of the way, the bit of documents that hold the word of a part in that way. */
  bitsOf(part: number): readonly number[] {
    return this.#ways[part]!.map(({ bit }) => bit);
  }

  /** The bits of both words of a pair, in the way in which they may stand near each other. */
  pairBits({ left, right }: UnitPair): readonly [number, number] {
    return [this.#bitOf.get(left)!, this.#bitOf.get(right)!];
  }

  /** The most that a document with these bits and ranks can have of the word of a part. */
  mostOf(part: number, bits: number, ranks: number): number {
    for (const { bit, mosts } of this.#ways[part]!)
      if ((bits & bit) !== 0)
        return mosts[mosts.length === 1 ? 0 : (ranks >>> (RANK_BITS * part)) & RANK_MASK]!;
    return 0;
  }

  /** The most that the pairs can give a document with these bits. */
  pairsOf(bits: number): number {
    const slot = Math.imul(bits, 0x9e3779b1) >>> (32 - KNOWN_BITS);
    if (knownBits[slot] !== bits >>> 0) {
      knownBits[slot] = bits;
      knownMost[slot] = this.#pairs.reduce(
        (sum, [left, right, most]) =>
          sum + ((bits & left) !== 0 && (bits & right) !== 0 ? most : 0),
        0,
      );
    }
    return knownMost[slot]!;
  }
}

const bitAt = (index: number): number => 1 << Math.min(index, OWN_BITS);

/** @param others ways to hold the word that come after; @param snapshot null to take all as one */
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

/** Documents of the ways that share a bit. */
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

/** Those first whose documents are few for what all others then have less; each queue in its order. */
function inOrder(queues: readonly (readonly HeldSet[])[]): HeldSet[] {
  const order: HeldSet[] = [];
  const left = queues.map((sets) => [...sets]).filter((sets) => sets.length > 0);
  while (left.length > 0) {
    let best = 0;
    for (let i = 1; i < left.length; i++) if (worth(left[i]!) > worth(left[best]!)) best = i;
    order.push(left[best]!.shift()!);
    if (left[best]!.length === 0) left.splice(best, 1);
  }
  return order;
}

const worth = ([first, second]: readonly HeldSet[]): number =>
  (first!.most - (second?.most ?? 0)) / (1 + first!.docs.count);

/** By place: what the first sets of each word from there on say, added up. */
function mostOfFirsts(order: readonly HeldSet[]): number[] {
  const firsts = new Map<number, number>();
  const sums: number[] = [];
  let sum = 0;
  for (let place = order.length - 1; place >= 0; place--) {
    const { unitBits, most } = order[place]!;
    sum += most - (firsts.get(unitBits) ?? 0);
    firsts.set(unitBits, most);
    sums[place] = sum;
  }
  return sums;
}
