/**
 * The documents of a set by buckets of values: numbers or times in ranges. A document is once in each
 * bucket that holds one of its values.
 */
import type { NumberValues, StringValues } from '../../engine/columns/columns-reader.ts';
import { andNotInto, hasBit, orInto } from '../../engine/sets/bitset.ts';
import { lowerBound } from '../../engine/sets/sorted.ts';
import { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { FieldPart } from '../snapshot/field-values.ts';
import type { CountedDocuments } from './segment-counts.ts';

/** Entries that are walked in the time of the look-up of one document. */
const LOOK_UP_COST = 8;
/** Values that are counted in the time of the look-up of one document. */
const COUNT_RATIO = 64;
/** With fewer, a walk of the entries is faster than counts by value, which fill the processor's cache. */
const ENTRIES_PER_VALUE = 4;

/** The ordinals from `los[i]` (included) to `his[i]` (excluded) belong to the bucket `buckets[i]`. */
export interface OrdinalRuns {
  readonly los: Uint32Array;
  readonly his: Uint32Array;
  readonly buckets: Uint32Array;
}

/** The values of one kind in one segment. */
export interface BucketedValues {
  readonly values: NumberValues | StringValues;
  /** Deleted documents of the segment. */
  readonly dead: Uint32Array | null;
  readonly runs: OrdinalRuns;
  /** True if a document may have several values, here or of the other kind. */
  readonly mayRepeat: boolean;
}

/** True if a document of the part may have several values. */
export const mayHaveSeveral = ({ column: { numbers, strings } }: FieldPart): boolean =>
  numbers.hasSeveral || strings.hasSeveral || (numbers.count > 0 && strings.count > 0);

export interface BucketDocuments {
  readonly counts: Float64Array;
  /** By bucket; null unless wanted. */
  readonly sets: readonly DocSet[] | null;
}

interface WantedBuckets {
  readonly bucketCount: number;
  readonly wantsSets: boolean;
  /** True if the documents are all live ones. */
  readonly areAll: boolean;
}

/** Counts each value, walks the entries of the values, or looks up each document. */
export function bucketDocuments(
  bucketed: readonly BucketedValues[],
  documents: CountedDocuments,
  wanted: WantedBuckets,
): BucketDocuments {
  const { bucketCount, wantsSets } = wanted;
  const { docs } = documents;
  const entries = bucketed.reduce((sum, { values }) => sum + values.entryCount, 0);
  const hasOne = !bucketed.some((each) => each.mayRepeat);
  if (!wantsSets && hasOne && docs.count * COUNT_RATIO >= entries)
    return countOnce(bucketed, documents, wanted);
  const gatherCost = entries + bucketCount * docs.bitsetLength;
  return docs.count * LOOK_UP_COST < gatherCost
    ? lookUp(bucketed, documents, wanted)
    : gather(bucketed, documents, bucketCount);
}

/** For documents with one value each. */
function countOnce(
  bucketed: readonly BucketedValues[],
  documents: CountedDocuments,
  { bucketCount, areAll }: WantedBuckets,
): BucketDocuments {
  const counts = new Float64Array(bucketCount);
  for (const { values, dead, runs } of bucketed) {
    const { los, his, buckets } = runs;
    documents.check();
    const docs = documents.bitsWithout(dead);
    const isWhole = areAll && dead === null;
    const upTo =
      isWhole || values.count * ENTRIES_PER_VALUE > values.entryCount
        ? null
        : countsUpTo(values, docs);
    for (let i = 0; i < los.length; i++) {
      const bucket = buckets[i]!;
      if (upTo !== null) {
        counts[bucket]! += upTo[his[i]!]! - upTo[los[i]!]!;
        continue;
      }
      const from = values.firstEntry(los[i]!);
      const to = values.firstEntry(his[i]!);
      counts[bucket]! += isWhole ? to - from : values.countEntries(from, to, docs);
    }
    if (upTo !== null) TYPED_ARRAY_POOL.release(upTo);
  }
  return { counts, sets: null };
}

/** For each ordinal, and the end of all, the documents of `docs` with a value below it. */
function countsUpTo(values: NumberValues | StringValues, docs: Uint32Array): Uint32Array {
  const upTo = TYPED_ARRAY_POOL.zeros(values.count + 1);
  values.countInto(docs, upTo);
  let before = 0;
  for (let ordinal = 0; ordinal < upTo.length; ordinal++) {
    const own = upTo[ordinal]!;
    upTo[ordinal] = before;
    before += own;
  }
  return upTo;
}

/** One bitset for each bucket, of any values. */
function gather(
  bucketed: readonly BucketedValues[],
  { docs, check }: CountedDocuments,
  bucketCount: number,
): BucketDocuments {
  const pieces = Array.from({ length: bucketCount }, (): (() => void)[] => []);
  const bits = new Uint32Array(docs.bitsetLength);
  const living = new Uint32Array(docs.bitsetLength);
  for (const { values, dead, runs } of bucketed) {
    for (let i = 0; i < runs.los.length; i++) {
      check();
      const [lo, hi] = [runs.los[i]!, runs.his[i]!];
      if (lo >= hi) continue;
      pieces[runs.buckets[i]!]?.push(() => {
        if (dead === null) return values.addDocuments(lo, hi, bits);
        values.addDocuments(lo, hi, living.fill(0));
        orInto(bits, andNotInto(living, dead));
      });
    }
  }
  const sets = pieces.map((own) => {
    check();
    bits.fill(0);
    for (const add of own) add();
    return docs.intersect(bits);
  });
  return { counts: Float64Array.from(sets, ({ count }) => count), sets };
}

function lookUp(
  bucketed: readonly BucketedValues[],
  documents: CountedDocuments,
  { bucketCount, wantsSets }: WantedBuckets,
): BucketDocuments {
  const counts = new Float64Array(bucketCount);
  const last = new Float64Array(bucketCount).fill(-1);
  const lists: number[][] = wantsSets ? Array.from(counts, () => []) : [];
  const { list, check, docs } = documents;
  let doc = -1;
  const add = (bucket: number): void => {
    if (last[bucket] === doc) return;
    last[bucket] = doc;
    counts[bucket]!++;
    lists[bucket]?.push(doc);
  };
  const visitors = bucketed.map(({ runs }) => bucketVisitor(runs, add));
  for (let i = 0; i < list.length; i++) {
    check();
    doc = list[i]!;
    for (let b = 0; b < bucketed.length; b++) {
      const { values, dead } = bucketed[b]!;
      if (dead === null || !hasBit(dead, doc)) values.forEachOf(doc, visitors[b]!);
    }
  }
  const sets = lists.map((own) => DocSet.fromList(Uint32Array.from(own), docs.bitsetLength));
  return { counts, sets: wantsSets ? sets : null };
}

/** Returns a function that visits the buckets of an ordinal: one at most if the runs are disjoint. */
function bucketVisitor(
  { los, his, buckets }: OrdinalRuns,
  visit: (bucket: number) => void,
): (ordinal: number) => void {
  if (los.every((lo, i) => lo >= (his[i - 1] ?? 0)))
    return (ordinal) => {
      const run = lowerBound(los, ordinal + 1) - 1;
      if (run >= 0 && ordinal < his[run]!) visit(buckets[run]!);
    };
  return (ordinal) => {
    for (let i = 0; i < los.length; i++)
      if (ordinal >= los[i]! && ordinal < his[i]!) visit(buckets[i]!);
  };
}
