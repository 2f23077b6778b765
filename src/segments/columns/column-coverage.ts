/** Which fields of documents get columns, by the index's settings, and how coverages relate. */
import { GEO_FIELD } from '../../engine/columns/geo-field.ts';
import { GEOJSON_FIELD } from '../../engine/columns/geo-json.ts';
import type { ColumnRules } from '../../engine/columns/path-tree.ts';
import { patternCovers } from '../../model/attribute-pattern.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import { BUILT_IN_RANKING_RULES, type Settings } from '../../model/settings.ts';

const isLiteral = (pattern: string): boolean => !pattern.startsWith('*') && !pattern.endsWith('*');

/**
 * Patterns of the fields whose values filters, sorting, facets, distinct or ranking may need;
 * sorted, none covered by another.
 */
export function columnPatterns(settings: Settings): string[] {
  const named = new Set([
    ...filterablePatterns(settings),
    ...settings.sortableAttributes,
    ...rankedFields(settings),
  ]);
  if (settings.distinctAttribute !== null) named.add(settings.distinctAttribute);
  const open = [...named].filter((pattern) => !isLiteral(pattern));
  return [...named].filter((pattern) => !isCoveredByOther(pattern, named, open)).sort();
}

/** @param open those of `named` that are not literal */
function isCoveredByOther(
  pattern: string,
  named: ReadonlySet<string>,
  open: readonly string[],
): boolean {
  if (open.some((other) => other !== pattern && covers(other, pattern))) return true;
  if (!isLiteral(pattern) || checkedGeoFields([pattern]).length > 0) return false;
  for (let dot = pattern.indexOf('.'); dot >= 0; dot = pattern.indexOf('.', dot + 1))
    if (named.has(pattern.slice(0, dot))) return true;
  return false;
}

function filterablePatterns({ filterableAttributes }: Settings): string[] {
  return filterableAttributes.flatMap((item) => {
    if (typeof item === 'string') return [item];
    const { facetSearch, filter } = item.features;
    return facetSearch || filter.equality || filter.comparison ? item.attributePatterns : [];
  });
}

function rankedFields({ rankingRules }: Settings): string[] {
  const builtIn: readonly string[] = BUILT_IN_RANKING_RULES;
  return rankingRules.flatMap((rule) =>
    builtIn.includes(rule) ? [] : [rule.slice(0, rule.lastIndexOf(':'))],
  );
}

/**
 * True when every path of `pattern`, and the points of `_geo`, are among those of `wider`. Errs on
 * the side of false.
 */
export function covers(wider: string, pattern: string): boolean {
  if (wider === pattern) return true;
  if (pattern === GEO_FIELD || pattern === GEOJSON_FIELD) return false;
  return isLiteral(pattern) ? patternCovers(wider, pattern) : wider === '*';
}

/** False when no path can belong to both. Errs on the side of true. */
export function overlap(a: string, b: string): boolean {
  if (a.startsWith('*') || b.startsWith('*')) return true;
  const [first, second] = [pathPrefix(a), pathPrefix(b)];
  return first.startsWith(second) || second.startsWith(first);
}

/**
 * What all paths of a pattern without a leading `*` begin with, the final dot of a literal one
 * standing for the end too.
 */
const pathPrefix = (pattern: string): string =>
  isLiteral(pattern) ? `${pattern}.` : pattern.slice(0, -1);

/** Which paths have a column when these patterns are covered. */
export function columnRules(patterns: readonly string[]): ColumnRules {
  const coversPath = (path: string) => patterns.some((pattern) => patternCovers(pattern, path));
  return {
    covers: coversPath,
    leadsTo: (path) =>
      coversPath(path) ||
      patterns.some(
        (pattern) => pattern.startsWith('*') || pathPrefix(pattern).startsWith(`${path}.`),
      ),
    hasGeo: patterns.includes(GEO_FIELD),
    hasShapes: patterns.includes(GEOJSON_FIELD),
  };
}

/** The fields among `_geo` and `_geojson` that must be well formed in documents. */
export const checkedGeoFields = (patterns: readonly string[]): string[] =>
  [GEO_FIELD, GEOJSON_FIELD].filter((field) => patterns.includes(field));

/** Its coverage: the attribute patterns whose fields have their columns in it. */
type ColumnsFile = SegmentFile<readonly string[]>;

export interface ColumnsPlan {
  /** Files that stay. */
  readonly kept: readonly ColumnsFile[];
  /** Patterns to build one more file for; none of their paths is in a kept file. */
  readonly build: readonly string[];
}

/**
 * What a segment with these files needs for a coverage. Files that nothing needs go; where a new
 * pattern overlaps a file's patterns, that file is built anew with it, so that each path stays in
 * one file.
 */
export function planColumns(files: readonly ColumnsFile[], needed: readonly string[]): ColumnsPlan {
  const isCovered = (pattern: string, by: readonly ColumnsFile[]) =>
    by.some(({ covers: patterns }) => patterns.some((wider) => covers(wider, pattern)));
  const missing = needed.filter((pattern) => !isCovered(pattern, files));
  const kept = files.filter(
    ({ covers: patterns }) =>
      patterns.some((pattern) => needed.some((other) => overlap(pattern, other))) &&
      !patterns.some((pattern) => missing.some((other) => overlap(pattern, other))),
  );
  return { kept, build: needed.filter((pattern) => !isCovered(pattern, kept)) };
}
