/**
 * Permissions of a field in the settings: filtering, facets and facet search. The first matching
 * item decides (relevance.md 5.4).
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { isFieldOrBelow, isListed, patternMatches } from '../../model/attribute-pattern.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { FilterableRule, Settings } from '../../model/settings.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/** The settings of an index, and the fields that its documents have or had. */
export interface FieldSource extends Pick<IndexSnapshot, 'columns'> {
  readonly manifest: Pick<IndexManifest, 'settings' | 'seenFieldPaths'>;
}

type Features = FilterableRule['features'];

/** Permissions of an item given as a plain name. */
const ALL_FEATURES: Features = { facetSearch: true, filter: { equality: true, comparison: true } };

export interface MatchedRule {
  /** Index in `filterableAttributes`. */
  readonly index: number;
  readonly features: Features;
}

export const featuresOf = (item: string | FilterableRule): Features =>
  typeof item === 'string' ? ALL_FEATURES : item.features;

export const patternsOf = (item: string | FilterableRule): readonly string[] =>
  typeof item === 'string' ? [item] : item.attributePatterns;

/** A plain name covers the fields below it; the patterns of a rule match whole paths. */
export const itemMatches = (item: string | FilterableRule, path: string): boolean =>
  typeof item === 'string'
    ? isFieldOrBelow(path, item)
    : item.attributePatterns.some((pattern) => patternMatches(pattern, path));

/** The first item that matches `path`, or null. */
export function filterableRule(
  { filterableAttributes }: Settings,
  path: string,
): MatchedRule | null {
  const index = filterableAttributes.findIndex((item) => itemMatches(item, path));
  return index < 0 ? null : { index, features: featuresOf(filterableAttributes[index]!) };
}

export const allowsFilter = ({ filter }: Features): boolean => filter.equality || filter.comparison;

export const allowsFacetSearch = ({ facetSearch }: Features): boolean => facetSearch;

export function isFilterable(settings: Settings, path: string): boolean {
  const rule = filterableRule(settings, path);
  return rule !== null && allowsFilter(rule.features);
}

/** True for a field that a document has, or had since the index was cleared. */
export const hasHeldField = ({ columns, manifest }: FieldSource, path: string): boolean =>
  columns.some((files) => files.some((file) => file.column(path) !== null)) ||
  manifest.seenFieldPaths.includes(path);

/** Patterns of the items that allow the requested feature, in order. */
export const patternsAllowing = (
  { filterableAttributes }: Settings,
  allows: (features: Features) => boolean,
): string[] =>
  filterableAttributes.flatMap((item) => (allows(featuresOf(item)) ? patternsOf(item) : []));

/**
 * The end of an error message: the allowed patterns, without patterns of fields that are not
 * displayed.
 */
export function availablePatterns(
  settings: Settings,
  allows: (features: Features) => boolean,
): string {
  const patterns = patternsAllowing(settings, allows);
  if (patterns.length === 0) return 'This index does not have configured filterable attributes.';
  const shown = patterns.filter((pattern) => isListed(settings.displayedAttributes, pattern));
  const names = shown.map((pattern) => `\`${pattern}\``);
  if (shown.length < patterns.length) names.push('`<..hidden-attributes>`');
  return `Available filterable attributes patterns are: ${names.join(', ')}.`;
}

/** Names the item that matches the name but does not allow the feature; empty when none matches. */
export function refusingRule(settings: Settings, path: string): string {
  const rule = filterableRule(settings, path);
  return rule === null
    ? ''
    : ` It matches the rule ${rule.index} of \`filterableAttributes\`, which does not allow it.`;
}

interface Refusal {
  readonly code: ErrorCode;
  /** A sentence that names the field. */
  readonly problem: string;
}

export const fieldRefusal = (
  settings: Settings,
  path: string,
  { code, problem }: Refusal,
  allows = allowsFilter,
): ApiError =>
  new ApiError(
    code,
    `${problem}${refusingRule(settings, path)} ${availablePatterns(settings, allows)}`,
  );

/** @throws ApiError when filters may not use the field */
export function requireFilterable(settings: Settings, path: string, refusal: Refusal): void {
  if (!isFilterable(settings, path)) throw fieldRefusal(settings, path, refusal);
}
