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
import { type Candidates, HeldWords, HoldingDocuments, mostOfHoldings } from './held-words.ts';
import { addNearness } from './near-words.ts';
import type { QueryUnit, UnitPair, WeighedQuery, WordClass } from './query-units.ts';

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

/** So few documents are weighed without a look at what words they hold. */
const FEW = 64;
/** How many documents more than are wanted are weighed first, to know what the best have. */
const FIRST_MORE = 44;
/** How many times as many documents there must be for a second look at the best of them. */
const FIRST_GROWTH = 8;

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
): RelevantDocuments | null {
  total.prepare(snapshot.bitsetLength * 32);
  gained.prepare(snapshot.bitsetLength * 32);
  try {
    return new Evaluation(snapshot, sets, query, universe, wanted).run(deadline);
  } finally {
    total.clear();
    gained.clear();
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

const fewBits = new ListedBits();
const bothBits = new ListedBits();

class Evaluation {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #query: WeighedQuery;
  readonly #universe: DocSet;
  readonly #universeBits: Uint32Array;
  readonly #wanted: number;
  readonly #weigher: DocumentWeigher;
  readonly #words: HeldWords;

  constructor(
    snapshot: IndexSnapshot,
    sets: MatchSets,
    query: WeighedQuery,
    universe: DocSet,
    wanted: number,
  ) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#query = query;
    this.#universe = universe;
    this.#universeBits = universe.toBits();
    this.#wanted = wanted;
    this.#weigher = new DocumentWeigher(snapshot);
    this.#words = new HeldWords(query.parts);
  }

  run(deadline: Deadline): RelevantDocuments | null {
    const { count } = this.#universe;
    if (count <= Math.max(this.#wanted, FEW)) return this.#weighAll(deadline);
    const holding = new HoldingDocuments(this.#words, this.#universeBits);
    try {
      return this.#weighBest(holding, deadline);
    } finally {
      holding.clear();
    }
  }

  /** Every document of the universe. */
  #weighAll(deadline: Deadline): RelevantDocuments | null {
    const isFew = this.#universe.count <= FEW;
    const among = { bits: this.#universeBits, listed: isFew ? this.#universe.toList() : null };
    for (const { unit, pairs } of this.#query.parts) {
      if (deadline.exceeded) return null;
      this.#gainOfUnit(unit, () => among);
      for (const pair of pairs)
        this.#gainOfPair(
          pair,
          this.#universe.retain(pair.left.having).retain(pair.right.having).toList(),
        );
    }
    return this.#steps(total.docs, total.count, true);
  }

  /** First some documents that hold most, then all that may be better than the last of the best. */
  #weighBest(holding: HoldingDocuments, deadline: Deadline): RelevantDocuments | null {
    const least = this.#takeIn(holding, deadline);
    if (least === null) return null;
    holding.lookUpOthers();
    const candidates = holding.above(least - ROUNDING * this.#query.most);
    const isComplete = candidates.count <= this.#wanted && least === 0;
    if (!this.#weigh(candidates, least, deadline)) return null;
    return this.#steps(candidates.docs, candidates.count, isComplete);
  }

  /**
   * Takes in the documents of one word after the other as long as those of further words alone may
   * be among the best; returns what these have at least. null when the deadline has come.
   */
  #takeIn(holding: HoldingDocuments, deadline: Deadline): number | null {
    const { mostFrom } = this.#words;
    let least = 0;
    let enough = this.#wanted + FIRST_MORE;
    while (!deadline.exceeded) {
      const isOver = holding.isWhole || mostFrom[holding.nextPart]! < least;
      const isDue = isOver ? least === 0 : holding.nextCount > holding.count;
      if (holding.count >= enough && isDue) {
        const found = this.#leastOfFirst(holding, least, deadline);
        if (found === null) return null;
        least = Math.max(least, found);
        enough = FIRST_GROWTH * holding.count;
      } else if (isOver) return least;
      else holding.addNext();
    }
    return null;
  }

  /** What the last of those wanted has among the documents that can have most. */
  #leastOfFirst(holding: HoldingDocuments, least: number, deadline: Deadline): number | null {
    holding.lookUpOthers();
    const first = holding.best(this.#wanted + FIRST_MORE);
    if (!this.#weigh(first, least, deadline)) return null;
    const found = this.#leastOfBest(first);
    total.clear();
    return found;
  }

  /**
   * Gives candidates what they have; those that turn out to have less than `least`, or than as many
   * others as are wanted, are left out. False when the deadline has come.
   */
  #weigh(candidates: Candidates, least: number, deadline: Deadline): boolean {
    const { bitsetLength } = this.#snapshot;
    let bound = least;
    for (const [i, { unit, pairs }] of this.#query.parts.entries()) {
      if (deadline.exceeded) return false;
      const holdings = this.#words.holdings[i]!;
      this.#gainOfUnit(unit, (way) =>
        fewBits.set(holdingBoth(candidates, 1 << holdings[way]!.bit, -1), bitsetLength),
      );
      for (let at = 0; at < candidates.count; at++)
        candidates.left[at]! -= mostOfHoldings(holdings, candidates.bits[at]!);
      bound = this.#narrow(candidates, bound);
      if (pairs.length === 0) continue;
      for (const pair of pairs) {
        const [left, right] = this.#words.pairBits(pair);
        this.#gainOfPair(pair, holdingBoth(candidates, left, right));
        spend(candidates, left, right, pair.most);
      }
      bound = this.#narrow(candidates, bound);
    }
    return true;
  }

  /**
   * Leaves the candidates that may have at least what the last of those that are wanted has, or
   * `least`; returns the greater of these.
   */
  #narrow(candidates: Candidates, least: number): number {
    if (candidates.count <= this.#wanted) return least;
    const bound = Math.max(least, this.#leastOfBest(candidates));
    const enough = bound - ROUNDING * this.#query.most;
    const { docs, bits, left, count } = candidates;
    const { values } = total;
    let n = 0;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      const canGain = left[i]!;
      docs[n] = doc;
      bits[n] = bits[i]!;
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
  #gainOfPair(pair: UnitPair, both: Uint32Array): void {
    if (both.length === 0) return;
    addNearness(this.#snapshot, pair, bothBits.set(both, this.#snapshot.bitsetLength), total);
  }

  /** A bound of what the last of the wanted documents has: the beginning of its step. */
  #leastOfBest({ docs, count }: Candidates): number {
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
    if (phrase.slots.length === 1) this.#weigher.raiseTo(first, present, weight, among, gained);
    else {
      const bits = this.#sets.phrase(phrase).intersect(among.bits).toBits();
      this.#weigher.raiseToOne(first, present, weight, { bits, listed: null }, gained);
    }
  }

  /** Documents with what they have, by step; as far as all of a step are known. */
  #steps(docs: Uint32Array, count: number, isComplete: boolean): RelevantDocuments {
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
