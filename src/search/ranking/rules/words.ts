/**
 * Documents with more query words first; the matching strategy decides which words may be missing
 * (3.5).
 */
import { stepDocuments } from '../../matching/readings.ts';
import type { RankingRule } from './ranking-rule.ts';
import { optionsByStep, setOption, WalkedBuckets } from './walked-buckets.ts';

export const words: RankingRule = {
  start({ sets, removalGroups, query }, input) {
    const options = optionsByStep((step) => {
      const group = removalGroups[step.node.number]!;
      const keep = setOption(step, 0, stepDocuments(step, sets), group);
      return group === 0 ? [keep] : [setOption(null, step.node.length, null, group), keep];
    });
    return new WalkedBuckets('words', input, options, Math.max(0, query.phraseWordCount - 1));
  },
};
