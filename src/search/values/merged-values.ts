/** The values of a field over all segments, in one order: each value has a place among them. */
import { compareBytes } from '../../engine/bytes/utf8.ts';
import type { NumberValues, StringValues } from '../../engine/columns/columns-reader.ts';
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { indexOfSorted } from '../../engine/sets/sorted.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { MergedValues } from '../snapshot/cached-values.ts';
import type { FieldPart, FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { type CountedDocuments, SegmentCounts } from './segment-counts.ts';

export type Compare<Values> = (a: Values, i: number, b: Values, j: number) => number;

export interface Kind<Values extends ValueSet> {
  readonly name: 'numbers' | 'strings';
  of(part: FieldPart): Values;
  /** Never called for two ordinals of one column. */
  readonly compare: Compare<Values>;
}

export const NUMBERS: Kind<NumberValues> = {
  name: 'numbers',
  of: (part) => part.column.numbers,
  compare: (a, i, b, j) => a.valueAt(i) - b.valueAt(j),
};

export const STRINGS: Kind<StringValues> = {
  name: 'strings',
  of: (part) => part.column.strings,
  compare: (a, i, b, j) => compareBytes(a.bytesAt(i), b.bytesAt(j)),
};

export interface FoundValue {
  /** Of documents, or of groups of them. */
  readonly count: number;
  /** The ordinal of the value for each part of the field, −1 if the part lacks it. */
  readonly ordinals: readonly number[];
}

/** A field whose values are counted, and the documents to count in. */
export interface CountedField {
  readonly snapshot: IndexSnapshot;
  readonly field: FieldValues;
  readonly documents: CountedDocuments;
}

/** The next value of a run that has documents. */
class RunHead<Values extends ValueSet> {
  readonly run: SegmentCounts<Values>;
  #slot = -1;
  count = 0;

  constructor(run: SegmentCounts<Values>) {
    this.run = run;
    this.advance();
  }

  get isDone(): boolean {
    return this.#slot >= this.run.slotCount;
  }

  get ordinal(): number {
    return this.run.ordinalAt(this.#slot);
  }

  advance(): void {
    this.count = 0;
    while (this.count === 0 && ++this.#slot < this.run.slotCount)
      this.count = this.run.countAt(this.#slot);
  }
}

/**
 * Visits the values of several runs that have documents, from the least on, with the heads that
 * stand at the value. Ends when `visit` returns false. @param check called for each value; may throw
 */
export function mergeRuns<Values extends ValueSet>(
  runs: readonly SegmentCounts<Values>[],
  compare: Compare<Values>,
  check: () => void,
  visit: (heads: readonly RunHead<Values>[], least: readonly number[]) => boolean,
): void {
  const heads = runs.map((run) => new RunHead(run));
  for (;;) {
    check();
    const least = leastHeads(heads, compare);
    if (least.length === 0 || !visit(heads, least)) return;
    for (const h of least) heads[h]!.advance();
  }
}

/** The heads with the least value. */
function leastHeads<Values extends ValueSet>(
  heads: readonly RunHead<Values>[],
  compare: Compare<Values>,
): number[] {
  let least: number[] = [];
  for (let h = 0; h < heads.length; h++) {
    const head = heads[h]!;
    if (head.isDone) continue;
    const best = least[0] === undefined ? null : heads[least[0]]!;
    const order =
      best === null ? -1 : compare(head.run.values, head.ordinal, best.run.values, best.ordinal);
    if (order < 0) least = [h];
    else if (order === 0) least.push(h);
  }
  return least;
}

/**
 * All values of a field, independent of the documents of the search; cached for later searches.
 * null = the ordinals of the only segment are the places.
 */
export const mergedIfSeveral = <Values extends ValueSet>(
  { snapshot: { queryCache }, field: { parts, path }, documents }: CountedField,
  kind: Kind<Values>,
): MergedValues | null =>
  parts.length === 1
    ? null
    : queryCache.getOrMake(CACHE_KINDS.mergedValues, { kind: kind.name, path }, () =>
        mergeValues(parts, kind, documents.check),
      );

function mergeValues<Values extends ValueSet>(
  parts: readonly FieldPart[],
  kind: Kind<Values>,
  check: () => void,
): MergedValues {
  const places = parts.map((part) => new Uint32Array(kind.of(part).count));
  const runs = parts.map((part) => new SegmentCounts(kind.of(part), null, () => 1));
  let count = 0;
  mergeRuns(runs, kind.compare, check, (heads, least) => {
    for (const h of least) places[h]![heads[h]!.ordinal] = count;
    count++;
    return true;
  });
  return { count, places };
}

/** Returns a function that visits the places of a document's values among all of the field, ascending. */
export function placeReader<Values extends ValueSet>(
  field: FieldValues,
  kind: Kind<Values>,
  merged: MergedValues | null,
  visit: (place: number) => void,
): (doc: number) => void {
  const parts = field.parts.map((part, p) => {
    const own = merged?.places[p];
    const visitOwn = own === undefined ? visit : (ordinal: number) => visit(own[ordinal]!);
    return { values: kind.of(part), dead: part.dead, visitOwn };
  });
  return (doc) => {
    for (const { values, dead, visitOwn } of parts)
      if (dead === null || !hasBit(dead, doc)) values.forEachOf(doc, visitOwn);
  };
}

export const ordinalsAt = (place: number, merged: MergedValues | null): number[] =>
  merged === null ? [place] : merged.places.map((own) => indexOfSorted(own, place));

/** The values at some places, with their counts. @param counts by place */
export const foundAt = (
  places: readonly number[],
  counts: Uint32Array,
  merged: MergedValues | null,
): FoundValue[] =>
  places.map((place) => ({ count: counts[place]!, ordinals: ordinalsAt(place, merged) }));
