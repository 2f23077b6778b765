/** Settings in a dump. */
import type { Json } from '../../core/json.ts';
import { isAddedRankingRule } from '../../model/settings.ts';
import { dumpedList, type ExtendedList, readList } from './whole-list.ts';

const RANKING_RULES: ExtendedList = {
  name: 'rankingRules',
  wholeName: 'allRankingRules',
  isAdded: isAddedRankingRule,
};

export const dumpedSettings = (settings: Json): Json => dumpedList(settings, RANKING_RULES);

/** The reverse of `dumpedSettings`. */
export const readSettings = (given: Json): Json => readList(given, RANKING_RULES);
