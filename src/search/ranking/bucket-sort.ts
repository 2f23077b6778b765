/**
 * Runs the levels as nested buckets, best first, until the requested window is full (relevance.md
 * 3.3, 3.14).
 */
import type { Deadline } from '../../core/deadline.ts';
import type { StepTimes } from '../../core/step-times.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { DistinctFilter } from '../values/distinct.ts';
import type { RankingLevel } from './ranking-levels.ts';
import { rankingScore, type ScoredLevel } from './ranking-score.ts';
import type { Bucket, RankingContext, RankingRule, RuleInput } from './rules/ranking-rule.ts';

export interface RankedDocument {
  readonly doc: number;
  readonly levels: readonly ScoredLevel[];
}

export interface BucketSortOptions {
  readonly levels: readonly RankingLevel[];
  readonly offset: number;
  readonly limit: number;
  /**
   * Continues when the window is full: the threshold then removes all documents below it, and
   * totals are exact.
   */
  readonly ranksAll: boolean;
  /**
   * True if scores of single documents are shown; otherwise a bucket of one document is not sorted
   * further.
   */
  readonly wantsScores: boolean;
  /**
   * True if buckets before the window are sorted too, because a rule remembers look-ups across
   * buckets.
   */
  readonly sortsBeforeWindow: boolean;
  /** Buckets whose score so far is lower are dropped, with all following buckets of their level. */
  readonly scoreThreshold: number | null;
  /** Keeps one document per value; null = keeps all. */
  readonly distinct: DistinctFilter | null;
  readonly deadline: Deadline;
  /** Receives the time of each rule, as a part of the step; null = not measured. */
  readonly profile: { readonly times: StepTimes; readonly step: string } | null;
}

/** The documents to sort and their context. */
export type SortInput = Omit<RuleInput, 'following'>;

export interface SortedDocuments {
  readonly documents: readonly RankedDocument[];
  /** The universe without documents below the score threshold and without duplicates found. */
  readonly candidates: DocSet;
  /** The deadline ended the sorting early. */
  readonly isDegraded: boolean;
}

/** After the deadline, unsorted documents follow in DocId order. */
export function bucketSort(
  context: RankingContext,
  input: SortInput,
  options: BucketSortOptions,
): SortedDocuments {
  const run = new BucketSort(context, options);
  run.sort(0, input, []);
  return {
    documents: run.documents,
    candidates: run.candidates(input.universe),
    isDegraded: run.isDegraded,
  };
}

class BucketSort {
  readonly documents: RankedDocument[] = [];
  readonly #dropped: DocSet[] = [];
  isDegraded = false;
  readonly #context: RankingContext;
  readonly #options: BucketSortOptions;
  /** By level. */
  readonly #following: readonly (readonly RankingRule[])[];
  #skip: number;

