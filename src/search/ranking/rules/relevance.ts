/**
 * Documents by BM25F relevance, highest first: statistics of words, fields and neighbours (3.15).
 */
import { getOrCompute } from '../../../core/get-or-compute.ts';
import { documentsWithEvery, heldReadings } from '../../matching/any-word.ts';
import { STEPS } from '../../relevance/bm25f.ts';
import { type WeighedQuery, weighQuery } from '../../relevance/query-units.ts';
import type { RelevanceStep } from '../../relevance/relevance-steps.ts';
import { relevantDocuments } from '../../relevance/relevant-documents.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type {
  Bucket,
  BucketSource,
  RankDetail,
  RankingContext,
  RankingRule,
  RuleInput,
} from './ranking-rule.ts';

/** Growth of the number of scored documents when the requested ones were not enough. */
const WANTED_GROWTH = 8;

export const relevance: RankingRule = {
  start: (context, input, wanted) => new RelevanceBuckets(context, input, wanted),
};

/** Query weights, shared by all buckets of a search. */
const weighed = new WeakMap<RankingContext, WeighedQuery>();

/** Documents with every word come first. */
class RelevanceBuckets implements BucketSource {
  readonly #context: RankingContext;
  readonly #input: RuleInput;
  readonly #query: WeighedQuery;
  /** Documents requested and not yet returned. */
  #asked: number;
  /** Documents of the current part, and the number of them to score next. */
  #part: DocSet;
  #isOfEvery = true;
  #wanted: number;
  #steps: readonly RelevanceStep[] = [];
  #at = 0;
  #isComplete = false;
  isCutShort = false;

  constructor(context: RankingContext, input: RuleInput, wanted: number) {
    const query = getOrCompute(weighed, context, () => weighQuery(context.query, context.sets));
    this.#context = context;
    this.#input = input;
    this.#query = query;
    this.#asked = wanted;
    this.#wanted = Math.max(1, wanted);
    this.#part = documentsWithEvery(context.query, input.universe, context.sets);
  }

  next(universe: DocSet): Bucket | null {
    for (;;) {
      while (this.#at < this.#steps.length) {
        const { step, docs } = this.#steps[this.#at++]!;
        const left = docs.retain(universe);
        if (left.isEmpty) continue;
        this.#asked -= left.count;
        return this.#bucket(left, step);
      }
      const left = this.#part.retain(universe);
      if (left.isEmpty) {
        if (!this.#isOfEvery) return null;
        this.#turnToOthers();
      } else if (this.#isComplete) return this.#bucket(left, 1);
      else if (!this.#weigh(left)) return null;
    }
  }

  #turnToOthers(): void {
    this.#part = this.#input.universe.without(this.#part);
    this.#isOfEvery = false;
    this.#isComplete = false;
    this.#wanted = Math.max(1, this.#asked);
  }

  /** False after the deadline. */
  #weigh(docs: DocSet): boolean {
    const { snapshot, sets, deadline } = this.#context;
    const found = relevantDocuments({
      snapshot,
      sets,
      query: this.#query,
      universe: docs,
      wanted: this.#wanted,
      deadline,
    });
    if (found === null) {
      this.isCutShort = true;
      return false;
    }
    this.#wanted *= WANTED_GROWTH;
    this.#steps = found.steps;
    this.#at = 0;
    this.#isComplete = found.isComplete;
    return true;
  }

  #bucket(docs: DocSet, step: number): Bucket {
    const { takesAnyWord, query, sets } = this.#context;
    const { graph, positions } = this.#input;
    return {
      docs,
      graph: takesAnyWord ? heldReadings(query, docs, sets) : graph,
      detail: detailOf(step, this.#isOfEvery),
      positions,
    };
  }
}

/** Documents with every word score above 3/4. */
const detailOf = (step: number, holdsEvery: boolean): RankDetail => ({
  rule: 'relevance',
  rank: holdsEvery ? 3 * STEPS + step : 3 * step,
  max: 4 * STEPS,
});
