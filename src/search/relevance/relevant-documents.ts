/**
 * Start here: the most relevant documents of a universe, exactly, without weighing every document
 * that has a frequent word (relevance.md 3.15).
 *
 * Words are taken one after the other, those that say most first. As long as what is left could lift
 * a new document among the best, all documents of a word get what it gives; from then on only those
 * that are still in question (a MaxScore evaluation, term at a time).
 */
import type { Deadline } from '../../core/deadline.ts';
import { fromArray } from '../../engine/sets/bitset.ts';
import type { MatchSets } from '../matching/match-sets.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { Phrase } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { leastOfStep, STEPS, stepOf } from './bm25f.ts';
import { DocumentNumbers, DocumentWeigher } from './document-weights.ts';
import { addNearness } from './near-words.ts';
import type { QueryUnit, WeighedQuery, WordClass } from './query-units.ts';

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

class Evaluation {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #query: WeighedQuery;
  readonly #wanted: number;
  readonly #weigher: DocumentWeigher;
  readonly #docIds: number;
  /** Documents in question: at first the universe. */
  #candidates: Uint32Array;
  /** The same as a list, once they are fewer than have some relevance. */
  #few: Uint32Array | null = null;

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
    this.#wanted = wanted;
    this.#weigher = new DocumentWeigher(snapshot);
    this.#docIds = snapshot.bitsetLength * 32;
    this.#candidates = universe.toBits();
  }

  run(deadline: Deadline): RelevantDocuments | null {
    const { units, pairs } = this.#query;
    const nearMost = pairs.reduce((sum, { most }) => sum + most, 0);
    let left = units.reduce((sum, { most }) => sum + most, nearMost);
    for (const unit of units) {
      if (deadline.exceeded) return null;
      this.#narrow(left);
      this.#gain(unit);
      total.take(gained);
      left -= unit.most;
    }
    this.#narrow(nearMost);
    if (deadline.exceeded) return null;
    if (pairs.length > 0) {
      const bits = this.#few ? this.#candidates : this.#bitsOf(total.docs, total.count);
      addNearness(this.#snapshot, pairs, bits, total);
    }
    return this.#steps();
  }

  /**
   * Leaves the documents that may be among the best, given the most that any can still gain, when
   * no document without relevance so far can.
   */
  #narrow(gainMost: number): void {
    const few = this.#few;
    const count = few?.length ?? total.count;
    if (count <= this.#wanted || (few === null && gainMost >= total.greatest)) return;
    const docs = few ?? total.docs;
    const least = this.#leastOfBest(docs, count) - ROUNDING * this.#query.most;
    if (few === null && gainMost >= least) return;
    const { values } = total;
    const kept = new Uint32Array(count);
    let n = 0;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      kept[n] = doc;
      n += values[doc]! + gainMost >= least ? 1 : 0;
    }
    if (few !== null && n === count) return;
    this.#few = kept.slice(0, n);
    this.#candidates = this.#bitsOf(this.#few, n);
  }

  #bitsOf(docs: Uint32Array, count: number): Uint32Array {
    return fromArray(docs.subarray(0, count), this.#docIds);
  }

  /** A bound of what the last of the wanted documents has: the beginning of its step. */
  #leastOfBest(docs: Uint32Array, count: number): number {
    const { most } = this.#query;
    const { values } = total;
    const counts = new Uint32Array(STEPS + 1);
    for (let i = 0; i < count; i++) counts[stepOf(values[docs[i]!]!, most)]!++;
    let step = STEPS;
    for (let above = counts[step]!; above < this.#wanted; ) above += counts[--step]!;
    return leastOfStep(step, most);
  }

  /** What the unit gives to the documents in question: for each that of its best class. */
  #gain({ classes }: QueryUnit): void {
    for (const each of classes) this.#gainOf(each);
  }

  #gainOf({ weight, words, ranges, except, phrases, scope }: WordClass): void {
    const candidates = this.#candidates;
    for (const word of words) this.#weigher.raiseTo(word, scope, weight, candidates, gained);
    ranges?.bounds.forEach((lo, i) => {
      if ((i & 1) === 1) return;
      const s = i >>> 1;
      const own = except?.ordinals[s] ?? -1;
      for (let term = lo; term < ranges.bounds[i + 1]!; term++)
        if (term !== own) this.#weigher.raiseToTerm(s, term, scope, weight, candidates, gained);
    });
    for (const phrase of phrases) this.#gainOfPhrase(phrase, weight);
  }

  #gainOfPhrase(phrase: Phrase, weight: number): void {
    const { present } = this.#sets.scopes;
    const first = phrase.slots.find((word) => word !== null)!;
    if (phrase.slots.length === 1)
      this.#weigher.raiseTo(first, present, weight, this.#candidates, gained);
    else {
      const holding = this.#sets.phrase(phrase).intersect(this.#candidates).toBits();
      this.#weigher.raiseToOne(first, present, weight, holding, gained);
    }
  }

  /** The documents in question by step, as far as all of a step are known. */
  #steps(): RelevantDocuments {
    const { most } = this.#query;
    const { values } = total;
    const few = this.#few;
    const docs = few ?? total.docs.subarray(0, total.count);
    const isComplete = few === null;
    const starts = new Uint32Array(STEPS + 2);
    for (let i = 0; i < docs.length; i++) starts[STEPS - stepOf(values[docs[i]!]!, most) + 1]!++;
    let end = STEPS + 1;
    for (let at = 1; at <= STEPS + 1; at++) {
      starts[at]! += starts[at - 1]!;
      if (!isComplete && end > STEPS && starts[at]! >= this.#wanted) end = at;
    }
    const next = starts.slice();
    const dealt = new Uint32Array(docs.length);
    for (let i = 0; i < docs.length; i++)
      dealt[next[STEPS - stepOf(values[docs[i]!]!, most)]!++] = docs[i]!;
    const steps: RelevanceStep[] = [];
    const { bitsetLength } = this.#snapshot;
    for (let at = 0; at < end; at++) {
      const [lo, hi] = [starts[at]!, starts[at + 1]!];
      if (lo < hi)
        steps.push({
          step: STEPS - at,
          docs: DocSet.fromList(dealt.slice(lo, hi).sort(), bitsetLength),
        });
    }
    return { steps, isComplete };
  }
}
