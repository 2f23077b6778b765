/** The ranking rules of an index as the levels of a search (relevance.md 3.3). */
import type { MatchingStrategy } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import type { SortCriterion } from '../../model/sort-criterion.ts';
import { attributeExactness } from './rules/attribute-exactness.ts';
import { attributeRank } from './rules/attribute-rank.ts';
import { fieldSort } from './rules/field-sort.ts';
import { geoSort } from './rules/geo-sort.ts';
import { proximity } from './rules/proximity.ts';
import type { RankingRule } from './rules/ranking-rule.ts';
import { relevance } from './rules/relevance.ts';
import { typo } from './rules/typo.ts';
import { wordCount } from './rules/word-count.ts';
import { wordExactness } from './rules/word-exactness.ts';
import { wordPosition } from './rules/word-position.ts';
import { words } from './rules/words.ts';
import { criteriaOfRule, newCriteria } from './sort-levels.ts';

export interface RankingLevel {
  /** The rule's name in the settings. */
  readonly name: string;
  readonly rule: RankingRule;
  /** Position in the order of rules; levels of one rule share it. */
  readonly order: number;
  readonly isCombinedAttribute: boolean;
}

/** Levels of each rule that reads the query. */
const QUERY_RULES: Readonly<Record<string, readonly RankingRule[]>> = {
  words: [words],
  relevance: [relevance],
  typo: [typo],
  proximity: [proximity],
  attribute: [attributeRank, wordPosition],
  attributeRank: [attributeRank],
  wordPosition: [wordPosition],
  exactness: [attributeExactness, wordExactness],
};

export const readsQuery = (rule: string): boolean => rule in QUERY_RULES;

/**
 * Rule names in order of application, each once. Before the first other rule that reads the query,
 * the leading rule is added: `words`; with strategy `any`, `relevance`, which replaces `words`
 * unless it is listed; with `all`, none.
 */
export function effectiveRules(
  rankingRules: readonly string[],
  strategy: MatchingStrategy,
): string[] {
  const leader = leaderOf(rankingRules, strategy);
  const leads = (name: string): boolean =>
    name === leader || (strategy === 'any' && name === 'relevance');
  const effective: string[] = [];
  for (const listed of rankingRules) {
    const name = listed === 'words' ? leader : listed;
    if (name === null) continue;
    if (leader !== null && readsQuery(name) && !leads(name) && !effective.some(leads))
      effective.push(leader);
    if (!effective.includes(name)) effective.push(name);
  }
  return effective;
}

function leaderOf(
  rankingRules: readonly string[],
  strategy: MatchingStrategy,
): 'words' | 'relevance' | null {
  if (strategy === 'all') return null;
  return strategy === 'any' && !rankingRules.includes('relevance') ? 'relevance' : 'words';
}

/** Inputs besides the rules that decide the levels of a search. */
interface SortChoice {
  readonly settings: Settings;
  readonly sort: readonly SortCriterion[];
}

/** Inputs that decide the levels of a keyword search. */
export interface LevelChoice extends SortChoice {
  readonly strategy: MatchingStrategy;
  /** A placeholder search keeps only the sort and the custom rules. */
  readonly isPlaceholder: boolean;
}

/** Levels in the order in which they apply. */
export const rankingLevels = (choice: LevelChoice): RankingLevel[] =>
  levelsOf(effectiveRules(choice.settings.rankingRules, choice.strategy), choice, (name) => {
    if (choice.isPlaceholder) return null;
    return choice.strategy === 'any' && name === 'words' ? [wordCount] : QUERY_RULES[name]!;
  });

/** The levels of a vector search: one rule replaces the first rule that reads words. */
export function vectorLevels(choice: SortChoice, vectorRule: RankingRule): RankingLevel[] {
  const names = [...new Set(choice.settings.rankingRules)];
  const first = names.find((name) => readsQuery(name));
  return levelsOf(names, choice, (name) => (name === first ? [vectorRule] : null));
}

/**
 * One level per sort criterion, at most one per field, and the levels of a rule that reads words;
 * null for none.
 */
function levelsOf(
  names: readonly string[],
  { settings, sort }: SortChoice,
  queryRules: (name: string) => readonly RankingRule[] | null,
): RankingLevel[] {
  const isNew = newCriteria();
  const levels: RankingLevel[] = [];
  let order = 0;
  for (const name of names) {
    const isQueryRule = readsQuery(name);
    const rules = isQueryRule ? queryRules(name) : null;
    for (const rule of rules ?? [])
      levels.push({ name, rule, order, isCombinedAttribute: name === 'attribute' });
    if (rules !== null) order++;
    if (isQueryRule) continue;
    for (const criterion of criteriaOfRule(name, sort).filter(isNew)) {
      const rule = sortRule(criterion, order, settings.displayedAttributes);
      levels.push({ name, rule, order, isCombinedAttribute: false });
      order++;
    }
  }
  return levels;
}

/** Levels of a sort without any query. */
export const sortLevels = (
  sort: readonly SortCriterion[],
  displayed: readonly string[],
): RankingLevel[] =>
  sort.map((criterion, order) => ({
    name: 'sort',
    rule: sortRule(criterion, order, displayed),
    order,
    isCombinedAttribute: false,
  }));

function sortRule(
  criterion: SortCriterion,
  order: number,
  displayed: readonly string[],
): RankingRule {
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
  return fieldSort(path, direction, (value) => ({
    rule: 'fieldSort',
    key,
    direction,
    value,
    isHidden,
  }));
}
