/**
 * Start here: the most relevant documents of a universe, exactly, without weighing every document
 * that has a frequent word (relevance.md 3.15).
 *
 * A MaxScore evaluation, term at a time: words are processed one by one, the highest scores first.
 * While the remaining words could lift a new document among the best, all documents of a word are
 * added; afterwards only documents that may still be among the best are kept. The sets that contain
 * a document bound its score. Documents with the greatest bounds are weighed first, which excludes
 * most of the others.
 */
import type { Deadline } from '../../core/deadline.ts';
import type { MatchSets } from '../matching/match-sets.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { Candidates } from './candidates.ts';
import { DocumentGains } from './document-gains.ts';
import { HeldWords } from './held-words.ts';
import { HoldingDocuments } from './holding-documents.ts';
import type { WeighedQuery } from './query-units.ts';
import { documentsByStep, leastOfBest, type RelevanceStep, ROUNDING } from './relevance-steps.ts';

export interface RelevantDocuments {
  /** The most relevant step first. */
  readonly steps: readonly RelevanceStep[];
  /** True if no other document of the universe has a score above 0. */
  readonly isComplete: boolean;
}

/** Limits of weighing. They change the cost only, never the result. */
export interface WeighingLimits {
  /** Up to this number of documents are weighed without a look at their words. */
  readonly few: number;
  /**
   * Number of documents weighed first, in addition to the requested ones, to find a lower bound of
   * the best scores.
   */
  readonly firstMore: number;
  /** Number of documents added before the first check of the best of them … */
  readonly firstMin: number;
  /** … and the factor for each further check. */
  readonly firstGrowth: number;
}

const LIMITS: WeighingLimits = { few: 64, firstMore: 44, firstMin: 1000, firstGrowth: 8 };

/** A query for the best documents of a universe. */
export interface RelevanceSearch {
  readonly snapshot: IndexSnapshot;
  readonly sets: MatchSets;
  readonly query: WeighedQuery;
  readonly universe: DocSet;
  readonly wanted: number;
  readonly deadline: Deadline;
}

/**
 * At least the `wanted` most relevant documents, and all documents as relevant as the last of them.
 * null when the deadline expired.
 */
export function relevantDocuments(
  search: RelevanceSearch,
  limits = LIMITS,
): RelevantDocuments | null {
  const gains = new DocumentGains(search.snapshot, search.sets, search.query);
  try {
    return new Evaluation(search, gains, limits).run();
  } finally {
    gains.clear();
  }
}

class Evaluation {
  readonly #snapshot: IndexSnapshot;
  readonly #gains: DocumentGains;
  readonly #query: WeighedQuery;
  readonly #universe: DocSet;
  readonly #wanted: number;
  readonly #deadline: Deadline;
  readonly #limits: WeighingLimits;
  /** Documents with their final scores; documents that are not among the best may be missing. */
  readonly #weighed: number[] = [];

  constructor(
    { snapshot, query, universe, wanted, deadline }: RelevanceSearch,
    gains: DocumentGains,
    limits: WeighingLimits,
  ) {
    this.#snapshot = snapshot;
    this.#gains = gains;
    this.#query = query;
    this.#universe = universe;
    this.#wanted = wanted;
    this.#deadline = deadline;
    this.#limits = limits;
  }

