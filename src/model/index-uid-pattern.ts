/** Index patterns of keys and tenant tokens: a uid, or a prefix followed by `*`. */
import { limits } from '../core/limits.ts';

/** As a regular expression. */
export const INDEX_UID_PATTERN = `^(\\*|[A-Za-z0-9_-]{1,${limits.indexUidBytesMax}}\\*?)$`;
const WELL_FORMED = new RegExp(INDEX_UID_PATTERN);

export const isIndexUidPattern = (text: string): boolean => WELL_FORMED.test(text);

export function matcherOf(patterns: readonly string[]): (indexUid: string) => boolean {
  const known = new Set(patterns);
  return (indexUid) => closestPattern(known, indexUid) !== undefined;
}

/**
 * The most specific matching pattern: the uid itself, else the longest; undefined without a match.
 * Takes a look-up for each character of the uid: a tenant token may bring thousands of patterns, and a
 * request thousands of uids.
 */
export function closestPattern(
  patterns: { has(pattern: string): boolean },
  indexUid: string,
): string | undefined {
  if (patterns.has(indexUid)) return indexUid;
  for (let length = Math.min(indexUid.length, limits.indexUidBytesMax); length >= 0; length--) {
    const pattern = `${indexUid.slice(0, length)}*`;
    if (patterns.has(pattern)) return pattern;
  }
  return undefined;
}
