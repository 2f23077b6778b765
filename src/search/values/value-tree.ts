/**
 * Tree of the values of a field. Its groups decide the order of values with equal counts
 * (relevance.md 5.7), and they depend on the order in which batches added the values: a level
 * starts with groups of four. Each later batch halves the groups that it changes until none has
 * four members; only the last group grows by complete groups at its end.
 */
import { partitionPoint } from '../../core/partition-point.ts';
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import type { BatchEndDocIds } from '../../model/batch-ends.ts';
import type { TreeLevel, ValueTree } from '../snapshot/cached-values.ts';

/** Members of a group in a new level. */
const GROUP_SIZE = 4;
/** A level with at least this number of members gets a level above it. */
const LEVEL_SIZE_MIN = 20;
/** Fewer values in the first batch get one level only, until the next batch. */
const DEEP_MIN = 1000;
/** A changed group with at least this number of members is halved. */
const HALVED_MIN = 4;
/**
 * Members of the groups into which the last group is split, by level; levels above use the last
 * number.
 */
const TAIL_SIZES = [8, GROUP_SIZE] as const;

/** With more values, all count as added by one batch. */
const BATCHES_VALUES_MAX = 16_384;

/** @param batches for each place, the batches that added documents with the value, as bits */
export function growTree(batches: Uint32Array): ValueTree {
  const levels: number[][] = [];
  let all = 0;
  for (const bits of batches) all |= bits;
  let isFirst = true;
  for (let batch = 0; batch < 32; batch++) {
    if (((all >>> batch) & 1) === 0) continue;
    const top = regroupLevels(levels, batches, batch);
    addLevels(levels, top, isFirst && top.length < DEEP_MIN ? 1 : Number.POSITIVE_INFINITY);
    isFirst = false;
  }
  return {
    valueCount: batches.length,
    levels: levels.map((starts) => treeLevel(starts, batches.length)),
  };
}

/** @returns the members of the level above */
function regroupLevels(levels: number[][], batches: Uint32Array, batch: number): number[] {
  const untilNow = 0xffffffff >>> (31 - batch);
  let members: number[] = [];
  let touched = new Uint8Array(batches.length);
  for (let place = 0; place < batches.length; place++) {
    const bits = batches[place]! & untilNow;
    if (bits !== 0) members.push(place);
    touched[place] = bits >>> batch;
  }
  for (let level = 0; level < levels.length; level++) {
    const regrouped = regroup(levels[level]!, members, touched, TAIL_SIZES[level] ?? GROUP_SIZE);
    members = levels[level] = regrouped.starts;
    touched = regrouped.touched;
  }
  return members;
}

function addLevels(levels: number[][], top: readonly number[], addedMax: number): void {
  let members = top;
  for (let added = 0; added < addedMax && members.length >= LEVEL_SIZE_MIN; added++) {
    const starts = members.filter((_, i) => i % GROUP_SIZE === 0);
    levels.push(starts);
    members = starts;
  }
}

/**
 * The groups of a level after a batch.
 * @param starts of its groups before the batch
 * @param members of all its groups after the batch
 */
function regroup(
  starts: readonly number[],
  members: readonly number[],
  isTouched: Uint8Array,
  tailSize: number,
): { starts: number[]; touched: Uint8Array<ArrayBuffer> } {
  const next: number[] = [];
  const touched = new Uint8Array(isTouched.length);
  const begin = (member: number): void => {
    next.push(members[member]!);
    touched[members[member]!] = 1;
  };
  const halve = (from: number, to: number): void => {
    if (to - from < HALVED_MIN) begin(from);
    else {
      const middle = (from + to) >> 1;
      halve(from, middle);
      halve(middle, to);
    }
  };
  let from = 0;
  for (let group = 0; group < starts.length; group++) {
    const isLast = group === starts.length - 1;
    let to = from;
    while (to < members.length && (isLast || members[to]! < starts[group + 1]!)) to++;
    const own = members.slice(from, to);
    if (own.every((member) => isTouched[member] === 0)) next.push(members[from]!);
    else if (isLast) for (let member = from; member < to; member += tailSize) begin(member);
    else halve(from, to);
    from = to;
  }
  return { starts: next, touched };
}

function treeLevel(starts: readonly number[], valueCount: number): TreeLevel {
  const groupOf = new Uint32Array(valueCount);
  let group = 0;
  for (let place = 0; place < valueCount; place++) {
    if (starts[group + 1] === place) group++;
    groupOf[place] = group;
  }
  return { starts: Uint32Array.from(starts), groupOf };
}

/** The values of one part of a field. */
interface ArrivedPart {
  readonly values: ValueSet;
  /** For each value its place among all values of the field; null = its ordinal. */
  readonly places: Uint32Array | null;
}

/**
 * For each place the batches that added documents with the value, as bits. Costs one access per
 * value and batch that added it.
 */
export function batchesOf(
  parts: readonly ArrivedPart[],
  valueCount: number,
  batchEndDocIds: BatchEndDocIds,
): Uint32Array {
  const batches = new Uint32Array(valueCount);
  if (valueCount > BATCHES_VALUES_MAX || batchEndDocIds.length === 0) return batches.fill(1);
  for (const { values, places } of parts)
    for (let ordinal = 0; ordinal < values.count; ordinal++)
      batches[places?.[ordinal] ?? ordinal]! |= batchesOfValue(values, ordinal, batchEndDocIds);
  return batches;
}

function batchesOfValue(values: ValueSet, ordinal: number, ends: BatchEndDocIds): number {
  const end = values.firstEntry(ordinal + 1);
  let bits = 0;
  let batch = 0;
  for (let entry = values.firstEntry(ordinal); entry < end; ) {
    const doc = values.documentAt(entry);
    while (batch < ends.length && ends[batch]! <= doc) batch++;
    bits |= 1 << batch;
    if (batch === ends.length) break;
    const batchEnd = ends[batch]!;
    entry = partitionPoint(entry + 1, end, (later) => values.documentAt(later) < batchEnd);
  }
  return bits;
}
