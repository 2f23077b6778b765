/**
 * Beginnings of words that very many documents hold, as segments have digests of them: what people
 * who begin to type ask first, and what takes longest while nothing is kept of it.
 */
import { encodeUtf8 } from '../engine/bytes/utf8.ts';
import type { SegmentReader } from '../engine/segment/segment.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';

/** Longest beginnings of terms that have digests, in characters. */
const CHARACTERS_MAX = 3;

/** Single characters first, then longer ones; in each case those with most documents first. */
export function frequentBeginnings({ segments }: Pick<IndexSnapshot, 'segments'>): string[] {
  const documents = new Map<string, number>();
  for (const segment of segments)
    for (const { lo, hi, documentCount } of segment.digestedRanges())
      for (const beginning of beginningsOf(segment, lo, hi))
        documents.set(beginning, (documents.get(beginning) ?? 0) + documentCount);
  const isLonger = (text: string): number => Number([...text].length > 1);
  return [...documents]
    .sort(([a, m], [b, n]) => isLonger(a) - isLonger(b) || n - m || (a < b ? -1 : 1))
    .map(([beginning]) => beginning);
}

/** Those that exactly the terms `[lo, hi)` of the segment have. */
function beginningsOf({ terms }: SegmentReader, lo: number, hi: number): string[] {
  const characters = [...terms.text(lo)].slice(0, CHARACTERS_MAX);
  return characters
    .map((_, i) => characters.slice(0, i + 1).join(''))
    .filter((beginning) => {
      const range = terms.prefixRange(encodeUtf8(beginning));
      return range.lo === lo && range.hi === hi;
    });
}
