/**
 * The DocIds at which the batches of an index ended. The order of facet values with equal counts
 * depends on it (relevance.md 5.7).
 */

/** Ascending: each batch assigned DocIds from the previous end up to its own, exclusive. */
export type BatchEndDocIds = readonly number[];

/** With the documents after the last end, batches fit into 32 bits. */
export const BATCH_ENDS_MAX = 31;

/**
 * @param docIdEnd one more than the highest DocId of the batch; beyond the limit, the two
 * consecutive batches with the fewest DocIds are merged
 */
export function withBatchEnd(earlier: BatchEndDocIds, docIdEnd: number): BatchEndDocIds {
  if (docIdEnd <= (earlier.at(-1) ?? 0)) return earlier;
  const ends = [...earlier, docIdEnd];
  if (ends.length <= BATCH_ENDS_MAX) return ends;
  let joined = 0;
  for (let i = 1; i < ends.length - 1; i++)
    if (spanAround(ends, i) < spanAround(ends, joined)) joined = i;
  return ends.toSpliced(joined, 1);
}

/** Number of DocIds of a batch and its successor. */
const spanAround = (ends: BatchEndDocIds, i: number): number =>
  (ends[i + 1] ?? 0) - (ends[i - 1] ?? 0);
