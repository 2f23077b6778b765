/**
 * Start here: the most relevant documents of a universe, exactly, without weighing every document
 * that has a frequent word (relevance.md 3.15).
 *
 * Words are taken one after the other, those that say most first. As long as what is left could lift
 * a new document among the best, all documents of a word get what it gives; from then on only those
 * that are still in question (a MaxScore evaluation, term at a time).
 */
import type { Deadline } from '../../core/deadline.ts';
import { setBit } from '../../engine/sets/bitset.ts';
import type { MatchSets } from '../matching/match-sets.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { Phrase } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { leastOfStep, SHARE, STEPS, stepOf } from './bm25f.ts';
import { type Among, DocumentNumbers, DocumentWeigher } from './document-weights.ts';
import { HeldWords } from './held-words.ts';
import { type Candidates, HoldingDocuments } from './holding-documents.ts';
import { addNearness, readPlaces } from './near-words.ts';
import type { QueryUnit, UnitPair, WeighedQuery, WordClass } from './query-units.ts';
import { WordPlaces } from './word-places.ts';

/** Documents of one step of relevance. */
export interface RelevanceStep {
  readonly step: number;
  readonly docs: DocSet;
}

export interface RelevantDocuments {
  /** The most relevant first. */
  readonly steps: readonly RelevanceStep[];
  /** Whether no other document of the universe has any relevance. */
  readonly isComplete: boolean;
}

/** Above what numbers of 32 bits lose by being added. */
const ROUNDING = 1e-5;

/** When documents are weighed, and how many; what is found does not depend on it. */
export interface WeighingLimits {
  /** So few documents are weighed without a look at what words they hold. */
  readonly few: number;
  /** How many documents more than are wanted are weighed first, to know what the best have. */
  readonly firstMore: number;
  /** So many documents are taken in before there is a look at the best of them … */
  readonly firstMin: number;
  /** … and so many times as many before the next. */
  readonly firstGrowth: number;
}

const LIMITS: WeighingLimits = { few: 64, firstMore: 44, firstMin: 1000, firstGrowth: 8 };

/** The numbers from 0 to the greatest are counted in so many equal parts. */
const PARTS = 4096;
const counts = new Uint32Array(PARTS + 1);

/** What the documents of the thread's search have so far, and what a word gives them. */
const total = new DocumentNumbers();
const gained = new DocumentNumbers();

/**
 * At least the `wanted` most relevant documents, with all that are as relevant as the last of them.
 * null when the deadline came first.
 */
export function relevantDocuments(
  snapshot: IndexSnapshot,
  sets: MatchSets,
  query: WeighedQuery,
  universe: DocSet,
  wanted: number,
  deadline: Deadline,
  limits = LIMITS,
): RelevantDocuments | null {
  total.prepare(snapshot.bitsetLength * 32);
  gained.prepare(snapshot.bitsetLength * 32);
  try {
    return new Evaluation(snapshot, sets, query, universe, wanted, limits).run(deadline);
  } finally {
    total.clear();
    gained.clear();
    for (const places of lentPlaces) places.clear();
  }
}

/** Documents by list and as bits, which are cleared when others come. */
class ListedBits {
  #bits: Uint32Array = new Uint32Array(0);
  #listed: Uint32Array = new Uint32Array(0);

