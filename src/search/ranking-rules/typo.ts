/** Fewer typos first; completions cost nothing, a bigram costs two and a trigram three on top of its own typos (3.6). */
import type { MatchSets, TypoLevel } from '../match-sets.ts';
import type { QueryNode } from '../query-node.ts';
import { ALL_LEVELS, type Step, type StepOption } from '../readings.ts';
import type { RankingRule } from './ranking-rule.ts';
import { SetBuckets } from './set-rule.ts';

const NGRAM_COST = [0, 0, 2, 3] as const;

export const typo: RankingRule = {
  start(context, input) {
    return new SetBuckets(
      input,
      (step) => options(step, context.sets),
      (largestCost) => (cost) => ({ rule: 'typo', rank: largestCost + 1 - cost, max: largestCost + 1 }),
    );
  },
};

function options(step: Step, sets: MatchSets): StepOption[] {
  const { node } = step;
  const base = NGRAM_COST[node.length as 1 | 2 | 3];
  const found: StepOption[] = [];
  for (let level = 0; level <= highestLevel(step); level++) {
    if (((step.levels >>> level) & 1) === 0) continue;
    const docs = step.exactOnly && level === 0 ? sets.exact(node) : sets.level(node, level as TypoLevel);
    const nothing = step.exactOnly && level > 0;
    found.push({
      cost: base + level,
      docs: nothing ? sets.none : docs,
      handedDown: { ...step, levels: 1 << level },
      group: 0,
    });
  }
  return found;
}

/** Highest level that counts for the maximum: even a word without typo budget may be split. */
function highestLevel({ node, levels, exactOnly }: Step): number {
  if (node.kind === 'phrase') return 0;
  if (levels !== ALL_LEVELS) return 31 - Math.clz32(levels);
  if (exactOnly) return node.budget === 0 ? 1 : 0;
  return highestOfBudget(node);
}

const highestOfBudget = ({ budget }: QueryNode): number => Math.max(1, budget);
