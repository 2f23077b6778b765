/**
 * Scans documents of a segment for some terms. One scan runs at a time in a thread: the terms and
 * their marks are shared.
 */
import { ForwardScan, newWantedMarks, PAIR_COSTS } from '../../engine/segment/forward-scan.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import { WantedTerms } from '../../engine/segment/wanted-terms.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { TermsOfClass } from './node-terms.ts';
import { CLASS_COUNT } from './occurrence-records.ts';
import { areWordsLess } from './read-terms.ts';

const WANTED = new WantedTerms();
export const MARKS = newWantedMarks();
export const SCAN = new ForwardScan();

/** Sets the bits of all marks; false when there are too many combinations of steps. */
export function markTerms(
  { forward }: SegmentReader,
  terms: readonly (readonly TermsOfClass[])[],
  addUse: (i: number, recordClass: number, mark: number) => void,
): boolean {
  WANTED.clear();
  terms.forEach((ofStep, i) => {
    for (const { lo, hi, recordClass } of ofStep)
      WANTED.add(forward!, lo, hi, i * CLASS_COUNT + recordClass);
  });
  if (!WANTED.finish()) return false;
  WANTED.uses.forEach((uses, mark) => {
    MARKS.left[mark] = MARKS.right[mark] = MARKS.rarer[mark] = 0;
    MARKS.reversedLeft[mark] = MARKS.reversedRight[mark] = 0;
    for (const use of uses) addUse(Math.floor(use / CLASS_COUNT), use % CLASS_COUNT, mark);
  });
  return SCAN.begin(forward!, WANTED, MARKS);
}

/** Of each pair the step with fewer occurrences. */
export function rarerSteps(
  segment: SegmentReader,
  terms: readonly (readonly TermsOfClass[])[],
): Set<number> {
  const bytes = terms.map((ofStep) =>
    ofStep.reduce((sum, { lo, hi }) => sum + segment.postingBytes(lo, hi), 0),
  );
  const rarer = new Set<number>();
  for (let i = 0; i + 1 < bytes.length; i++)
    if ((MARKS.all >>> i) & 1) rarer.add(bytes[i]! <= bytes[i + 1]! ? i : i + 1);
  return rarer;
}

/** Writes the costs of the documents that the segment holds alive; leaves the others. */
export function scanSegment(
  { segments, dead: allDead }: IndexSnapshot,
  s: number,
  docs: Uint32Array,
  scan: (ranks: Uint32Array, costs: Int32Array) => void,
  out: Int32Array,
): void {
  const { ranks } = segments[s]!;
  const dead = allDead[s]!;
  const own = TYPED_ARRAY_POOL.numbers(docs.length);
  const places = TYPED_ARRAY_POOL.numbers(docs.length);
  let count = 0;
  for (let i = 0; i < docs.length; i++) {
    const rank = ranks.rankOf(docs[i]!);
    if (rank < 0 || (dead !== null && hasBit(dead, docs[i]!))) continue;
    own[count] = rank;
    places[count++] = i;
  }
  const costs = new Int32Array(count);
  scan(own.subarray(0, count), costs);
  for (let i = 0; i < count; i++) out[places[i]!] = costs[i]!;
}

/**
 * Documents of segment `s` in which `left` stands at most `distance` positions before `right`; null
 * when posting lists are quicker to read than the words, or without a forward index.
 * @param docs ascending
 */
export function scanWordPairs(
  snapshot: IndexSnapshot,
  s: number,
  [left, right]: readonly [left: number, right: number],
  distance: 1 | 2,
  docs: Uint32Array,
): Uint32Array | null {
  const segment = snapshot.segments[s]!;
  if (segment.forward === null || snapshot.everywhere[s]!.outside !== 0) return null;
  const terms = [left, right].map((term) => [{ lo: term, hi: term + 1, recordClass: 0 }]);
  if (!areWordsLess(segment, terms, docs)) return null;
  MARKS.all = 1;
  const rarer = rarerSteps(segment, terms);
  const isMarked = markTerms(segment, terms, (i, _, mark) => {
    if (rarer.has(i)) MARKS.rarer[mark] = 1;
    if (i === 0) MARKS.left[mark] = 1;
    else MARKS.right[mark] = 1;
  });
  if (!isMarked) return null;
  const costs = new Int32Array(docs.length).fill(PAIR_COSTS);
  scanSegment(snapshot, s, docs, (ranks, out) => SCAN.pairCosts(ranks, out), costs);
  return docs.filter((_, i) => costs[i]! < distance);
}
