/**
 * Fields of an index that no segment contains any more: facets show them without values
 * (relevance.md 5.7).
 */

/** Paths beyond this number are forgotten. */
const MET_PATHS_MAX = 1000;

/** @param dropped paths with columns in removed segments */
export function withMetPaths(
  met: readonly string[],
  dropped: readonly string[],
): readonly string[] {
  const fresh = dropped.filter((path) => !met.includes(path));
  return fresh.length === 0 ? met : [...met, ...fresh].slice(0, MET_PATHS_MAX);
}
