/** Where words of the query stand near their neighbours in documents (relevance.md 3.15). */
import { fieldOfOccurrence } from '../../engine/postings/occurrence-key.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { NEAR_MAX, nearness } from './bm25f.ts';
import type { Among, DocumentNumbers } from './document-weights.ts';
import type { QueryUnit, UnitPair } from './query-units.ts';

/** Places of a word in documents: ascending by document, then by occurrence key. */
interface Places {
  readonly docs: Uint32Array;
  readonly keys: Uint32Array;
}

const KEYS = 2 ** 32;

/** Adds what the pair gives to documents, which have a number above 0. */
export function addNearness(
  snapshot: IndexSnapshot,
  { left, right, most }: UnitPair,
  among: Among,
  into: DocumentNumbers,
): void {
  const places = readPlaces(snapshot, left, among);
  addPair(places, readPlaces(snapshot, right, among), most, into);
}

function readPlaces(snapshot: IndexSnapshot, { typed }: QueryUnit, among: Among): Places {
  const found: number[] = [];
  for (let s = 0; s < snapshot.segments.length; s++) readSegment(snapshot, s, typed, among, found);
  const places = Float64Array.from(found);
  if (places.some((place, i) => i > 0 && place < places[i - 1]!)) places.sort();
  const docs = new Uint32Array(places.length);
  const keys = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) {
    docs[i] = Math.floor(places[i]! / KEYS);
    keys[i] = places[i]! - docs[i]! * KEYS;
  }
  return { docs, keys };
}

/** Appends document and key of each occurrence as one number. */
function readSegment(
  { segments, dead }: IndexSnapshot,
  s: number,
  { words, ranges, scope }: QueryUnit['typed'],
  among: Among,
  found: number[],
): void {
  const { occurrences } = SCRATCH;
  const { fieldMap } = scope[s]!;
  const { bits, listed } = among;
  const segment = segments[s]!;
  occurrences.length = 0;
  for (const { ordinals } of words) {
    if (ordinals[s]! >= 0)
      segment.readOccurrences(ordinals[s]!, bits, fieldMap, occurrences, listed);
  }
  const [lo = 0, hi = 0] = ranges?.bounds.subarray(2 * s) ?? [];
  if (lo < hi) segment.readRangeOccurrences(lo, hi, bits, fieldMap, occurrences);
  const gone = dead[s]!;
  for (let i = 0; i < occurrences.length; i++) {
    const doc = occurrences.docs[i]!;
    if (gone === null || !hasBit(gone, doc)) found.push(doc * KEYS + occurrences.keys[i]!);
  }
}

function addPair(left: Places, right: Places, most: number, into: DocumentNumbers): void {
  const [a, b] = [left.docs, right.docs];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const doc = a[i]!;
    if (doc < b[j]!) i++;
    else if (doc > b[j]!) j++;
    else {
      const iEnd = endOf(a, i);
      const jEnd = endOf(b, j);
      const near = nearness(leastDistance(left.keys, i, iEnd, right.keys, j, jEnd));
      if (near > 0) into.raiseBy(doc, most * near);
      i = iEnd;
      j = jEnd;
    }
  }
}

function endOf(docs: Uint32Array, from: number): number {
  let end = from + 1;
  while (end < docs.length && docs[end] === docs[from]) end++;
  return end;
}

/** Between a word and its neighbour in one field; one more where they stand the other way round. */
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
