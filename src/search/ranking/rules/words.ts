/**
 * Documents with more query words first; the matching strategy decides which words may be missing
 * (3.5).
 */
import { type Step, type StepOption, stepDocuments, stepOption } from '../../matching/readings.ts';
import type { RankingRule } from './ranking-rule.ts';
import { setBuckets } from './walked-buckets.ts';

export const words: RankingRule = {
  start(context, input) {
    const { sets, removalGroups, query } = context;
    const options = (step: Step): StepOption[] => {
      const group = removalGroups[step.node.number]!;
      const keep = stepOption(step, 0, stepDocuments(step, sets), group);
      return group === 0 ? [keep] : [stepOption(null, step.node.length, null, group), keep];
    };
    return setBuckets(input, options, (largestCost) => {
      const max = 1 + Math.max(0, query.phraseWordCount - 1) + largestCost;
      return (cost) => ({ rule: 'words', rank: max - cost, max });
    });
  },
};
