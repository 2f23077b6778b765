/** Documents by step of relevance, and what those of the last step that is wanted have at least. */
import { DocSet } from '../sets/doc-set.ts';
import { leastOfStep, STEPS, stepOf } from './bm25f.ts';
import type { DocumentNumbers } from './document-weights.ts';

/** Documents of one step of relevance. */
export interface RelevanceStep {
  readonly step: number;
  readonly docs: DocSet;
}

/** Documents that have been weighed, how many of them are wanted, and the most that one could have. */
interface Weighed {
  readonly docs: ArrayLike<number>;
  readonly count: number;
  readonly wanted: number;
  readonly most: number;
}

/** Above what numbers of 32 bits lose by being added, as a share of the most. */
export const ROUNDING = 1e-5;

/** The numbers from 0 to the greatest are counted in so many equal parts. */
const PARTS = 4096;
const counts = new Uint32Array(PARTS + 1);

/** A bound of what the last of the wanted documents has: the beginning of its step. */
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

/** While documents are dealt: where those of each step begin, the best first, and where the next goes. */
const starts = new Uint32Array(STEPS + 2);
const next = new Uint32Array(STEPS + 2);

/**
 * Documents with what they have, the best steps first: all steps, or as many as hold the wanted.
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
