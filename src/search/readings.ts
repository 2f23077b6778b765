/** Readings: the ways to cover the query's terms with nodes, as a graph to walk depth first (relevance.md 3.1, 3.4). */
import { DocSet } from './doc-set.ts';
import type { MatchSets, TypoLevel } from './match-sets.ts';
import type { QueryGraph, QueryNode } from './query-node.ts';

/** Bit `t` stands for typo level `t`. */
export const ALL_LEVELS = 0b111;

/** A node of a reading with its allowance. */
export interface Step {
  readonly node: QueryNode;
  /** Allowed typo levels, a mask. */
  readonly levels: number;
  /** Narrowed to the exact word or phrase. */
  readonly exactOnly: boolean;
}

export type Reading = readonly Step[];

/** `next` is empty at the end of a reading. Shared suffixes make a graph of few nodes stand for many readings. */
export interface GraphNode {
  readonly step: Step;
  readonly next: readonly GraphNode[];
}

/** First nodes of all readings, in the order in which they are tried. */
export type ReadingGraph = readonly GraphNode[];

/** All complete segmentations of the query into nodes. */
export function initialReadings({ nodes, termCount }: QueryGraph): ReadingGraph {
  const starting: GraphNode[][] = [];
  for (let id = 0; id <= termCount; id++) starting.push([]);
  for (const node of nodes) {
    starting[node.firstId]!.push({
      step: { node, levels: ALL_LEVELS, exactOnly: false },
      next: starting[node.lastId + 1]!,
    });
  }
  return starting[0]!;
}

/** The graph of a list of readings: they branch at their first nodes only. */
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

/** Documents that hold an allowed derivation of the step. */
export function stepDocuments({ node, levels, exactOnly }: Step, sets: MatchSets): DocSet {
  if (exactOnly) return sets.exact(node);
  if ((levels & (levels - 1)) === 0) return sets.level(node, (31 - Math.clz32(levels)) as TypoLevel);
  return sets.union(node, levels);
}

/** Largest sum over a reading of `cost(step)`, whatever documents hold. */
export function largestCost(
  graph: ReadingGraph,
  cost: (step: Step, previous: Step | null) => number,
  previous: Step | null = null,
): number {
  let largest = 0;
  for (const { step, next } of graph) {
    largest = Math.max(largest, cost(step, previous) + (next.length > 0 ? largestCost(next, cost, step) : 0));
  }
  return largest;
}

export interface SatisfiedReading {
  readonly reading: Reading;
  readonly docs: DocSet;
}

/** Readings that some document of the universe satisfies, in walking order, each with those documents. */
export function satisfiedReadings(graph: ReadingGraph, universe: DocSet, sets: MatchSets): SatisfiedReading[] {
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

/** One way to take a step under a rule: what it costs, what it asks of a document, what it hands down. */
export interface StepOption {
  readonly cost: number;
  /** null: no condition. */
  readonly docs: DocSet | null;
  /** null: the step is dropped. */
  readonly handedDown: Step | null;
  /** Removal group of a kept or skipped removable node, 0 when none (words rule). */
  readonly group: number;
}

export interface CostBucket {
  readonly docs: DocSet;
  readonly readings: readonly Reading[];
}

/** Lowest and highest cost of what remains to the end. */
export type CostRange = readonly [least: number, most: number];

export const NOTHING_REMAINS: CostRange = [0, 0];

/**
 * Walks all instantiations of a graph rule whose options are document sets, cost by cost.
 * Each document goes to the first instantiation of its cost; instantiations that capture nothing are not handed down.
 */
export class SetWalk {
  readonly #graph: ReadingGraph;
  readonly #options: (step: Step) => readonly StepOption[];
  readonly #ranges = new Map<ReadingGraph, CostRange>();
  readonly #memo = new Map<Step, readonly StepOption[]>();

  constructor(graph: ReadingGraph, options: (step: Step) => readonly StepOption[]) {
    this.#graph = graph;
    this.#options = options;
  }

  /** Documents of the universe whose cost is `cost`, given that none has a lower one. */
  bucket(universe: DocSet, cost: number): CostBucket {
    const captures: DocSet[] = [];
    const readings: Reading[] = [];
    let left = universe;
    const walk = (nodes: ReadingGraph, docs: DocSet, spent: number, skipped: number, path: Step[]): void => {
      for (const node of nodes) {
        const [least, most] = this.#rangeOf(node.next);
        for (const option of this.#optionsOf(node.step)) {
          if (left.isEmpty) return;
          const total = spent + option.cost;
          if (total + least > cost || total + most < cost) continue;
          const isKept = option.handedDown !== null;
          // A skipped node forbids the nodes after it that go before it; what stands before it has been passed already.
          if (isKept && option.group > 0 && option.group < skipped) continue;
          const holding = option.docs ? docs.retain(option.docs) : docs;
          if (holding.isEmpty) continue;
          const nextPath = option.handedDown ? [...path, option.handedDown] : path;
          const nextSkipped = isKept ? skipped : Math.max(skipped, option.group);
          if (node.next.length > 0) walk(node.next, holding, total, nextSkipped, nextPath);
          else if (nextPath.length > 0) {
            const captured = captures.length === 0 ? holding : withoutAll(holding, captures);
            if (captured.isEmpty) continue;
            captures.push(captured);
            readings.push(nextPath);
            left = left.without(captured);
          }
        }
      }
    };
    walk(this.#graph, universe, 0, 0, []);
    return { docs: DocSet.unionOf(captures, universe.words), readings };
  }

  /** Largest cost of a complete instantiation, options that match nothing included. */
  get largestCost(): number {
    return this.#rangeOf(this.#graph)[1];
  }

  #optionsOf(step: Step): readonly StepOption[] {
    let options = this.#memo.get(step);
    if (!options) {
      options = this.#options(step);
      this.#memo.set(step, options);
    }
    return options;
  }

  #rangeOf(nodes: ReadingGraph): CostRange {
    if (nodes.length === 0) return NOTHING_REMAINS;
    let range = this.#ranges.get(nodes);
    if (!range) {
      range = this.#newRange(nodes);
      this.#ranges.set(nodes, range);
    }
    return range;
  }

  #newRange(nodes: ReadingGraph): CostRange {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (const { step, next } of nodes) {
      const [leastAfter, mostAfter] = this.#rangeOf(next);
      for (const { cost } of this.#optionsOf(step)) {
        least = Math.min(least, cost + leastAfter);
        most = Math.max(most, cost + mostAfter);
      }
    }
    return [least, most];
  }
}

function withoutAll(docs: DocSet, others: readonly DocSet[]): DocSet {
  let left = docs;
  for (const other of others) left = left.without(other);
  return left;
}