  constructor(context: RankingContext, options: BucketSortOptions) {
    this.#context = context;
    this.#options = options;
    this.#following = options.levels.map((_, i) =>
      options.levels.slice(i + 1).map(({ rule }) => rule),
    );
    this.#skip = options.offset;
  }

  sort(depth: number, input: SortInput, path: readonly ScoredLevel[]): void {
    const { levels, deadline } = this.#options;
    const level = levels[depth];
    if (!level || this.#needsNoOrder(input.universe)) {
      this.#emit(input.universe, path);
      return;
    }
    if (deadline.exceeded) {
      this.#emitSkipped(input.universe, path, level);
      return;
    }
    const { universe, graph, positions } = input;
    const following = this.#following[depth]!;
    const source = this.#profiled(level, universe, () =>
      level.rule.start(this.#context, { universe, graph, positions, following }, this.#wanted()),
    );
    let left = universe;
    while (!left.isEmpty && this.#wantsMore()) {
      if (deadline.exceeded) {
        this.#emitSkipped(left, path, level);
        return;
      }
      const from = left;
      const bucket = this.#profiled(level, from, () => source.next(from));
      if (!bucket) {
        if (source.isCutShort) this.#emitSkipped(left, path, level);
        else this.#emit(left, path);
        return;
      }
      const bucketPath = [
        ...path,
        {
          order: level.order,
          isCombinedAttribute: level.isCombinedAttribute,
          detail: bucket.detail,
        },
      ];
      if (this.#isBelowThreshold(bucketPath)) {
        this.#dropped.push(left);
        return;
      }
      this.#sortBucket(depth + 1, bucket, bucketPath);
      if (!this.#wantsMore()) return;
      left = this.#withoutExcluded(left.without(bucket.docs));
    }
  }

  #profiled<Result>({ name }: RankingLevel, { count }: DocSet, run: () => Result): Result {
    const { profile } = this.#options;
    return profile === null ? run() : profile.times.part(`${profile.step} > ${name}`, count, run);
  }

  /** True for one document whose score is not requested. */
  #needsNoOrder(universe: DocSet): boolean {
    const { wantsScores, scoreThreshold } = this.#options;
    return universe.count === 1 && !wantsScores && scoreThreshold === null;
  }

  /** Number of documents still to emit, including those before the window. */
  #wanted(): number {
    const { ranksAll, limit } = this.#options;
    return ranksAll ? Number.POSITIVE_INFINITY : this.#skip + limit - this.documents.length;
  }

  #wantsMore(): boolean {
    return this.#options.ranksAll || !this.#isFull();
  }

  #sortBucket(depth: number, bucket: Bucket, path: readonly ScoredLevel[]): void {
    const { docs, graph, positions } = bucket;
    if (!this.#skipsWhole(docs)) this.sort(depth, { universe: docs, graph, positions }, path);
  }

  #withoutExcluded(docs: DocSet): DocSet {
    const { distinct } = this.#options;
    return distinct ? docs.subtract(distinct.excluded) : docs;
  }

  candidates(universe: DocSet): DocSet {
    let left = universe;
    for (const docs of this.#dropped) left = left.without(docs);
    return this.#withoutExcluded(left);
  }

  /**
   * Skips a bucket before the window. Not with a threshold, whose totals need the scores there; nor
   * with distinct, so that the kept duplicate does not depend on the window.
   */
  #skipsWhole(docs: DocSet): boolean {
    const { scoreThreshold, distinct, sortsBeforeWindow } = this.#options;
    if (scoreThreshold !== null || distinct || sortsBeforeWindow || docs.count > this.#skip)
      return false;
    this.#skip -= docs.count;
    return true;
  }

  #isFull(): boolean {
    return this.documents.length >= this.#options.limit && this.#skip === 0;
  }

  #isBelowThreshold(path: readonly ScoredLevel[]): boolean {
    const { scoreThreshold } = this.#options;
    return scoreThreshold !== null && rankingScore(path) < scoreThreshold;
  }

  #emitSkipped(docs: DocSet, path: readonly ScoredLevel[], { order }: RankingLevel): void {
    this.isDegraded = true;
    this.#emit(docs, [
      ...path,
      { order, isCombinedAttribute: false, detail: { rule: 'skipped', rank: 0, max: 1 } },
    ]);
  }

  #emit(docs: DocSet, levels: readonly ScoredLevel[]): void {
    if (this.#options.distinct) {
      this.#emitDistinct(docs, levels, this.#options.distinct);
      return;
    }
    if (docs.count <= this.#skip) {
      this.#skip -= docs.count;
      return;
    }
    for (const doc of docs.page(this.#skip, this.#options.limit - this.documents.length))
      this.documents.push({ doc, levels });
    this.#skip = 0;
  }

  /**
   * Walks the documents in internal order; kept documents exclude their duplicates, here and later.
   * A bucket is walked to its end even if the window is full, so that totals exclude all its
   * duplicates. Without a rule all documents are one bucket, which is walked only as far as needed.
   */
  #emitDistinct(docs: DocSet, levels: readonly ScoredLevel[], distinct: DistinctFilter): void {
    for (const doc of docs.toList()) {
      if (this.#isFull() && this.#options.levels.length === 0) return;
      if (distinct.isExcluded(doc)) continue;
      distinct.keep(doc);
      if (this.#skip > 0) this.#skip--;
      else if (!this.#isFull()) this.documents.push({ doc, levels });
    }
  }
}