  run(): RelevantDocuments | null {
    const { count } = this.#universe;
    if (count <= Math.max(this.#limits.few, this.#wanted)) return this.#weighAll();
    const words = new HeldWords(this.#query.parts, this.#snapshot, this.#deadline);
    const holding = new HoldingDocuments(words, this.#universe.toBits());
    try {
      return this.#weighBest(words, holding);
    } finally {
      holding.clear();
    }
  }

  /** Weighs every document, without a look at its words. */
  #weighAll(): RelevantDocuments | null {
    const docs = this.#universe.toList();
    for (const { unit, pairs } of this.#query.parts) {
      if (this.#deadline.exceeded) return null;
      this.#gains.addUnit(
        unit,
        unit.holders.map((own) => docs.filter((doc) => own.docs.has(doc))),
      );
      for (const pair of pairs) this.#gains.addPair(pair, docs);
    }
    return this.#allSteps();
  }

  /**
   * Weighs first documents with the greatest bounds, then all that may exceed the last of the best.
   */
  #weighBest(words: HeldWords, holding: HoldingDocuments): RelevantDocuments | null {
    const least = this.#takeIn(words, holding);
    if (least === null) return null;
    const candidates = holding.above(least - ROUNDING * this.#query.most);
    const isComplete = candidates.count <= this.#wanted && least === 0;
    candidates.leaveOut(this.#gains.total.values);
    const first = candidates.takeBest(this.#firstCount);
    for (const some of [first, candidates]) if (!this.#weigh(words, some, least)) return null;
    return this.#steps(isComplete);
  }

  /**
   * Adds the documents of one word after the other while documents with later words only may be
   * among the best; returns a lower bound of the best scores. null when the deadline expired.
   */
  #takeIn(words: HeldWords, holding: HoldingDocuments): number | null {
    let least = 0;
    const { firstMore, firstMin, firstGrowth } = this.#limits;
    let seen = 0;
    let enough = Math.max(this.#wanted + firstMore, firstMin);
    while (!this.#deadline.exceeded) {
      const { count } = holding;
      const isOver = holding.isWhole || holding.mostOfOthers < least;
      const isDue = isOver ? least === 0 && count > Math.max(seen, this.#wanted) : count >= enough;
      if (isDue) {
        seen = count;
        enough = firstGrowth * count;
        const first = holding.best(this.#firstCount);
        first.leaveOut(this.#gains.total.values);
        if (!this.#weigh(words, first, least)) return null;
        least = Math.max(least, this.#leastOf(this.#weighed));
      } else if (isOver) return least;
      else holding.addNext(enough - count, least);
    }
    return null;
  }

  /** Number of documents weighed first, to find a lower bound of the best scores. */
  get #firstCount(): number {
    return this.#wanted + this.#limits.firstMore;
  }

  /**
   * Computes the final scores of candidates, once. Drops candidates whose bound falls below
   * `least`, or below the score of the last requested document. Returns false when the deadline
   * expired.
   */
  #weigh(words: HeldWords, candidates: Candidates, least: number): boolean {
    const { parts } = this.#query;
    let bound = this.#narrow(candidates, Math.max(least, this.#leastOf(this.#weighed)));
    for (const [i, { unit, pairs }] of parts.entries()) {
      if (this.#deadline.exceeded) return false;
      if (candidates.count === 0) break;
      const holding = words.bitsOf(i).map((bit) => candidates.withBoth(bit, -1));
      this.#gains.addUnit(unit, holding);
      candidates.spend((bits, ranks) => words.mostOf(i, bits, ranks));
      bound = this.#narrow(candidates, bound);
      if (pairs.length === 0) continue;
      for (const pair of pairs) {
        const [left, right] = words.pairBits(pair);
        this.#gains.addPair(pair, candidates.withBoth(left, right));
        candidates.spendOnBoth(left, right, pair.most);
      }
      bound = this.#narrow(candidates, bound);
    }
    for (let at = 0; at < candidates.count; at++) this.#weighed.push(candidates.docs[at]!);
    return true;
  }

  /**
   * Keeps the candidates whose bound reaches the score of the last requested document, or `least`;
   * returns the greater of the two.
   */
  #narrow(candidates: Candidates, least: number): number {
    const bound = Math.max(least, this.#leastOf(candidates.docs, candidates.count));
    if (bound > 0)
      candidates.leaveOutBelow(bound - ROUNDING * this.#query.most, this.#gains.total.values);
    return bound;
  }

  /** Score of the last requested document if there were no other documents. */
  #leastOf(docs: ArrayLike<number>, count = docs.length): number {
    const { most } = this.#query;
    return leastOfBest(this.#gains.total, { docs, count, wanted: this.#wanted, most });
  }

  #steps(isComplete: boolean, docs: ArrayLike<number> = this.#weighed): RelevantDocuments {
    const { most } = this.#query;
    const { total } = this.#gains;
    const weighed = { docs, count: docs.length, wanted: this.#wanted, most };
    const { bitsetLength } = this.#snapshot;
    return { steps: documentsByStep(total, weighed, isComplete, bitsetLength), isComplete };
  }

  #allSteps(): RelevantDocuments {
    const { docs, count } = this.#gains.total;
    return this.#steps(true, docs.subarray(0, count));
  }
}
