/** The ranking rules of an index as the list of levels a search applies (relevance.md 3.3). */
import type { MatchingStrategy } from '../model/search.ts';
import type { Settings } from '../model/settings.ts';
import type { SortCriterion } from '../model/sort-criterion.ts';
import { attributeExactness } from './ranking-rules/attribute-exactness.ts';
import { attributeRank } from './ranking-rules/attribute-rank.ts';
import { fieldSort } from './ranking-rules/field-sort.ts';
import { geoSort } from './ranking-rules/geo-sort.ts';
import { proximity } from './ranking-rules/proximity.ts';
import type { RankingRule } from './ranking-rules/ranking-rule.ts';
import { typo } from './ranking-rules/typo.ts';
import { wordExactness } from './ranking-rules/word-exactness.ts';
import { wordPosition } from './ranking-rules/word-position.ts';
import { words } from './ranking-rules/words.ts';
import { criteriaOfRule } from './sort-levels.ts';

export interface RankingLevel {
  readonly rule: RankingRule;
  /** Place in the order of rules; levels of one rule share it. */
  readonly order: number;
  readonly isCombinedAttribute: boolean;
}

/** Levels of each rule that reads the query. */
const QUERY_RULES: Readonly<Record<string, readonly RankingRule[]>> = {
  words: [words],
  typo: [typo],
  proximity: [proximity],
  attribute: [attributeRank, wordPosition],
  attributeRank: [attributeRank],
  wordPosition: [wordPosition],
  exactness: [attributeExactness, wordExactness],
};

/** Rule names in order of application: each once, `words` no later than the first rule that needs it. */
export function effectiveRules(rankingRules: readonly string[], strategy: MatchingStrategy): string[] {
  const effective: string[] = [];
  for (const name of rankingRules) {
    if (name === 'words' && strategy === 'all') continue;
    if (name !== 'words' && name in QUERY_RULES && strategy !== 'all' && !effective.includes('words'))
      effective.push('words');
    if (!effective.includes(name)) effective.push(name);
  }
  return effective;
}

/** What decides the levels of a search. */
export interface LevelChoice {
  readonly settings: Settings;
  readonly strategy: MatchingStrategy;
  readonly sort: readonly SortCriterion[];
  /** A placeholder search keeps only the sort and the custom rules. */
  readonly isPlaceholder: boolean;
}

/** Levels in the order in which they apply; a field that is sorted by twice has one. */
export function rankingLevels({ settings, strategy, sort, isPlaceholder }: LevelChoice): RankingLevel[] {
  const levels: RankingLevel[] = [];
  const sortedFields = new Set<string>();
  let order = 0;
  for (const name of effectiveRules(settings.rankingRules, strategy)) {
    const rules = QUERY_RULES[name];
    if (rules) {
      if (isPlaceholder) continue;
      for (const rule of rules) levels.push({ rule, order, isCombinedAttribute: name === 'attribute' });
      order++;
      continue;
    }
    for (const criterion of criteriaOfRule(name, sort)) {
      if (criterion.kind === 'field') {
        if (sortedFields.has(criterion.path)) continue;
        sortedFields.add(criterion.path);
      }
      levels.push({
        rule: sortRule(criterion, order, settings.displayedAttributes),
        order,
        isCombinedAttribute: false,
      });
      order++;
    }
  }
  return levels;
}

/** Levels of a sort without any query. */
export const sortLevels = (sort: readonly SortCriterion[], displayed: readonly string[]): RankingLevel[] =>
  sort.map((criterion, order) => ({ rule: sortRule(criterion, order, displayed), order, isCombinedAttribute: false }));

function sortRule(criterion: SortCriterion, order: number, displayed: readonly string[]): RankingRule {
  const { direction } = criterion;
  if (criterion.kind === 'geo') {
    const key = `_geoPoint(${criterion.lat}, ${criterion.lng}):${direction}`;
    return geoSort(criterion, direction, (value) => ({
      rule: 'geoSort',
      key,
      direction,
      value: value?.point ?? null,
      distance: value?.metres ?? null,
    }));
  }
  const { path } = criterion;
  const isHidden = !displayed.some((name) => name === '*' || name === path);
  const key = isHidden ? `<hidden-rule-${order}>` : `${path}:${direction}`;
  return fieldSort(path, direction, (value) => ({ rule: 'fieldSort', key, direction, value, isHidden }));
}
