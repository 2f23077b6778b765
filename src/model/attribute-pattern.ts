/**
 * Attribute patterns of settings: `name`, `name*`, `*name`, `*name*`, `*`. A pattern that matches a
 * field covers the fields below it.
 */

/** True if the pattern matches `path` or a field above it; linear in their lengths. */
export function patternCovers(pattern: string, path: string): boolean {
  if (pattern.endsWith('*')) return patternMatches(pattern, path);
  if (!pattern.startsWith('*')) return isFieldOrBelow(path, pattern);
  return `${path}.`.includes(`${pattern.slice(1)}.`);
}

export function patternMatches(pattern: string, path: string): boolean {
  if (pattern === '*') return true;
  const open = pattern.startsWith('*');
  const inner = pattern.slice(open ? 1 : 0, pattern.endsWith('*') ? -1 : undefined);
  if (pattern.endsWith('*')) return open ? path.includes(inner) : path.startsWith(inner);
  return open ? path.endsWith(inner) : path === inner;
}

/** A test of paths by many patterns: those without a star take one look-up together. */
export function pathMatcher(patterns: Iterable<string>): (path: string) => boolean {
  const names = new Set(patterns);
  const open = [...names].filter((pattern) => pattern.includes('*'));
  return (path) => names.has(path) || open.some((pattern) => patternMatches(pattern, path));
}

/** True if any part of the field's chunks is found, by the setting `substringAttributes`. */
export const hasSubstrings = (
  { substringAttributes }: { readonly substringAttributes: readonly string[] },
  path: string,
): boolean => substringAttributes.some((pattern) => patternCovers(pattern, path));

/** True when one of the names is the field or lies above it, or is `*`. */
export const isListed = (names: readonly string[], path: string): boolean =>
  names.includes('*') || names.some((name) => isFieldOrBelow(path, name));

/** True when `path` is `field` or lies below it. */
export const isFieldOrBelow = (path: string, field: string): boolean =>
  path.startsWith(field) && (path.length === field.length || path[field.length] === '.');
