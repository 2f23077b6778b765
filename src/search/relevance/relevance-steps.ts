/** Documents by relevance step, and the least score of the last requested step. */

import { DocSet } from '../sets/doc-set.ts';
import { DocumentsByNumber } from '../sets/documents-by-number.ts';
import { leastOfStep, STEPS, stepOf } from './bm25f.ts';
import type { DocumentNumbers } from './document-weights.ts';

/** Documents of one step of relevance. */
export interface RelevanceStep {
  readonly step: number;
  readonly docs: DocSet;
}

/** Weighed documents, the requested number of documents, and the maximum score of any document. */
interface Weighed {
  readonly docs: ArrayLike<number>;
  readonly count: number;
  readonly wanted: number;
  readonly most: number;
}

/** Upper bound of the rounding error of sums of 32-bit numbers, as a share of the maximum. */
export const ROUNDING = 1e-5;

/** Number of equal intervals of the histogram of scores. */
const PARTS = 4096;
const counts = new Uint32Array(PARTS + 1);

/** Lower bound of the score of the last requested document: the start of its step. */
export function leastOfBest(
  { values, greatest }: DocumentNumbers,
  { docs, count, wanted, most }: Weighed,
): number {
  if (count < wanted || greatest === 0) return 0;
  const scale = PARTS / greatest;
  counts.fill(0);
  for (let i = 0; i < count; i++) counts[(values[docs[i]!]! * scale) | 0]!++;
  let part = PARTS;
  for (let above = counts[part]!; above < wanted; ) above += counts[--part]!;
  return leastOfStep(stepOf(part / scale - ROUNDING * most, most), most);
}

/**
 * Weighed documents by step, the best steps first: all steps, or enough steps for the requested
 * number.
 * @param bitsetLength of the index
 */
export function documentsByStep(
  { values }: DocumentNumbers,
  { docs: weighed, wanted, most }: Weighed,
  all: boolean,
  bitsetLength: number,
): RelevanceStep[] {
  const docs = DocSet.fromUnordered(new Uint32Array(weighed), bitsetLength).toList();
  // Steps from the best one on, so that they are grouped in this order.
  const places = new Uint16Array(docs.length);
  for (let i = 0; i < docs.length; i++)
    places[i] = values[docs[i]!] === 0 ? STEPS : STEPS - stepOf(values[docs[i]!]!, most);
  const grouped = new DocumentsByNumber(docs, places, STEPS, bitsetLength);
  const found: RelevanceStep[] = [];
  let held = 0;
  for (const place of grouped.numbers) {
    if (!all && held >= wanted) break;
    const own = grouped.with(place);
    held += own.count;
    found.push({ step: STEPS - place, docs: own });
  }
  return found;
}
