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

/** The rule as a document; its filter also has the number of its values. */
export function dumpedRule(stored: SearchRule): Json {
  const { filter } = stored.conditions;
  if (filter === undefined) return { ...stored };
  const nbConstraints = Object.values(filter.values).flat().length;
  return { ...stored, conditions: { ...stored.conditions, filter: { ...filter, nbConstraints } } };
}

/** The members of a rule; they are checked by the import. */
export function readRule(dumped: Json): Json {
  const conditions = objectOf(dumped['conditions']);
  if (!isObject(conditions['filter'])) return dumped;
  const { nbConstraints: _, ...filter } = conditions['filter'];
  return { ...dumped, conditions: { ...conditions, filter } };
}
