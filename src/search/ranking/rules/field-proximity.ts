/**
 * Proximity by attribute: the number of neighbours in the query that share no field of the document
 * (relevance.md 3.7). A pair of words is looked up when the remaining universe reaches it, lowest
 * cost first. Which pairs were looked up, and where, changes the results of later buckets of the
 * search (`field-neighbours.ts`).
 */
import { getOrCompute } from '../../../core/get-or-compute.ts';
import { areNeighbours, type Step, stepDocuments } from '../../matching/readings.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { RankingContext } from './ranking-rule.ts';
import { type OptionsOfSteps, type StepOption, stepOption } from './walked-buckets.ts';

/** Cost of neighbours that are far apart or in different fields. */
export const FAR = 3;

/** Each word inside an ngram counts as one apart. */
export const baseCost = (step: Step): number => step.node.length - 1;

/** Added for neighbours that share a field only when looked up against query order. */
const REVERSED = 1;

/** Options of which a document satisfies at most one. */
export function fieldProximityOptions(context: RankingContext): OptionsOfSteps {
  const known = new Map<Step | null, Map<Step, readonly StepOption[]>>();
  return (step, previous) => {
    const after = getOrCompute(known, previous, () => new Map());
    return getOrCompute(after, step, () => newOptions(context, previous, step));
  };
}

function newOptions(
  { fieldNeighbours, sets }: RankingContext,
  previous: Step | null,
  step: Step,
): StepOption[] {
  const cost = baseCost(step);
  if (previous === null || !areNeighbours(previous, step))
    return [stepOption(step, cost, () => stepDocuments(step, sets))];
  const forward = once((left) => fieldNeighbours.forward(previous, step, left));
  const reversed = once((left) =>
    fieldNeighbours.reversed(previous, step, left).without(forward(left)),
  );
  const far = once((left) =>
    stepDocuments(step, sets).without(forward(left)).without(reversed(left)),
  );
  return [
    stepOption(step, cost, forward),
    stepOption(step, cost + REVERSED, reversed),
    stepOption(step, cost + FAR, far),
  ];
}

/** Looks up at first use. */
const once = (find: (left: DocSet) => DocSet): ((left: DocSet) => DocSet) => {
  let found: DocSet | null = null;
  return (left) => {
    found ??= find(left);
    return found;
  };
};
