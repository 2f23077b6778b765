/**
 * Scans documents of a segment for some terms. The marks of the terms of the last scans stay set, for the
 * segments of an index are scanned in turn for the same terms.
 */
import {
  type ForwardScan,
  ForwardScans,
  SCANS_MAX,
  type WantedMarks,
} from '../../engine/segment/forward-scan.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { TermsOfClass } from './node-terms.ts';
import { CLASS_COUNT } from './occurrence-records.ts';

/** Terms of a segment by step. */
export type StepTerms = readonly (readonly TermsOfClass[])[];

const SCANS = new ForwardScans();

/** The terms whose marks are set, by scan. */
const marked: (StepTerms | null)[] = [];

/**
 * A scan with the marks of the terms; null when there are too many combinations of steps.
 * @param pairs bit `n`: the steps `n` and `n + 1` are a pair
 * @param addUse adds a use of a term by step `i` to the bits of its mark
 */
export function scanFor(
  { segments }: IndexSnapshot,
  s: number,
  terms: StepTerms,
  pairs: number,
  addUse: (marks: WantedMarks, i: number, recordClass: number, mark: number) => void,
): ForwardScan | null {
  const place = s % SCANS_MAX;
  const scan = SCANS.at(place);
  if (marked[place] === terms) return scan;
  marked[place] = null;
  if (!markTerms(scan, segments[s]!, terms, pairs, addUse)) return null;
  marked[place] = terms;
  return scan;
}

/** False when there are too many combinations of steps. */
function markTerms(
  scan: ForwardScan,
  segment: SegmentReader,
  terms: StepTerms,
  pairs: number,
  addUse: (marks: WantedMarks, i: number, recordClass: number, mark: number) => void,
): boolean {
  const wanted = scan.want(segment.forward!);
  terms.forEach((own, i) => {
    for (const { lo, hi, recordClass } of own)
      wanted.add(segment.forward!, lo, hi, i * CLASS_COUNT + recordClass);
  });
  const { marks } = scan;
  marks.all = pairs;
  const rarer = rarerSteps(segment, terms, pairs);
  return scan.begin(
    (use) => ((rarer >>> Math.floor(use / CLASS_COUNT)) & 1) === 1,
    (use, mark) => addUse(marks, Math.floor(use / CLASS_COUNT), use % CLASS_COUNT, mark),
  );
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
