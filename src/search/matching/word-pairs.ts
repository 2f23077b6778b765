/**
 * Documents in which one word is followed by another: from lists of frequent pairs or joined words, or
 * from the occurrences of both.
 */

import { sumOf } from '../../core/sum.ts';
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import { positionOfOccurrence } from '../../engine/postings/occurrence-key.ts';
import { listOf } from '../../engine/segment/frequent-pairs.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { hasBit, setBit } from '../../engine/sets/bitset.ts';
import { lowerBoundIn } from '../../engine/sets/sorted.ts';
import { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

/** Positions of a field. */
const POSITIONS = 0x10000;

const encoder = new TextEncoder();

/** Lists of a segment with the documents of two words. */
interface SegmentPair {
  readonly count: number;
  /** Each call reads a list into scratch space that the next call overwrites. */
  readonly lists: readonly (() => Uint32Array)[];
}

/** By segment; null where the documents have to be found by occurrences. */
export type ListedPairs = readonly (SegmentPair | null)[];

/** Lists of documents in which `left` stands at most `distance` positions before `right`. */
export function listedPairs(
  { segments, everywhere }: IndexSnapshot,
  left: Word,
  right: Word,
  distance: 1 | 2,
): ListedPairs {
  const joinedText = encoder.encode(left.text + right.text);
  return segments.map((segment, s) => {
    const [a, b] = [left.ordinals[s]!, right.ordinals[s]!];
    // Lists have neighbours of all fields, searchable or not.
    if (a < 0 || b < 0 || everywhere[s]!.outside !== 0) return null;
    return frequentPair(segment, a, b, distance) ?? joinedPair(segment, a, b, distance, joinedText);
  });
}

function frequentPair(
  { frequentPairs }: SegmentReader,
  left: number,
  right: number,
  distance: 1 | 2,
): SegmentPair | null {
  const pair = frequentPairs?.pair(left, right) ?? -1;
  if (frequentPairs === null || pair < 0) return null;
  const distances = [1, 2].slice(0, distance);
  return {
    count: sumOf(distances.map((each) => frequentPairs.count(listOf(pair, each)))),
    lists: distances.map((each) => () => frequentPairs.documents(listOf(pair, each))),
  };
}

function joinedPair(
  { joined, terms }: SegmentReader,
  left: number,
  right: number,
  distance: 1 | 2,
  joinedText: Uint8Array,
): SegmentPair | null {
  const pair = distance === 1 ? (joined?.pair(left, right) ?? -1) : -1;
  if (joined === null || pair < 0 || terms.find(joinedText) < 0) return null;
  return { count: joined.count(pair), lists: [() => joined.documents(pair)] };
}

export const unlistedPairs = ({ segments }: IndexSnapshot): ListedPairs => segments.map(() => null);

/** The segments that hold both words and do not list them. */
export const unlistedSegments = (left: Word, right: Word, pairs: ListedPairs): number[] =>
  [...pairs.keys()].filter(
    (s) => pairs[s] === null && left.ordinals[s]! >= 0 && right.ordinals[s]! >= 0,
  );

/** The living documents of the lists. */
export function listedDocuments({ dead, bitsetLength }: IndexSnapshot, pairs: ListedPairs): DocSet {
  const bits = TYPED_ARRAY_POOL.zeros(bitsetLength);
  pairs.forEach((pair, s) => {
    for (const list of pair?.lists ?? []) {
      const docs = list();
      for (let i = 0; i < docs.length; i++)
        if (!(dead[s] && hasBit(dead[s], docs[i]!))) setBit(bits, docs[i]!);
    }
  });
  return DocSet.fromBits(bits);
}

/** Upper bound of the documents that hold two words side by side. */
export function neighbourBound(
  { segments }: IndexSnapshot,
  [left, right]: readonly [Word, Word],
  pairs: ListedPairs,
): number {
  return segments.reduce((sum, segment, s) => {
    const listed = pairs[s];
    if (listed) return sum + listed.count;
    const a = left.ordinals[s]!;
    const b = right.ordinals[s]!;
    if (a < 0 || b < 0) return sum;
    return (
      sum + Math.min(segment.postings.documentFrequency(a), segment.postings.documentFrequency(b))
    );
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

/** Sorts the occurrences of the document: with several fields they may be out of order. */
function endOfDocument({ docs, keys, length }: OccurrenceBuffer, from: number): number {
  let end = from + 1;
  let isAscending = true;
  for (; end < length && docs[end] === docs[from]; end++)
    if (keys[end]! < keys[end - 1]!) isAscending = false;
  if (!isAscending) keys.subarray(from, end).sort();
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
  for (let j = bFrom; j < bEnd; j++) {
    const key = b[j]!;
    const fieldStart = key - positionOfOccurrence(key);
    const least = distance === 0 ? fieldStart : Math.max(fieldStart, key - distance);
    const end = distance === 0 ? fieldStart + POSITIONS : key;
    const at = lowerBoundIn(a, least, aFrom, aEnd);
    if (at < aEnd && a[at]! < end) return true;
  }
  return false;
}
