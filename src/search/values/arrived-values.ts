/** Finds the batches that added documents with the values of a field. */
import { partitionPoint } from '../../core/partition-point.ts';
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import type { Arrivals } from '../../model/arrivals.ts';

/** The values of one part of a field. */
export interface ArrivedPart {
  readonly values: ValueSet;
  /** For each value its place among all values of the field; null = its ordinal. */
  readonly places: Uint32Array | null;
}

/** With more values, all count as added by one batch. */
const VALUES_MAX = 16_384;

/** For each place the batches as bits. Costs one access per value and batch that added it. */
export function batchesOf(
  parts: readonly ArrivedPart[],
  valueCount: number,
  arrivals: Arrivals,
): Uint32Array {
  const batches = new Uint32Array(valueCount);
  if (valueCount > VALUES_MAX || arrivals.length === 0) return batches.fill(1);
  for (const { values, places } of parts)
    for (let ordinal = 0; ordinal < values.count; ordinal++)
      batches[places?.[ordinal] ?? ordinal]! |= batchesOfValue(values, ordinal, arrivals);
  return batches;
}

function batchesOfValue(values: ValueSet, ordinal: number, arrivals: Arrivals): number {
  const end = values.firstEntry(ordinal + 1);
  let bits = 0;
  let batch = 0;
  for (let entry = values.firstEntry(ordinal); entry < end; ) {
    const doc = values.documentAt(entry);
    while (batch < arrivals.length && arrivals[batch]! <= doc) batch++;
    bits |= 1 << batch;
    if (batch === arrivals.length) break;
    const arrival = arrivals[batch]!;
    entry = partitionPoint(entry + 1, end, (later) => values.documentAt(later) < arrival);
  }
  return bits;
}
