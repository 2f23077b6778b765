/** Search rules in dumps: documents of an internal index, with its settings. */
import { isObject, type Json, objectOf } from '../../core/json.ts';
import type { SearchRule } from '../../model/search-rule.ts';
import { dumpedList, type ExtendedList, readList } from './whole-list.ts';

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

/** Tasks with the action `hide` are refused, and no rule is listed while one has it. */
const ACTIONS: ExtendedList = {
  name: 'actions',
  wholeName: 'allActions',
  isAdded: (value) => objectOf(objectOf(value)['action'])['type'] === 'hide',
};

/** @param rule or a change of one */
export const dumpedActions = (rule: Json): Json => dumpedList(rule, ACTIONS);

/** The reverse of `dumpedActions`. */
export const readActions = (dumped: Json): Json => readList(dumped, ACTIONS);

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
