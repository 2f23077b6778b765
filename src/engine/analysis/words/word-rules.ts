/** Limits and distances of indexed words (relevance.md 0, 1.3). */
import { limits } from '../../../core/limits.ts';

/** Longer lemmas take a position but are not indexed. */
export const WORD_BYTES_MAX = limits.wordBytesMax;
/** Words at greater positions are not indexed. */
export const POSITION_MAX = limits.fieldPositionMax;
/** Step of the position across a hard separator. */
export const HARD_GAP = 8;

/** White space for the trimming of lemmas. */
function isWhiteSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 9 && unit <= 13);
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  if (unit === 0x1680 || (unit >= 0x2000 && unit <= 0x200a)) return true;
  return (
    unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000
  );
}

/** The lemma as it is indexed. */
export function trimLemma(lemma: string): string {
  let start = 0;
  let end = lemma.length;
  while (start < end && isWhiteSpace(lemma.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(lemma.charCodeAt(end - 1))) end--;
  return start === 0 && end === lemma.length ? lemma : lemma.slice(start, end);
}
