/** Search rules in dumps: documents of an internal index, with its settings. */
import { isObject, type Json, objectOf } from '../../core/json.ts';
import type { SearchRule } from '../../model/search-rule.ts';

/** Other servers find the rules of a search by these settings and by `nbConstraints`. */
export const RULE_INDEX_SETTINGS = {
  searchableAttributes: ['conditions.query.words', 'description'],
  filterableAttributes: [
    filterable('active', false),
    filterable('conditions.time.start', true),
    filterable('conditions.time.end', true),
    filterable('conditions.query.isEmpty', false),
    filterable('conditions.filter.values.*', true),
    filterable('conditions.filter.nbConstraints', true),
  ],
  sortableAttributes: ['lastUpdatedAt', 'precedence'],
  proximityPrecision: 'byAttribute',
  typoTolerance: { enabled: false, disableOnNumbers: true },
  facetSearch: false,
  prefixSearch: 'disabled',
};

function filterable(attribute: string, comparison: boolean): Json {
  const filter = { equality: true, comparison };
  return { attributePatterns: [attribute], features: { facetSearch: false, filter } };
}

/** Member with all actions, where `actions` lacks some for other servers. */
const ALL_ACTIONS = 'allActions';

/**
 * A rule, or a change of one. Other servers ignore members that they lack, but refuse tasks with the
 * action `hide`, and list no rule while one has it.
 */
export function dumpedActions(rule: Json): Json {
  const { actions } = rule;
  if (!Array.isArray(actions)) return rule;
  const known = actions.filter(({ action }) => action?.type !== 'hide');
  return known.length === actions.length
    ? rule
    : { ...rule, actions: known, [ALL_ACTIONS]: actions };
}

/** The reverse of `dumpedActions`. */
export function readActions(dumped: Json): Json {
  const { [ALL_ACTIONS]: all, ...rule } = dumped;
  return Array.isArray(all) ? { ...rule, actions: all } : rule;
}

/** The rule as a document; its filter also has the number of its values. */
export function dumpedRule(stored: SearchRule): Json {
  const rule = dumpedActions({ ...stored });
  const { filter } = stored.conditions;
  if (filter === undefined) return rule;
  const nbConstraints = Object.values(filter.values).flat().length;
  return { ...rule, conditions: { ...stored.conditions, filter: { ...filter, nbConstraints } } };
}

/** The members of a rule; they are checked by the import. */
export function readRule(document: Json): Json {
  const dumped = readActions(document);
  const conditions = objectOf(dumped['conditions']);
  if (!isObject(conditions['filter'])) return dumped;
  const { nbConstraints: _, ...filter } = conditions['filter'];
  return { ...dumped, conditions: { ...conditions, filter } };
}