  /** @param listed ascending; @param bitsetLength in words */
  set(listed: Uint32Array, bitsetLength: number): Among {
    for (let i = 0; i < this.#listed.length; i++) this.#bits[this.#listed[i]! >>> 5] = 0;
    if (this.#bits.length < bitsetLength) this.#bits = new Uint32Array(bitsetLength);
    for (let i = 0; i < listed.length; i++) setBit(this.#bits, listed[i]!);
    this.#listed = listed;
    return { bits: this.#bits, listed };
  }
}

/** Those of the thread's search. */
const lentPlaces: WordPlaces[] = [];

function placesOfPairs({ parts }: WeighedQuery): Map<QueryUnit, WordPlaces> {
  const units = new Set(
    parts.flatMap(({ pairs }) => pairs.flatMap(({ left, right }) => [left, right])),
  );
  while (lentPlaces.length < units.size) lentPlaces.push(new WordPlaces());
  return new Map([...units].map((unit, i) => [unit, lentPlaces[i]!]));
}

const fewBits = new ListedBits();
const bothBits = new ListedBits();

class Evaluation {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #query: WeighedQuery;
  readonly #universe: DocSet;
  readonly #universeBits: Uint32Array;
  readonly #wanted: number;
  readonly #limits: WeighingLimits;
  readonly #weigher: DocumentWeigher;
  /** Of the words that are in pairs. */
  readonly #places: ReadonlyMap<QueryUnit, WordPlaces>;
  /** Documents of which is known all they have, but for those that are not among the best. */
  readonly #weighed: number[] = [];

  constructor(
    snapshot: IndexSnapshot,
    sets: MatchSets,
    query: WeighedQuery,
    universe: DocSet,
    wanted: number,
    limits: WeighingLimits,
  ) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#query = query;
    this.#universe = universe;
    this.#universeBits = universe.toBits();
    this.#wanted = wanted;
    this.#limits = limits;
    this.#weigher = new DocumentWeigher(snapshot);
    this.#places = placesOfPairs(query);
  }

  run(deadline: Deadline): RelevantDocuments | null {
    const { count } = this.#universe;
    if (count <= Math.max(this.#wanted, this.#limits.few)) return this.#weighAll(deadline);
    const words = new HeldWords(this.#query.parts, this.#snapshot, deadline);
    const holding = new HoldingDocuments(words, this.#universeBits);
    try {
      return this.#weighBest(words, holding, deadline);
    } finally {
      holding.clear();
    }
  }

  /** Every document of the universe. */
  #weighAll(deadline: Deadline): RelevantDocuments | null {
    const isFew = this.#universe.count <= this.#limits.few;
    const among = { bits: this.#universeBits, listed: isFew ? this.#universe.toList() : null };
    for (const { unit, pairs } of this.#query.parts) {
      if (deadline.exceeded) return null;
      const places = isFew ? this.#placesOf(unit) : null;
      this.#gainOfUnit(unit, (way) => ({ ...among, places: way === 0 ? places : null }));
      for (const pair of pairs) {
        const { left, right } = pair;
        const both = this.#universe.retain(left.having).retain(right.having).toList();
        if (!isFew) this.#readPlaces(pair, both);
        this.#gainOfPair(pair, both);
      }
    }
    return this.#steps(total.docs, total.count, true);
  }

  /** First some documents that hold most, then all that may be better than the last of the best. */
  #weighBest(
    words: HeldWords,
    holding: HoldingDocuments,
    deadline: Deadline,
  ): RelevantDocuments | null {
    const least = this.#takeIn(words, holding, deadline);
    if (least === null) return null;
    const candidates = holding.above(least - ROUNDING * this.#query.most);
    const isComplete = candidates.count <= this.#wanted && least === 0;
    if (!this.#weigh(words, candidates, least, deadline)) return null;
    return this.#steps(this.#weighed, this.#weighed.length, isComplete);
  }

  /**
   * Takes in the documents of one word after the other as long as those of further words alone may
   * be among the best; returns what these have at least. null when the deadline has come.
   */
  #takeIn(words: HeldWords, holding: HoldingDocuments, deadline: Deadline): number | null {
    let least = 0;
    const { firstMore, firstMin, firstGrowth } = this.#limits;
    let seen = 0;
    let enough = Math.max(this.#wanted + firstMore, firstMin);
    while (!deadline.exceeded) {
      const { count } = holding;
      const isOver = holding.isWhole || holding.mostOfOthers < least;
      const isDue = isOver ? least === 0 && count > Math.max(seen, this.#wanted) : count >= enough;
      if (isDue) {
        seen = count;
        enough = firstGrowth * count;
        const found = this.#leastOfFirst(words, holding, least, deadline);
        if (found === null) return null;
        least = Math.max(least, found);
      } else if (isOver) return least;
      else holding.addNext();
    }
    return null;
  }

  /** What the last of those wanted has among the documents that can have most. */
  #leastOfFirst(
    words: HeldWords,
    holding: HoldingDocuments,
    least: number,
    deadline: Deadline,
  ): number | null {
    const first = holding.best(this.#wanted + this.#limits.firstMore);
    if (!this.#weigh(words, first, least, deadline)) return null;
    return this.#leastOfBest(this.#weighed, this.#weighed.length);
  }

  /**
   * Gives candidates what they have, once for all; those that turn out to have less than `least`, or
   * than as many others as are wanted, are left out. False when the deadline has come.
   */
  #weigh(words: HeldWords, candidates: Candidates, least: number, deadline: Deadline): boolean {
    const { bitsetLength } = this.#snapshot;
    const { parts } = this.#query;
    let bound = least;
    leaveOutWeighed(candidates);
    for (const [i, { unit, pairs }] of parts.entries()) {
      if (deadline.exceeded) return false;
      if (candidates.count === 0) break;
      const wayBits = words.bitsOf(i);
      const places = this.#placesOf(unit);
      this.#gainOfUnit(unit, (way) => ({
        ...fewBits.set(holdingBoth(candidates, wayBits[way]!, -1), bitsetLength),
        places: way === 0 ? places : null,
      }));
      const { bits, ranks, left } = candidates;
      for (let at = 0; at < candidates.count; at++)
        left[at]! -= words.mostOf(i, bits[at]!, ranks[at]!);
      bound = this.#narrow(candidates, bound);
      if (pairs.length === 0) continue;
      for (const pair of pairs) {
        const [left, right] = words.pairBits(pair);
        this.#gainOfPair(pair, holdingBoth(candidates, left, right));
        spend(candidates, left, right, pair.most);
      }
      bound = this.#narrow(candidates, bound);
    }
    for (let i = 0; i < candidates.count; i++) this.#weighed.push(candidates.docs[i]!);
    return true;
  }

  /** Of many documents, which are read again for each pair rather than noted for all. */
  #readPlaces({ left, right }: UnitPair, both: Uint32Array): void {
    const { bits } = bothBits.set(both, this.#snapshot.bitsetLength);
    for (const unit of [left, right]) readPlaces(this.#snapshot, unit, bits, this.#placesOf(unit)!);
  }

  /** Where those of a word are noted, for the pairs that it is in; null when it is in none. */
  #placesOf(unit: QueryUnit): WordPlaces | null {
    const places = this.#places.get(unit) ?? null;
    places?.clear();
    return places;
  }

  /**
   * Leaves the candidates that may have at least what the last of those that are wanted has, or
   * `least`; returns the greater of these.
   */
  #narrow(candidates: Candidates, least: number): number {
    const { docs, bits, ranks, left, count } = candidates;
    const bound = Math.max(least, this.#leastOfBest(docs, count));
    if (bound === 0) return 0;
    const enough = bound - ROUNDING * this.#query.most;
    const { values } = total;
    let n = 0;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      const canGain = left[i]!;
      docs[n] = doc;
      bits[n] = bits[i]!;
      ranks[n] = ranks[i]!;
      left[n] = canGain;
      n += values[doc]! + canGain >= enough ? 1 : 0;
    }
    candidates.count = n;
    return bound;
  }

  /** @param amongOf documents that may hold the unit in one of its ways, by the way's number */
  #gainOfUnit({ holders }: QueryUnit, amongOf: (way: number) => Among): void {
    for (const [way, { classes }] of holders.entries()) {
      const among = amongOf(way);
      if (among.listed?.length === 0) continue;
      for (const each of classes) this.#gainOf(each, among);
    }
    total.take(gained);
  }

  /** @param both documents with a word of each side, ascending */
  #gainOfPair({ left, right, most }: UnitPair, both: Uint32Array): void {
    if (both.length > 0)
      addNearness(both, this.#places.get(left)!, this.#places.get(right)!, most, total);
  }

  /** A bound of what the last of the wanted documents has: the beginning of its step. */
  #leastOfBest(docs: ArrayLike<number>, count: number): number {
    const { most } = this.#query;
    const { values, greatest } = total;
    if (count < this.#wanted || greatest === 0) return 0;
    const scale = PARTS / greatest;
    counts.fill(0);
    for (let i = 0; i < count; i++) counts[(values[docs[i]!]! * scale) | 0]!++;
    let part = PARTS;
    for (let above = counts[part]!; above < this.#wanted; ) above += counts[--part]!;
    return leastOfStep(stepOf(part / scale - ROUNDING * most, most), most);
  }

  /** Raises the documents in question to what a class of words gives them. */
  #gainOf(
    { weight, words, relatives, ranges, except, phrases, scope }: WordClass,
    among: Among,
  ): void {
    if (relatives.length > 0) {
      for (const word of words) this.#weigher.sum(word, scope, 1, among, gained);
      for (const word of relatives) this.#weigher.sum(word, scope, SHARE.relative, among, gained);
      gained.saturate(weight);
    } else for (const word of words) this.#weigher.raiseTo(word, scope, weight, among, gained);
    ranges?.bounds.forEach((lo, i) => {
      if ((i & 1) === 1) return;
      const s = i >>> 1;
      const own = except?.ordinals[s] ?? -1;
      for (let term = lo; term < ranges.bounds[i + 1]!; term++)
        if (term !== own) this.#weigher.raiseToTerm(s, term, scope, weight, among, gained);
    });
    for (const phrase of phrases) this.#gainOfPhrase(phrase, weight, among);
  }

  #gainOfPhrase(phrase: Phrase, weight: number, among: Among): void {
    const { present } = this.#sets.scopes;
    const first = phrase.slots.find((word) => word !== null)!;
    const unnoted = { ...among, places: null };
    if (phrase.slots.length === 1) this.#weigher.raiseTo(first, present, weight, unnoted, gained);
    else {
      const bits = this.#sets.phrase(phrase).intersect(among.bits).toBits();
      this.#weigher.raiseToOne(first, present, weight, { bits, listed: null }, gained);
    }
  }

  /** Documents with what they have, by step; as far as all of a step are known. */
  #steps(docs: ArrayLike<number>, count: number, isComplete: boolean): RelevantDocuments {
    const { most } = this.#query;
    const { values } = total;
    const starts = new Uint32Array(STEPS + 2);
    const steps = new Uint16Array(count);
    for (let i = 0; i < count; i++) {
      if (values[docs[i]!] === 0) continue;
      steps[i] = stepOf(values[docs[i]!]!, most);
      starts[STEPS - steps[i]! + 1]!++;
    }
    let end = STEPS;
    for (let at = 1; at <= STEPS; at++) {
      starts[at]! += starts[at - 1]!;
      if (!isComplete && end === STEPS && starts[at]! >= this.#wanted) end = at;
    }
    const next = starts.slice();
    const dealt = new Uint32Array(starts[STEPS]!);
    for (let i = 0; i < count; i++)
      if (steps[i] !== 0) dealt[next[STEPS - steps[i]!]!++] = docs[i]!;
    const dealtSteps: RelevanceStep[] = [];
    const { bitsetLength } = this.#snapshot;
    for (let at = 0; at < end; at++) {
      const [lo, hi] = [starts[at]!, starts[at + 1]!];
      if (lo < hi)
        dealtSteps.push({
          step: STEPS - at,
          docs: DocSet.fromList(dealt.slice(lo, hi).sort(), bitsetLength),
        });
    }
    return { steps: dealtSteps, isComplete };
  }
}

/** Leaves out candidates of which is known what they have. */
function leaveOutWeighed(candidates: Candidates): void {
  const { docs, bits, ranks, left, count } = candidates;
  let n = 0;
  for (let i = 0; i < count; i++) {
    docs[n] = docs[i]!;
    bits[n] = bits[i]!;
    ranks[n] = ranks[i]!;
    left[n] = left[i]!;
    n += total.values[docs[i]!] === 0 ? 1 : 0;
  }
  candidates.count = n;
}

/** What candidates with a bit of each side can gain no more. */
function spend({ bits, left, count }: Candidates, a: number, b: number, most: number): void {
  for (let i = 0; i < count; i++) {
    const own = bits[i]!;
    if ((own & a) !== 0 && (own & b) !== 0) left[i]! -= most;
  }
}

/** Candidates with a bit of each side. */
function holdingBoth({ docs, bits, count }: Candidates, a: number, b: number): Uint32Array {
  const both = new Uint32Array(count);
  let n = 0;
  for (let i = 0; i < count; i++) {
    both[n] = docs[i]!;
    n += (bits[i]! & a) !== 0 && (bits[i]! & b) !== 0 ? 1 : 0;
  }
  return both.subarray(0, n);
}
