/** The scores of a ranked document as data that means the same in every index (relevance.md 7.3, 7.6). */
import type { RuleKind, ScoreElement, WeightedScore } from '../model/federation.ts';
import type { SearchRequest } from '../model/search.ts';
import type { Settings } from '../model/settings.ts';
import { parseSortCriterion } from '../model/sort-criterion.ts';
import { effectiveRules } from './ranking-levels.ts';
import { rankingScore, type ScoredLevel } from './ranking-score.ts';
import { criteriaOfRule } from './sort-levels.ts';

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
    } else {
      run.push(level);
    }
  }
  endRun();
  return { elements, total: rankingScore(levels) * weight };
}

/**
 * What each place in the ranking of a request compares; neighbouring relevancy rules are one place. Whether the index can sort as
 * asked makes no difference here.
 */
export function ruleKinds({ q, sort, matchingStrategy }: SearchRequest, { rankingRules }: Settings): RuleKind[] {
  const requested = (sort ?? []).flatMap((text) => {
    const criterion = parseSortCriterion(text);
    return 'problem' in criterion ? [] : [criterion];
  });
  const isPlaceholder = (q ?? '').trim() === '';
  const kinds: RuleKind[] = [];
  const sortedFields = new Set<string>();
  for (const name of effectiveRules(rankingRules, matchingStrategy)) {
    const criteria = criteriaOfRule(name, requested);
    for (const criterion of criteria) {
      if (criterion.kind === 'field') {
        if (sortedFields.has(criterion.path)) continue;
        sortedFields.add(criterion.path);
      }
      kinds.push(`${criterion.kind}:${criterion.direction}`);
    }
    const isRelevancy = name !== 'sort' && criteria.length === 0;
    if (isRelevancy && !isPlaceholder && kinds.at(-1) !== 'relevancy') kinds.push('relevancy');
  }
  return kinds;
}
