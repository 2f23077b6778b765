/** Second level of exactness: more words found exactly as typed first (3.13). */

import { type Step, type StepOption, stepDocuments } from '../../matching/readings.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { RankingRule } from './ranking-rule.ts';
import { SetBuckets } from './set-rule.ts';

export const wordExactness: RankingRule = {
  start({ sets }, input) {
    const exact = ({ node, typoMask }: Step): DocSet =>
      (typoMask & 1) === 1 ? sets.exact(node) : sets.none;
    const options = (step: Step): StepOption[] => [
      { cost: 0, docs: exact(step), handedDown: { ...step, exactOnly: true }, group: 0 },
      { cost: step.node.length, docs: stepDocuments(step, sets), handedDown: step, group: 0 },
    ];
    return new SetBuckets(input, options, (largestCost) => (cost) => ({
      rule: 'wordExactness',
      rank: largestCost - cost + 1,
      max: largestCost + 1,
    }));
  },
};
