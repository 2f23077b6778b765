/**
 * The scores of a ranked document in a form that is comparable between indexes (relevance.md 7.3,
 * 7.6).
 */
import type { RuleKind, ScoreElement, WeightedScore } from '../../model/federation.ts';
import { isBlank } from '../../model/query-words.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import { effectiveRules } from './ranking-levels.ts';
import { rankingScore, type ScoredLevel } from './ranking-score.ts';
import { criteriaOfRule, newCriteria } from './sort-levels.ts';

export function weightedScore(levels: readonly ScoredLevel[], weight: number): WeightedScore {
  const elements: ScoreElement[] = [];
  let run: ScoredLevel[] = [];
  const endRun = (): void => {
    if (run.length > 0) elements.push({ kind: 'score', value: rankingScore(run) * weight });
    run = [];
  };
  for (const level of levels) {
    const { detail } = level;
    if (detail.rule === 'fieldSort') {
      endRun();
      elements.push({ kind: 'field', direction: detail.direction, value: detail.value });
    } else if (detail.rule === 'geoSort') {
      endRun();
      elements.push({ kind: 'geo', direction: detail.direction, metres: detail.distance });
    } else if (detail.rule === 'vectorSort') {
      endRun();
      elements.push({ kind: 'score', value: (detail.similarity ?? 0) * weight });
    } else {
      run.push(level);
    }
  }
  endRun();
  return { elements, total: rankingScore(levels) * weight };
}

/**
 * The comparison at each level of a request's ranking; adjacent relevancy rules are one level. Does
 * not check whether the index can sort as requested.
 */
export function ruleKinds(
  { q, sort, matchingStrategy, semantic }: SearchRequest,
  { rankingRules }: Settings,
): RuleKind[] {
  const isPlaceholder = semantic === null && isBlank(q);
  const kinds: RuleKind[] = [];
  const isNew = newCriteria();
  for (const name of effectiveRules(rankingRules, matchingStrategy)) {
    const criteria = criteriaOfRule(name, sort);
    for (const { kind, direction } of criteria.filter(isNew)) kinds.push(`${kind}:${direction}`);
    const isRelevancy = name !== 'sort' && criteria.length === 0;
    if (isRelevancy && !isPlaceholder && kinds.at(-1) !== 'relevancy') kinds.push('relevancy');
  }
  return kinds;
}
