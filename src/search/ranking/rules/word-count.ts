/**
 * The rule `words` with strategy `any`: documents with more query words first (relevance.md 3.5).
 */
import { heldReadings, termSteps } from '../../matching/any-word.ts';
import { ALL_TYPOS } from '../../matching/readings.ts';
import type { QueryNode } from '../../query/query-node.ts';
import { DocumentsByNumber } from '../../sets/documents-by-number.ts';
import { ListedBuckets } from './listed-buckets.ts';
import type { RankingRule } from './ranking-rule.ts';

export const wordCount: RankingRule = {
  start({ query, sets }, { universe, positions }) {
    const docs = universe.toList();
    const counts = new Uint32Array(docs.length);
    let most = 0;
    for (const { node } of termSteps(query)) {
      const having = sets.withAnyTypos(node, ALL_TYPOS);
      const words = wordsOf(node);
      most += words;
      for (let i = 0; i < docs.length; i++) if (having.has(docs[i]!)) counts[i]! += words;
    }
    const grouped = new DocumentsByNumber(docs, counts, most + 1, universe.bitsetLength);
    const buckets = grouped.numbers
      .reverse()
      .map((words) => ({ words, docs: () => grouped.with(words) }));
    return new ListedBuckets(universe, buckets, ({ words }, own) => ({
      docs: own,
      graph: heldReadings(query, own, sets),
      detail: { rule: 'words', rank: Math.max(words, 1), max: Math.max(most, 1) },
      positions,
    }));
  },
};

/** Number of words of a term: the words of a phrase, or one. */
const wordsOf = ({ derivations: { phrase } }: QueryNode): number =>
  phrase?.slots.filter((word) => word !== null).length ?? 1;
