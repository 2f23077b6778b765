/** Documents by relevance step, and the least score of the last requested step. */
import { DocSet } from '../sets/doc-set.ts';
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

/** Counting sort: start of each step, the best first, then the next free place of the step. */
const starts = new Uint32Array(STEPS + 2);
const next = new Uint32Array(STEPS + 2);

/**
 * Weighed documents by step, the best steps first: all steps, or enough steps for the requested
 * number.
 * @param bitsetLength of the index
 */
export function documentsByStep(
  { values }: DocumentNumbers,
  { docs, count, wanted, most }: Weighed,
  all: boolean,
  bitsetLength: number,
): RelevanceStep[] {
  starts.fill(0);
  const steps = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    if (values[docs[i]!] === 0) continue;
    steps[i] = stepOf(values[docs[i]!]!, most);
    starts[STEPS - steps[i]! + 1]!++;
  }
  let end = STEPS;
  for (let at = 1; at <= STEPS; at++) {
    starts[at]! += starts[at - 1]!;
    if (!all && end === STEPS && starts[at]! >= wanted) end = at;
  }
  next.set(starts);
  const dealt = new Uint32Array(starts[STEPS]!);
  for (let i = 0; i < count; i++) if (steps[i] !== 0) dealt[next[STEPS - steps[i]!]!++] = docs[i]!;
  const found: RelevanceStep[] = [];
  for (let at = 0; at < end; at++) {
    const [lo, hi] = [starts[at]!, starts[at + 1]!];
    if (lo < hi)
      found.push({
        step: STEPS - at,
        docs: DocSet.fromList(dealt.slice(lo, hi).sort(), bitsetLength),
      });
  }
  return found;
}
