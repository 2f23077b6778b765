/**
 * The rule `words` with strategy `any`: documents with more query words first (relevance.md 3.5).
 */
import { heldReadings, termSteps } from '../../matching/any-word.ts';
import { ALL_TYPOS } from '../../matching/readings.ts';
import type { QueryNode } from '../../query/query-node.ts';
import { DocSet } from '../../sets/doc-set.ts';
import type {
  Bucket,
  BucketSource,
  RankingContext,
  RankingRule,
  RuleInput,
} from './ranking-rule.ts';

export const wordCount: RankingRule = {
  start: (context, input) => new WordCountBuckets(context, input),
};

/** Number of words of a term: the words of a phrase, or one. */
const wordsOf = ({ derivations: { phrase } }: QueryNode): number =>
  phrase?.slots.filter((word) => word !== null).length ?? 1;

class WordCountBuckets implements BucketSource {
  readonly #context: RankingContext;
  readonly #input: RuleInput;
  readonly #max: number;
  /** Documents by number of words, in descending order. */
  readonly #buckets: readonly { readonly words: number; readonly docs: DocSet }[];
  #at = 0;

  constructor(context: RankingContext, input: RuleInput) {
    const { query, sets } = context;
    const docs = input.universe.toList();
    const counts = new Uint32Array(docs.length);
    let max = 0;
    for (const { node } of termSteps(query)) {
      const having = sets.withAnyTypos(node, ALL_TYPOS);
      const words = wordsOf(node);
      max += words;
      for (let i = 0; i < docs.length; i++) if (having.has(docs[i]!)) counts[i]! += words;
    }
    this.#context = context;
    this.#input = input;
    this.#max = max;
    this.#buckets = [...new Set(counts)]
      .sort((a, b) => b - a)
      .map((words) => ({
        words,
        docs: DocSet.fromList(
          docs.filter((_, i) => counts[i] === words),
          sets.live.bitsetLength,
        ),
      }));
  }

  next(universe: DocSet): Bucket | null {
    const { query, sets } = this.#context;
    while (this.#at < this.#buckets.length) {
      const { words, docs } = this.#buckets[this.#at++]!;
      const left = docs.retain(universe);
      if (left.isEmpty) continue;
      return {
        docs: left,
        graph: heldReadings(query, left, sets),
        detail: { rule: 'words', rank: Math.max(words, 1), max: Math.max(this.#max, 1) },
        positions: this.#input.positions,
      };
    }
    return null;
  }
}
