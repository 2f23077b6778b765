/**
 * Readings: interpretations of the query as nodes that cover its terms, in a graph that is walked
 * depth first (relevance.md 3.1, 3.4).
 */

import type { QueryGraph, QueryNode } from '../query/query-node.ts';
import { DocSet } from '../sets/doc-set.ts';
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

/**
 * One option of a step under a rule: its cost, its required documents, and the step for the next
 * rule.
 */
export interface StepOption {
  readonly cost: number;
  /** null: no condition. */
  readonly docs: DocSet | null;
  /** null: the step is dropped. */
  readonly handedDown: Step | null;
  /** Removal group of a kept or skipped removable node, 0 when none (words rule). */
  readonly group: number;
}

/**
 * Creates all options, so that they share one hidden class. The first member has a unique name:
 * objects with the same first members are migrated together when an integer cost becomes a fraction
 * in one of them.
 */
export const stepOption = (
  handedDown: Step | null,
  cost: number,
  docs: DocSet | null,
  group = 0,
): StepOption => ({ handedDown, cost, docs, group });

export interface CostBucket {
  readonly docs: DocSet;
  readonly readings: readonly Reading[];
}

/** Lowest and highest cost of the remaining steps. */
export type CostRange = readonly [least: number, most: number];

export const NOTHING_REMAINS: CostRange = [0, 0];

/**
 * Walks all instantiations of a graph rule whose options are document sets, in order of cost. Each
 * document goes to the first instantiation of its cost; instantiations without documents are not
 * passed on.
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

  /** Documents of the universe whose cost is `cost`; no document may have a lower one. */
  bucket(universe: DocSet, cost: number): CostBucket {
    const found: Captures = { cost, sets: [], readings: [], left: universe };
    this.#walk(this.#graph, { docs: universe, spent: 0, skipped: 0, path: [] }, found);
    return {
      docs: DocSet.unionOf(found.sets, universe.bitsetLength),
      readings: found.readings,
    };
  }

  #walk(nodes: ReadingGraph, before: Instantiation, found: Captures): void {
    for (const node of nodes) {
      const range = this.#rangeOf(node.next);
      for (const option of this.#optionsOf(node.step)) {
        if (found.left.isEmpty) return;
        const longer = extended(before, option, found.cost, range);
        if (longer === null) continue;
        if (node.next.length > 0) this.#walk(node.next, longer, found);
        else capture(longer, found);
      }
    }
  }

  /** Largest cost of a complete instantiation, including options without documents. */
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

/** True if the remaining steps can raise the cost from `spent` to `cost`. */
export const canEndAt = (cost: number, spent: number, [least, most]: CostRange): boolean =>
  spent + least <= cost && cost <= spent + most;

/** A partial path through the graph. */
interface Instantiation {
  readonly docs: DocSet;
  readonly spent: number;
  /** The highest group of its skipped nodes. */
  readonly skipped: number;
  readonly path: Reading;
}

/** Results of a walk for one cost. */
interface Captures {
  readonly cost: number;
  readonly sets: DocSet[];
  readonly readings: Reading[];
  left: DocSet;
}

/**
 * The partial path with one more option. Null if the total cannot reach the cost, if no document
 * matches, or if it would keep a node of a lower group than a skipped one, because such paths were
 * walked before.
 */
function extended(
  before: Instantiation,
  option: StepOption,
  cost: number,
  range: CostRange,
): Instantiation | null {
  const { handedDown, group } = option;
  const spent = before.spent + option.cost;
  if (!canEndAt(cost, spent, range)) return null;
  if (handedDown !== null && group > 0 && group < before.skipped) return null;
  const docs = option.docs ? before.docs.retain(option.docs) : before.docs;
  if (docs.isEmpty) return null;
  return {
    docs,
    spent,
    skipped: handedDown === null ? Math.max(before.skipped, group) : before.skipped,
    path: handedDown === null ? before.path : [...before.path, handedDown],
  };
}

function capture({ docs, path }: Instantiation, found: Captures): void {
  if (path.length === 0) return;
  const captured = withoutAll(docs, found.sets);
  if (captured.isEmpty) return;
  found.sets.push(captured);
  found.readings.push(path);
  found.left = found.left.without(captured);
}

function withoutAll(docs: DocSet, others: readonly DocSet[]): DocSet {
  let left = docs;
  for (const other of others) left = left.without(other);
  return left;
}

/** Whether a synonym may stand in a field that does not count, where costs of any field count it. */
export const hasUncountedSynonyms = (sets: MatchSets, { node }: Step): boolean =>
  sets.anywhere !== null && node.derivations.synonyms.length > 0;
