/** Proximity of adjacent query words in documents (relevance.md 3.15). */
import { fieldOfOccurrence } from '../../engine/postings/occurrence-key.ts';
import { NEAR_MAX, nearness } from './bm25f.ts';
import type { DocumentNumbers } from './document-weights.ts';
import type { WordPlaces } from './word-places.ts';

/** Adds the score of a pair, at most `most`, to documents whose number is above 0. */
export function addNearness(
  both: Uint32Array,
  left: WordPlaces,
  right: WordPlaces,
  most: number,
  into: DocumentNumbers,
): void {
  left.sort();
  right.sort();
  let i = 0;
  let j = 0;
  for (let at = 0; at < both.length; at++) {
    const doc = both[at]!;
    i = firstOf(left, i, doc);
    j = firstOf(right, j, doc);
    const iEnd = firstOf(left, i, doc + 1);
    const jEnd = firstOf(right, j, doc + 1);
    const near = nearness(leastDistance(left.keys, i, iEnd, right.keys, j, jEnd));
    if (near > 0) into.raiseBy(doc, most * near);
    i = iEnd;
    j = jEnd;
  }
}

/** The first position, starting at `from`, whose document is not before `doc`. */
function firstOf({ docs, length }: WordPlaces, from: number, doc: number): number {
  let at = from;
  while (at < length && docs[at]! < doc) at++;
  return at;
}

/** Least distance of a word and its neighbour in one field, plus one in reversed order. */
function leastDistance(
  left: Uint32Array,
  leftFrom: number,
  leftEnd: number,
  right: Uint32Array,
  rightFrom: number,
  rightEnd: number,
): number {
  let least = NEAR_MAX + 1;
  for (let i = leftFrom, j = rightFrom; i < leftEnd; i++) {
    const key = left[i]!;
    while (j < rightEnd && right[j]! + NEAR_MAX <= key) j++;
    for (let at = j; at < rightEnd && right[at]! <= key + NEAR_MAX; at++) {
      const gap = right[at]! - key;
      if (gap === 0 || fieldOfOccurrence(right[at]!) !== fieldOfOccurrence(key)) continue;
      least = Math.min(least, gap > 0 ? gap : 1 - gap);
    }
  }
  return least;
}
