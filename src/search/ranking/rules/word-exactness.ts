/** Second level of exactness: documents with more words exactly as typed first (3.13). */

import { type Step, type StepOption, stepDocuments, stepOption } from '../../matching/readings.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { RankingRule } from './ranking-rule.ts';
import { setBuckets } from './walked-buckets.ts';

export const wordExactness: RankingRule = {
  start({ sets }, input) {
    const exact = ({ node, typoMask }: Step): DocSet =>
      (typoMask & 1) === 1 ? sets.exact(node) : sets.none;
    const options = (step: Step): StepOption[] => [
      stepOption({ ...step, exactOnly: true }, 0, exact(step)),
      stepOption(step, step.node.length, stepDocuments(step, sets)),
    ];
    return setBuckets(input, options, (largestCost) => (cost) => ({
      rule: 'wordExactness',
      rank: largestCost - cost + 1,
      max: largestCost + 1,
    }));
  },
};
