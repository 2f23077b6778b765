/**
 * The fields that the `facets` of a request select, and the errors for facets that are not allowed
 * (relevance.md 5.7).
 */
import { compareCodePoints } from '../../core/compare-text.ts';
import { ApiError } from '../../core/errors.ts';
import { GEOJSON_FIELD } from '../../engine/columns/geo-json.ts';
import { isFieldOrBelow, pathMatcher, patternMatches } from '../../model/attribute-pattern.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { Settings } from '../../model/settings.ts';
import {
  allowsFilter,
  availablePatterns,
  featuresOf,
  isFilterable,
  itemMatches,
  patternsOf,
  refusingRule,
} from '../filter/filterable-fields.ts';
import { hasParent } from '../snapshot/field-names.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/**
 * Paths of the selected fields that documents have, always with the primary key, in byte order.
 * @throws ApiError `invalid_search_facets`
 */
export function selectFacets(
  { manifest, columns }: IndexSnapshot,
  facets: readonly string[],
): string[] {
  const { settings } = manifest;
  checkFacets(settings, facets);
  const known = new Set(manifest.seenFieldPaths);
  if (manifest.primaryKey !== null) known.add(manifest.primaryKey);
  for (const files of columns)
    for (const { paths } of files) for (const path of paths) known.add(path);
  const names = new Set(facets);
  const isSelected = pathMatcher(names);
  const selected = new Set(
    [...names, ...known].filter((path) => isSelected(path) && isFilterable(settings, path)),
  );
  const isBelow = (path: string): boolean =>
    hasParent(selected, path) && isFilterable(settings, path);
  return [...known]
    .filter((path) => (selected.has(path) || isBelow(path)) && !isWithoutFacets(path))
    .sort(compareCodePoints);
}

/** Vectors, and the parts of a shape. */
const isWithoutFacets = (path: string): boolean =>
  isFieldOrBelow(path, VECTORS_FIELD) || path.startsWith(`${GEOJSON_FIELD}.`);

/** Maximum number of invalid names in an error message. */
const WRONG_SHOWN_MAX = 20;

function checkFacets(settings: Settings, facets: readonly string[]): void {
  const wrong: string[] = [];
  for (const facet of new Set(facets)) {
    if (!mayBeFacet(settings, facet)) wrong.push(facet);
    if (wrong.length === WRONG_SHOWN_MAX) break;
  }
  if (wrong.length === 0) return;
  const names = wrong.map((facet) => `\`${facet}\``).join(', ');
  const refusals = wrong.map((facet) => refusingRule(settings, facet)).join('');
  throw new ApiError(
    'invalid_search_facets',
    `\`facets\` names what is not filterable: ${names}.${refusals} ${availablePatterns(settings, allowsFilter)}`,
  );
}

/** The first item that matches the name, or that allows filters and has a field in common with it. */
function mayBeFacet({ filterableAttributes }: Settings, facet: string): boolean {
  for (const item of filterableAttributes) {
    const isAllowed = allowsFilter(featuresOf(item));
    if (itemMatches(item, facet)) return isAllowed;
    // A `*` in a plain name is no pattern: it stands for itself.
    const isName = typeof item === 'string';
    const overlaps = (pattern: string) =>
      covers(facet, pattern) || (!isName && covers(pattern, facet));
    if (isAllowed && patternsOf(item).some(overlaps)) return true;
  }
  return false;
}

/** True when a pattern matches another one as a text, or names a field above it. */
const covers = (pattern: string, other: string): boolean =>
  patternMatches(pattern, other) || isFieldOrBelow(other, pattern);
