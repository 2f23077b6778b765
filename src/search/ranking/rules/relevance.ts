/**
 * Documents that the query says most about first: statistics of words, fields and neighbours
 * (3.15).
 */
import { documentsWithEvery, heldReadings } from '../../matching/any-word.ts';
import { STEPS } from '../../relevance/bm25f.ts';
import { type WeighedQuery, weighQuery } from '../../relevance/query-units.ts';
import { type RelevanceStep, relevantDocuments } from '../../relevance/relevant-documents.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type {
  Bucket,
  BucketSource,
  RankDetail,
  RankingContext,
  RankingRule,
  RuleInput,
} from './ranking-rule.ts';

/** How many more documents are weighed when those that were wanted have not been enough. */
const WANTED_GROWTH = 8;

export const relevance: RankingRule = {
  start: (context, input, wanted) => new RelevanceBuckets(context, input, wanted),
};

/** What queries weigh: the same for each bucket of a search. */
const weighed = new WeakMap<RankingContext, WeighedQuery>();

/** Documents that hold every word have the upper half of all ranks. */
class RelevanceBuckets implements BucketSource {
  readonly #context: RankingContext;
  readonly #input: RuleInput;
  readonly #query: WeighedQuery;
  readonly #asked: number;
  /** Documents of the half at hand, and how many of them are weighed next. */
  #half: DocSet;
  #isUpper = true;
  #wanted: number;
  #steps: readonly RelevanceStep[] = [];
  #at = 0;
  #isComplete = false;
  isCutShort = false;

  constructor(context: RankingContext, input: RuleInput, wanted: number) {
    let query = weighed.get(context);
    if (!query) {
      query = weighQuery(context.query, context.sets);
      weighed.set(context, query);
    }
    this.#context = context;
    this.#input = input;
    this.#query = query;
    this.#asked = Math.max(1, wanted);
    this.#wanted = this.#asked;
    this.#half = documentsWithEvery(context.query, input.universe, context.sets);
  }

  next(universe: DocSet): Bucket | null {
    for (;;) {
      while (this.#at < this.#steps.length) {
        const { step, docs } = this.#steps[this.#at++]!;
        const left = docs.retain(universe);
        if (!left.isEmpty) return this.#bucket(left, step);
      }
      const left = this.#half.retain(universe);
      if (left.isEmpty) {
        if (!this.#isUpper) return null;
        this.#turnToLowerHalf();
      } else if (this.#isComplete) return this.#bucket(left, 1);
      else if (!this.#weigh(left)) return null;
    }
  }

  #turnToLowerHalf(): void {
    this.#half = this.#input.universe.without(this.#half);
    this.#isUpper = false;
    this.#isComplete = false;
    this.#wanted = this.#asked;
  }

  /** False when the deadline has come. */
  #weigh(docs: DocSet): boolean {
    const { snapshot, sets, deadline } = this.#context;
    const found = relevantDocuments(snapshot, sets, this.#query, docs, this.#wanted, deadline);
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
      detail: detailOf(step + (this.#isUpper ? STEPS : 0)),
      positions,
    };
  }
}

const detailOf = (rank: number): RankDetail => ({ rule: 'relevance', rank, max: 2 * STEPS });
