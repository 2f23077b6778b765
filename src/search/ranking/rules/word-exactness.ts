/** Second level of exactness: documents with more words exactly as typed first (3.13). */

import { stepDocuments } from '../../matching/readings.ts';
import type { RankingRule } from './ranking-rule.ts';
import { optionsByStep, setOption, WalkedBuckets } from './walked-buckets.ts';

export const wordExactness: RankingRule = {
  start({ sets }, input) {
    const options = optionsByStep((step) => [
      setOption(
        { ...step, exactOnly: true },
        0,
        (step.typoMask & 1) === 1 ? sets.exact(step.node) : sets.none,
      ),
      setOption(step, step.node.length, stepDocuments(step, sets)),
    ]);
    return new WalkedBuckets('wordExactness', input, options);
  },
};
