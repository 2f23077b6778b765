/** The fields of an index and their settings, as finished JSON bytes. */
import { compareCodePoints } from '../core/compare-text.ts';
import { encodeUtf8 } from '../engine/bytes/utf8.ts';
import { GEO_FIELD } from '../engine/columns/geo-field.ts';
import { isFieldOrBelow, patternMatches } from '../model/attribute-pattern.ts';
import { VECTORS_FIELD } from '../model/embedders/embedder-settings.ts';
import { FIELD_TRAITS, type FieldDescription, type FieldListRequest } from '../model/field-list.ts';
import { localesOfPath } from '../model/localized-attributes.ts';
import type { Settings } from '../model/settings.ts';
import { customRuleCriterion } from '../model/sort-criterion.ts';
import { isReserved } from '../segments/documents/text-rules.ts';
import { allowsFilter, filterableRule } from './filter/filterable-fields.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { facetOrder } from './values/facet-distribution.ts';

/**
 * Members of documents, and below them the searchable paths, the paths with a column and the
 * objects on the way to these; ascending. `_vectors` stands for all of its paths.
 */
export function fieldNames({ segments, columns, vectors }: IndexSnapshot): string[] {
  const members = new Set(segments.flatMap(({ shapes }) => shapes.flat()));
  const paths = [
    ...segments.flatMap(({ fields }) => [...fields]),
    ...columns.flat().flatMap((column) => [...column.paths]),
    ...(members.has(GEO_FIELD) ? [`${GEO_FIELD}.lat`, `${GEO_FIELD}.lng`] : []),
  ];
  const names = new Set(members);
  for (const path of paths)
    for (let at = path; at !== '' && !names.has(at); at = parentOf(at)) names.add(at);
  const hasVectors = vectors.some((files) => files.size > 0);
  const shown = [...names].filter((name) => !isFieldOrBelow(name, VECTORS_FIELD));
  if (hasVectors || members.has(VECTORS_FIELD)) shown.push(VECTORS_FIELD);
  return shown.sort(compareCodePoints);
}

/** '' for a path without a parent. */
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/** A name, or `*` for all, covers the fields below it. */
const isListed = (names: readonly string[], path: string): boolean =>
  names.includes('*') || names.some((name) => isFieldOrBelow(path, name));

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
export function isAskedFor(field: FieldDescription, filter: FieldListRequest['filter']): boolean {
  const patterns = filter.attributePatterns ?? null;
  if (patterns !== null && !patterns.some((pattern) => patternMatches(pattern, field.name)))
    return false;
  return FIELD_TRAITS.every(
    (trait) => (filter[trait] ?? field[trait].enabled) === field[trait].enabled,
  );
}

/** `{results, offset, limit, total}`. */
export function listFields(
  snapshot: IndexSnapshot,
  { offset, limit, filter }: FieldListRequest,
): Uint8Array {
  const { settings } = snapshot.manifest;
  const fields = fieldNames(snapshot)
    .map((name) => describeField(settings, name))
    .filter((field) => isAskedFor(field, filter));
  const results = fields.slice(offset, offset + limit);
  return encodeUtf8(JSON.stringify({ results, offset, limit, total: fields.length }));
}
