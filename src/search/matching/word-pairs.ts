/**
 * Documents in which one word is followed by another: as lists of joined words have them, or from
 * the occurrences of both.
 */
import { fieldOfOccurrence, positionOfOccurrence } from '../../engine/postings/occurrence-key.ts';
import type { OccurrenceBuffer } from '../../engine/segment/segment.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { lowerBound } from '../../engine/sets/sorted.ts';
import type { Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/** Longest product of occurrences of two words in one document that is compared pair by pair. */
const NESTED_PAIRS_MAX = 256;

/** Positions of a field. */
const POSITIONS = 0x10000;

const encoder = new TextEncoder();

/**
 * By segment the number of two words that are listed there with the documents that hold them side by
 * side, or −1 where these have to be found by occurrences.
 */
export type ListedPairs = Int32Array;

export function listedPairs(snapshot: IndexSnapshot, left: Word, right: Word): ListedPairs {
  const { segments, everywhere } = snapshot;
  const joinedText = encoder.encode(left.text + right.text);
  return Int32Array.from(segments, ({ joined, terms }, s) => {
    // Lists have neighbours of all fields, also of those that are not searchable.
    if (joined === null || everywhere[s]!.outside !== 0) return -1;
    const pair = joined.pair(left.ordinals[s]!, right.ordinals[s]!);
    return pair >= 0 && terms.find(joinedText) >= 0 ? pair : -1;
  });
}

export const unlistedPairs = ({ segments }: IndexSnapshot): ListedPairs =>
  new Int32Array(segments.length).fill(-1);

/** The segments that hold both words and do not list them. */
export const unlistedSegments = (left: Word, right: Word, pairs: ListedPairs): number[] =>
  [...pairs.keys()].filter(
    (s) => pairs[s]! < 0 && left.ordinals[s]! >= 0 && right.ordinals[s]! >= 0,
  );

/** Adds the living documents of the lists. */
export function addListed(
  { segments, dead }: IndexSnapshot,
  pairs: ListedPairs,
  found: number[],
): void {
  pairs.forEach((pair, s) => {
    if (pair < 0) return;
    const docs = segments[s]!.joined!.documents(pair);
    for (let i = 0; i < docs.length; i++)
      if (!(dead[s] && hasBit(dead[s], docs[i]!))) found.push(docs[i]!);
  });
}

/** Upper bound of the documents that hold two words side by side. */
export function neighbourBound(
  { segments }: IndexSnapshot,
  [left, right]: readonly [Word, Word],
  pairs: ListedPairs,
): number {
  return segments.reduce((sum, segment, s) => {
    if (pairs[s]! >= 0) return sum + segment.joined!.count(pairs[s]!);
    const a = left.ordinals[s]!;
    const b = right.ordinals[s]!;
    if (a < 0 || b < 0) return sum;
    return sum + Math.min(segment.documentFrequency(a), segment.documentFrequency(b));
  }, 0);
}

/**
 * Adds documents where an occurrence of `a` precedes one of `b` by at most `distance`; 0 requires
 * one common field only.
 */
export function collectPairs(
  a: OccurrenceBuffer,
  b: OccurrenceBuffer,
  distance: number,
  found: number[],
): void {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const doc = a.docs[i]!;
    if (doc < b.docs[j]!) i++;
    else if (doc > b.docs[j]!) j++;
    else {
      const aEnd = endOfDocument(a, i);
      const bEnd = endOfDocument(b, j);
      if (hasPair(a.keys, i, aEnd, b.keys, j, bEnd, distance)) found.push(doc);
      i = aEnd;
      j = bEnd;
    }
  }
}

function endOfDocument({ docs, length }: OccurrenceBuffer, from: number): number {
  let end = from + 1;
  while (end < length && docs[end] === docs[from]) end++;
  return end;
}

function hasPair(
  a: Uint32Array,
  aFrom: number,
  aEnd: number,
  b: Uint32Array,
  bFrom: number,
  bEnd: number,
  distance: number,
): boolean {
  if ((aEnd - aFrom) * (bEnd - bFrom) > NESTED_PAIRS_MAX)
    return hasPairSorted(a.slice(aFrom, aEnd).sort(), b, bFrom, bEnd, distance);
  for (let j = bFrom; j < bEnd; j++) {
    const key = b[j]!;
    for (let i = aFrom; i < aEnd; i++) {
      if (fieldOfOccurrence(a[i]!) !== fieldOfOccurrence(key)) continue;
      const gap = key - a[i]!;
      if (distance === 0 || (gap >= 1 && gap <= distance)) return true;
    }
  }
  return false;
}

/** The same for many occurrences of `a`, which ascend. */
function hasPairSorted(
  a: Uint32Array,
  b: Uint32Array,
  bFrom: number,
  bEnd: number,
  distance: number,
): boolean {
  for (let j = bFrom; j < bEnd; j++) {
    const key = b[j]!;
    const fieldStart = key - positionOfOccurrence(key);
    const least = distance === 0 ? fieldStart : Math.max(fieldStart, key - distance);
    const end = distance === 0 ? fieldStart + POSITIONS : key;
    if ((a[lowerBound(a, least)] ?? end) < end) return true;
  }
  return false;
}
