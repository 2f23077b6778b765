/**
 * How documents came to an index: the DocIds that its batches ended at. Facets tell values of equal
 * counts in an order that depends on it (relevance.md 5.7).
 */

/** Ascending: each batch that gave DocIds gave those below its end and above the end before it. */
export type Arrivals = readonly number[];

/** With those that came after the last end, a batch is a bit of 32. */
export const ARRIVALS_MAX = 31;

/**
 * @param docIdEnd one more than the highest DocId that the batch gave; beyond the limit, the two
 *   successive batches that gave fewest count as one
 */
export function withArrival(arrivals: Arrivals, docIdEnd: number): Arrivals {
  if (docIdEnd <= (arrivals.at(-1) ?? 0)) return arrivals;
  const ends = [...arrivals, docIdEnd];
  if (ends.length <= ARRIVALS_MAX) return ends;
  let joined = 0;
  for (let i = 1; i < ends.length - 1; i++)
    if (spanAround(ends, i) < spanAround(ends, joined)) joined = i;
  return ends.toSpliced(joined, 1);
}

/** DocIds of the batch and of the one after it. */
const spanAround = (ends: Arrivals, i: number): number => (ends[i + 1] ?? 0) - (ends[i - 1] ?? 0);
