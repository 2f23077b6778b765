/**
 * Fewer typos first. Completions cost nothing; a bigram costs two and a trigram three in addition
 * to its own typos; a part of a chunk costs three (3.6).
 */
import type { MatchSets } from '../../matching/match-sets.ts';
import { ALL_TYPOS, type Step, stepDocuments } from '../../matching/readings.ts';
import type { RankingRule } from './ranking-rule.ts';
import { optionsByStep, type StepOption, setOption, WalkedBuckets } from './walked-buckets.ts';

const NGRAM_COST = [0, 0, 2, 3] as const;
/** In addition to the two of its chunks. */
const PART_COST = 1;

export const typo: RankingRule = {
  start: ({ sets }, input) =>
    new WalkedBuckets(
      'typo',
      input,
      optionsByStep((step) => options(step, sets)),
    ),
};

function options(step: Step, sets: MatchSets): StepOption[] {
  const { node } = step;
  const base = node.kind === 'part' ? PART_COST : NGRAM_COST[node.length as 1 | 2 | 3];
  const found: StepOption[] = [];
  for (let typos = 0; typos <= mostTypos(step); typos++) {
    if (((step.typoMask >>> typos) & 1) === 0) continue;
    const narrowed = { ...step, typoMask: 1 << typos };
    const docs = step.exactOnly && typos > 0 ? sets.none : stepDocuments(narrowed, sets);
    found.push(setOption(narrowed, base + typos, docs));
  }
  return found;
}

/** Typos that count for the maximum; even a word without a typo budget may be split. */
function mostTypos({ node, typoMask, exactOnly }: Step): number {
  if (node.kind === 'phrase') return 0;
  if (typoMask !== ALL_TYPOS) return 31 - Math.clz32(typoMask);
  if (exactOnly) return node.budget === 0 ? 1 : 0;
  return Math.max(1, node.budget);
}
