/**
 * Scans documents of a segment for some terms. One scan runs at a time in a thread: the marks of its
 * terms stay until the next one.
 */
import { ForwardScan } from '../../engine/segment/forward-scan.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { TermsOfClass } from './node-terms.ts';
import { CLASS_COUNT } from './occurrence-records.ts';

export const SCAN = new ForwardScan();

/** Terms of a segment by step. */
export type StepTerms = readonly (readonly TermsOfClass[])[];

/** The terms whose marks are set. */
let marked: StepTerms | null = null;

/**
 * Sets the bits of all marks, unless those of the terms are set; false when there are too many combinations of steps.
 * @param pairs bit `n`: the steps `n` and `n + 1` are a pair
 * @param addUse adds a use of a term by step `i` to the bits of its mark
 */
export function markTerms(
  segment: SegmentReader,
  terms: StepTerms,
  pairs: number,
  addUse: (i: number, recordClass: number, mark: number) => void,
): boolean {
  if (marked === terms) return true;
  marked = null;
  const wanted = SCAN.want(segment.forward!);
  terms.forEach((own, i) => {
    for (const { lo, hi, recordClass } of own)
      wanted.add(segment.forward!, lo, hi, i * CLASS_COUNT + recordClass);
  });
  SCAN.marks.all = pairs;
  const rarer = rarerSteps(segment, terms, pairs);
  const isMarked = SCAN.begin(
    (use) => ((rarer >>> Math.floor(use / CLASS_COUNT)) & 1) === 1,
    (use, mark) => addUse(Math.floor(use / CLASS_COUNT), use % CLASS_COUNT, mark),
  );
  if (isMarked) marked = terms;
  return isMarked;
}

/** Of each pair the step with fewer occurrences, as bits. */
function rarerSteps(segment: SegmentReader, terms: StepTerms, pairs: number): number {
  if (pairs === 0) return 0;
  const bytes = terms.map((ofStep) =>
    ofStep.reduce((sum, { lo, hi }) => sum + segment.postingBytes(lo, hi), 0),
  );
  let rarer = 0;
  for (let i = 0; i + 1 < bytes.length; i++)
    if ((pairs >>> i) & 1) rarer |= 1 << (bytes[i]! <= bytes[i + 1]! ? i : i + 1);
  return rarer;
}

/**
 * Writes the costs of the documents that the segment holds alive; leaves the others.
 * @param scan is given the ranks of these documents and their places in `docs`, both ascending;
 * returns false when the documents cannot be scanned
 */
export function scanSegment(
  { segments, dead: allDead }: IndexSnapshot,
  s: number,
  docs: Uint32Array,
  scan: (ranks: Uint32Array, costs: Int32Array, places: Uint32Array) => boolean,
  out: Int32Array,
): boolean {
  const { ranks } = segments[s]!;
  const dead = allDead[s]!;
  const [from, end] = ranks.spanIn(docs);
  if (from === end) return true;
  const own = TYPED_ARRAY_POOL.numbers(end - from);
  const places = TYPED_ARRAY_POOL.numbers(end - from);
  let count = 0;
  for (let i = from; i < end; i++) {
    const rank = ranks.rankOf(docs[i]!);
    if (rank < 0 || (dead !== null && hasBit(dead, docs[i]!))) continue;
    own[count] = rank;
    places[count++] = i;
  }
  if (count === 0) return true;
  if (count === docs.length) return scan(own, out, places);
  const costs = new Int32Array(count);
  if (!scan(own.subarray(0, count), costs, places)) return false;
  for (let i = 0; i < count; i++) out[places[i]!] = costs[i]!;
  return true;
}
