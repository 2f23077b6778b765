/**
 * Fields that an index has met, though no segment tells of them any more: facets show them without
 * values (relevance.md 5.7), whatever has become of their documents.
 */

/** More are as fields that no document ever had. */
const MET_PATHS_MAX = 1000;

/** @param dropped paths with columns in segments that went away */
export function withMetPaths(
  met: readonly string[],
  dropped: readonly string[],
): readonly string[] {
  const fresh = dropped.filter((path) => !met.includes(path));
  return fresh.length === 0 ? met : [...met, ...fresh].slice(0, MET_PATHS_MAX);
}
