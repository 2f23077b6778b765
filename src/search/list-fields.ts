/** The fields of an index and their settings, as finished JSON bytes. */
import { compareCodePoints } from '../core/compare-text.ts';
import { encodeUtf8 } from '../engine/bytes/utf8.ts';
import { isFieldOrBelow, isListed, pathMatcher } from '../model/attribute-pattern.ts';
import { VECTORS_FIELD } from '../model/embedders/embedder-settings.ts';
import { FIELD_TRAITS, type FieldDescription, type FieldListRequest } from '../model/field-list.ts';
import { localesOfPath } from '../model/localized-attributes.ts';
import type { Settings } from '../model/settings.ts';
import { customRuleCriterion } from '../model/sort-criterion.ts';
import { isReserved } from '../segments/documents/text-rules.ts';
import { allowsFilter, filterableRule } from './filter/filterable-fields.ts';
import { fieldNames } from './snapshot/field-names.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { facetOrder } from './values/facet-distribution.ts';

function filterability(settings: Settings, path: string): FieldDescription['filterable'] {
  const features = path === VECTORS_FIELD ? undefined : filterableRule(settings, path)?.features;
  const facetSearch = features?.facetSearch ?? false;
  return {
    enabled: facetSearch || (features !== undefined && allowsFilter(features)),
    sortBy: path === VECTORS_FIELD ? 'alpha' : facetOrder(settings, path),
    facetSearch,
    equality: features?.filter.equality ?? false,
    comparison: features?.filter.comparison ?? false,
  };
}

function rankingRule(rules: readonly string[], path: string): FieldDescription['rankingRule'] {
  for (const rule of rules) {
    const criterion = customRuleCriterion(rule);
    if (criterion?.kind === 'field' && criterion.path === path)
      return { enabled: true, order: criterion.direction };
  }
  return { enabled: false };
}

export const describeField = (settings: Settings, name: string): FieldDescription => ({
  name,
  displayed: { enabled: isListed(settings.displayedAttributes, name) },
  searchable: { enabled: !isReserved(name) && isListed(settings.searchableAttributes, name) },
  sortable: { enabled: settings.sortableAttributes.some((path) => isFieldOrBelow(name, path)) },
  distinct: { enabled: settings.distinctAttribute === name },
  rankingRule: rankingRule(settings.rankingRules, name),
  filterable: filterability(settings, name),
  localized: { locales: localesOfPath(settings, name) ?? [] },
});

/** A trait that is absent from the filter is not checked. */
const hasTraits = (field: FieldDescription, filter: FieldListRequest['filter']): boolean =>
  FIELD_TRAITS.every((trait) => (filter[trait] ?? field[trait].enabled) === field[trait].enabled);

/** `{results, offset, limit, total}`. @param check called for each field; may throw */
export function listFields(
  snapshot: IndexSnapshot,
  { offset, limit, filter }: FieldListRequest,
  check: () => void,
): Uint8Array {
  const { settings } = snapshot.manifest;
  const isNamed = pathMatcher(filter.attributePatterns ?? ['*']);
  const fields: FieldDescription[] = [];
  for (const name of [...fieldNames(snapshot)].sort(compareCodePoints)) {
    check();
    if (!isNamed(name)) continue;
    const field = describeField(settings, name);
    if (hasTraits(field, filter)) fields.push(field);
  }
  const results = fields.slice(offset, offset + limit);
  return encodeUtf8(JSON.stringify({ results, offset, limit, total: fields.length }));
}
