/**
 * Settings in a dump. Other servers ignore members that they lack, but refuse the whole dump for a
 * ranking rule that they lack.
 */
import type { Json } from '../../core/json.ts';
import { isAddedRankingRule } from '../../model/settings.ts';

/** Member with all ranking rules, where `rankingRules` lacks some for other servers. */
const ALL_RULES = 'allRankingRules';

export function dumpedSettings(settings: Json): Json {
  const { rankingRules } = settings;
  if (!Array.isArray(rankingRules) || !rankingRules.some(isAddedRankingRule)) return settings;
  const known = rankingRules.filter((rule) => !isAddedRankingRule(rule));
  return { ...settings, rankingRules: known, [ALL_RULES]: rankingRules };
}

/** The reverse of `dumpedSettings`. */
export function readSettings(given: Json): Json {
  const { [ALL_RULES]: all, ...settings } = given;
  return Array.isArray(all) ? { ...settings, rankingRules: all } : settings;
}
