/**
 * Readings: interpretations of the query as nodes that cover its terms, in a graph that is walked
 * depth first (relevance.md 3.1, 3.4).
 */

import type { QueryGraph, QueryNode } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { MatchSets, TypoCount } from './match-sets.ts';

/** Bit `n` stands for `n` typos. */
export const ALL_TYPOS = 0b111;

/** A node of a reading with its allowance. */
export interface Step {
  readonly node: QueryNode;
  /** Bit `n`: derivations with `n` typos are allowed. */
  readonly typoMask: number;
  /** Narrowed to the exact word or phrase. */
  readonly exactOnly: boolean;
}

export type Reading = readonly Step[];

/**
 * `next` is empty at the end of a reading. Shared suffixes let few graph nodes represent many
 * readings.
 */
export interface GraphNode {
  readonly step: Step;
  readonly next: readonly GraphNode[];
}

/** First nodes of all readings, in walking order. */
export type ReadingGraph = readonly GraphNode[];

/** All complete segmentations of the query into nodes. */
export function initialReadings({ nodes, termCount }: QueryGraph): ReadingGraph {
  const starting: GraphNode[][] = [];
  for (let id = 0; id <= termCount; id++) starting.push([]);
  for (const node of nodes) {
    starting[node.firstId]!.push({
      step: { node, typoMask: ALL_TYPOS, exactOnly: false },
      next: starting[node.lastId + 1]!,
    });
  }
  return starting[0]!;
}

/** The graph of a list of readings; they branch only at their first nodes. */
export function graphOf(readings: readonly Reading[]): ReadingGraph {
  const starts: GraphNode[] = [];
  for (const reading of readings) {
    let next: readonly GraphNode[] = [];
    for (let i = reading.length - 1; i > 0; i--) next = [{ step: reading[i]!, next }];
    const step = reading[0];
    if (step) starts.push({ step, next });
  }
  return starts;
}

/** The reading of a graph that does not branch, else null. */
export function onlyReading(graph: ReadingGraph): Reading | null {
  const reading: Step[] = [];
  for (let nodes = graph; nodes.length > 0; nodes = nodes[0]!.next) {
    if (nodes.length > 1) return null;
    reading.push(nodes[0]!.step);
  }
  return reading;
}

/**
 * The only reading of the graph, if all documents of the universe satisfy it in the fields that count
 * (`sets`): then no document takes it by words that do not count.
 */
export function readingOfAll(
  graph: ReadingGraph,
  universe: DocSet,
  sets: MatchSets,
): Reading | null {
  const reading = onlyReading(graph);
  if (reading === null) return null;
  const [satisfied, ...others] = satisfiedReadings(graph, universe, sets);
  return others.length === 0 && satisfied?.docs.count === universe.count ? reading : null;
}

/** Whether a step's words follow those of another in the query. */
export const areNeighbours = (left: Step | null, right: Step): boolean =>
  left !== null && left.node.end + 1 === right.node.start;

/** Documents that contain an allowed derivation of the step. */
export function stepDocuments({ node, typoMask, exactOnly }: Step, sets: MatchSets): DocSet {
  if (exactOnly) return sets.narrowedToExact(node);
  if ((typoMask & (typoMask - 1)) === 0)
    return sets.withTypos(node, (31 - Math.clz32(typoMask)) as TypoCount);
  return sets.withAnyTypos(node, typoMask);
}

/** Largest sum of `cost(step)` over a reading, without regard to documents. */
export function largestCost(
  graph: ReadingGraph,
  cost: (step: Step, previous: Step | null) => number,
  previous: Step | null = null,
): number {
  let largest = 0;
  for (const { step, next } of graph) {
    largest = Math.max(
      largest,
      cost(step, previous) + (next.length > 0 ? largestCost(next, cost, step) : 0),
    );
  }
  return largest;
}

export interface SatisfiedReading {
  readonly reading: Reading;
  readonly docs: DocSet;
}

/**
 * Readings that at least one document of the universe satisfies, in walking order, with their
 * documents.
 */
export function satisfiedReadings(
  graph: ReadingGraph,
  universe: DocSet,
  sets: MatchSets,
): SatisfiedReading[] {
  const found: SatisfiedReading[] = [];
  const walk = (nodes: ReadingGraph, docs: DocSet, path: readonly Step[]): void => {
    for (const { step, next } of nodes) {
      const holding = docs.retain(stepDocuments(step, sets));
      if (holding.isEmpty) continue;
      const reading = [...path, step];
      if (next.length === 0) found.push({ reading, docs: holding });
      else walk(next, holding, reading);
    }
  };
  walk(graph, universe, []);
  return found;
}

/** Whether a synonym may stand in a field that does not count, where costs of any field count it. */
export const hasUncountedSynonyms = (sets: MatchSets, { node }: Step): boolean =>
  sets.anywhere !== null && node.derivations.synonyms.length > 0;
