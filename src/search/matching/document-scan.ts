/**
 * Scans documents of a segment for some terms. The marks of the last scans stay set, because the
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
import { CLASS_COUNT, OccurrenceClass } from './occurrence-records.ts';
import { admittedClasses } from './position-table.ts';
import type { Reading } from './readings.ts';

/** Terms of a segment by step. */
export type StepTerms = readonly (readonly TermsOfClass[])[];

const SCANS = new ForwardScans();

/** The terms whose marks are set, by scan. */
const marked: (StepTerms | null)[] = [];

/**
 * A scan with the marks of the terms; null when there are too many combinations of steps.
 * @param pairs bit `n`: the steps `n` and `n + 1` are a pair
 */
export function scanFor(
  { segments }: IndexSnapshot,
  s: number,
  terms: StepTerms,
  reading: Reading,
  pairs: number,
): ForwardScan | null {
  const place = s % SCANS_MAX;
  const scan = SCANS.at(place);
  if (marked[place] === terms) return scan;
  marked[place] = null;
  if (!markTerms(scan, segments[s]!, terms, reading, pairs)) return null;
  marked[place] = terms;
  return scan;
}

/** False when there are too many combinations of steps. */
function markTerms(
  scan: ForwardScan,
  segment: SegmentReader,
  terms: StepTerms,
  reading: Reading,
  pairs: number,
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
    (use, mark) => addUses(marks, reading, use, mark),
  );
}

/** Adds the permitted uses of a term to the bits of its mark. @param use step and class of the term */
function addUses(marks: WantedMarks, reading: Reading, use: number, mark: number): void {
  const i = Math.floor(use / CLASS_COUNT);
  const recordClass = use % CLASS_COUNT;
  const { left, right, reversed, place, exact } = OccurrenceClass;
  const isAdmitted = (uses: number): boolean =>
    admittedClasses(reading[i]!, uses)[recordClass] === 1;
  if (isAdmitted(place)) marks.place[mark]! |= 1 << i;
  if ((recordClass & exact) !== 0) marks.exact[mark]! |= 1 << i;
  const asLeft = isAdmitted(left | reversed) ? (1 << i) & marks.all : 0;
  const asRight = i > 0 && isAdmitted(right | reversed) ? (1 << (i - 1)) & marks.all : 0;
  if (recordClass & left) marks.left[mark]! |= asLeft;
  if (recordClass & right) marks.right[mark]! |= asRight;
  if ((recordClass & reversed) === 0) return;
  marks.reversedLeft[mark]! |= asLeft;
  marks.reversedRight[mark]! |= asRight;
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

/** Living documents of a segment that are in a list; ascending. */
export interface LivingRanks {
  readonly ranks: Uint32Array;
  /** Their places in the list. */
  readonly places: Uint32Array;
}

export function livingRanks(
  { segments, dead: allDead }: IndexSnapshot,
  s: number,
  docs: Uint32Array,
): LivingRanks {
  const { ranks } = segments[s]!;
  const dead = allDead[s]!;
  const [from, end] = ranks.spanIn(docs);
  const own = TYPED_ARRAY_POOL.numbers(end - from);
  const places = TYPED_ARRAY_POOL.numbers(end - from);
  let count = 0;
  for (let i = from; i < end; i++) {
    const rank = ranks.rankOf(docs[i]!);
    if (rank < 0 || (dead !== null && hasBit(dead, docs[i]!))) continue;
    own[count] = rank;
    places[count++] = i;
  }
  return { ranks: own.subarray(0, count), places: places.subarray(0, count) };
}
