/** Index patterns of keys and tenant tokens: a uid, or a prefix followed by `*`. */
import { limits } from '../core/limits.ts';

/** As a regular expression. */
export const INDEX_UID_PATTERN = `^(\\*|[A-Za-z0-9_-]{1,${limits.indexUidBytesMax}}\\*?)$`;
const WELL_FORMED = new RegExp(INDEX_UID_PATTERN);

export const isIndexUidPattern = (text: string): boolean => WELL_FORMED.test(text);

const isPrefix = (pattern: string): boolean => pattern.endsWith('*');

export function matcherOf(patterns: readonly string[]): (indexUid: string) => boolean {
  const uids = new Set(patterns.filter((pattern) => !isPrefix(pattern)));
  const prefixes = patterns.filter(isPrefix).map((pattern) => pattern.slice(0, -1));
  return (indexUid) => uids.has(indexUid) || prefixes.some((prefix) => indexUid.startsWith(prefix));
}

/**
 * The most specific matching pattern: the uid itself, else the longest; undefined without a match.
 */
export function closestPattern(
  patterns: ReadonlyMap<string, unknown>,
  indexUid: string,
): string | undefined {
  if (patterns.has(indexUid)) return indexUid;
  let closest: string | undefined;
  for (const pattern of patterns.keys()) {
    if (!isPrefix(pattern) || !indexUid.startsWith(pattern.slice(0, -1))) continue;
    if (closest === undefined || pattern.length > closest.length) closest = pattern;
  }
  return closest;
}
