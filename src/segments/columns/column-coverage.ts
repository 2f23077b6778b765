/** Which document fields get columns, from the index's settings, and how coverages compare. */
import { GEO_FIELD } from '../../engine/columns/geo-field.ts';
import { GEOJSON_FIELD } from '../../engine/columns/geo-json.ts';
import type { ColumnRules } from '../../engine/columns/path-tree.ts';
import { patternCovers } from '../../model/attribute-pattern.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import { BUILT_IN_RANKING_RULES, type Settings } from '../../model/settings.ts';

const isLiteral = (pattern: string): boolean => !pattern.startsWith('*') && !pattern.endsWith('*');

/**
 * Patterns of the fields whose values filters, sorting, facets, distinct or ranking may use;
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

/** @param open non-literal patterns of `named` */
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

/** False only if no path matches both patterns. Errs on the side of true. */
export function overlap(a: string, b: string): boolean {
  if (a.startsWith('*') || b.startsWith('*')) return true;
  const [first, second] = [pathPrefix(a), pathPrefix(b)];
  return first.startsWith(second) || second.startsWith(first);
}

/**
 * Common prefix of all paths of a pattern without a leading `*`. A literal pattern ends with a dot,
 * which also stands for the end of the path.
 */
const pathPrefix = (pattern: string): string =>
  isLiteral(pattern) ? `${pattern}.` : pattern.slice(0, -1);

/** Which paths have a column under these patterns. */
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

/** The fields among `_geo` and `_geojson` that must be valid in documents. */
export const checkedGeoFields = (patterns: readonly string[]): string[] =>
  [GEO_FIELD, GEOJSON_FIELD].filter((field) => patterns.includes(field));

/** A columns file; its coverage is the list of attribute patterns of its fields. */
type ColumnsFile = SegmentFile<readonly string[]>;

export interface ColumnsPlan {
  /** Files that are kept. */
  readonly kept: readonly ColumnsFile[];
  /** Patterns of one more file to build; none of their paths is in a kept file. */
  readonly build: readonly string[];
}

/**
 * Plans the files that a segment needs for a coverage. Files that are no longer needed are removed.
 * A file whose patterns overlap a new pattern is rebuilt with it, so that each path is in one file.
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
