/**
 * Buckets of a rule that walks the readings in order of cost. A document goes to the first reading
 * of its least cost.
 */
import { getOrCompute } from '../../../core/get-or-compute.ts';
import {
  type GraphNode,
  graphOf,
  type Reading,
  type ReadingGraph,
  type Step,
} from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import {
  type Bucket,
  type BucketSource,
  type CostRule,
  costDetail,
  type PricedRule,
  type RuleInput,
} from './ranking-rule.ts';

/** One option of a step under a rule. */
export interface StepOption {
  /** For the next rule; null: the step is dropped. */
  readonly handedDown: Step | null;
  readonly cost: number;
  /** Required documents; null: no condition. @param left documents that are in no bucket yet */
  readonly docs: (left: DocSet) => DocSet | null;
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
  docs: StepOption['docs'],
  group = 0,
): StepOption => ({ handedDown, cost, docs, group });

/** Returns the same list for the same steps. @param previous null for the first step */
export type OptionsOfSteps = (step: Step, previous: Step | null) => readonly StepOption[];

/** Options that do not depend on the step before, computed once for each step. */
export function optionsByStep(options: (step: Step) => readonly StepOption[]): OptionsOfSteps {
  const known = new Map<Step, readonly StepOption[]>();
  return (step) => getOrCompute(known, step, () => options(step));
}

/** An option whose documents are known. */
export const setOption = (
  handedDown: Step | null,
  cost: number,
  docs: DocSet | null,
  group = 0,
): StepOption => stepOption(handedDown, cost, () => docs, group);

/** Lowest and highest cost of the remaining steps. */
type CostRange = readonly [least: number, most: number];

export class WalkedBuckets implements BucketSource {
  readonly #input: RuleInput;
  readonly #options: OptionsOfSteps;
  /** Of the steps after a node. */
  readonly #ranges = new Map<GraphNode, CostRange>();
  /** Of a complete reading, including options without documents. */
  readonly #largest: number;
  readonly #scored: Omit<PricedRule, 'costs'>;
  #cost = 0;

  /** @param scoredMore added to the number of costs that the score distinguishes */
  constructor(rule: CostRule, input: RuleInput, options: OptionsOfSteps, scoredMore = 0) {
    this.#input = input;
    this.#options = options;
    this.#largest = this.#rangeOf(input.graph, null)[1];
    this.#scored = { rule, largest: this.#largest + scoredMore };
  }

  next(universe: DocSet): Bucket | null {
    while (!universe.isEmpty && this.#cost <= this.#largest) {
      const cost = this.#cost++;
      const { graph, positions } = this.#input;
      const found: Captures = { cost, universe, sets: [], readings: [], left: universe };
      this.#walk(graph, null, { docs: universe, spent: 0, skipped: 0, path: [] }, found);
      if (found.sets.length === 0) continue;
      return {
        docs: DocSet.unionOf(found.sets, universe.bitsetLength),
        graph: graphOf(found.readings),
        detail: costDetail(this.#scored, cost),
        positions,
      };
    }
    return null;
  }

  #walk(nodes: ReadingGraph, previous: Step | null, before: Instantiation, found: Captures): void {
    for (const node of nodes) {
      const range = this.#rangeAfter(node);
      for (const option of this.#options(node.step, previous)) {
        if (found.left.isEmpty) return;
        const longer = extended(before, option, found, range);
        if (longer === null) continue;
        if (node.next.length > 0) this.#walk(node.next, node.step, longer, found);
        else capture(longer, found);
      }
    }
  }

  #rangeAfter(node: GraphNode): CostRange {
    return getOrCompute(this.#ranges, node, () => this.#rangeOf(node.next, node.step));
  }

  #rangeOf(nodes: ReadingGraph, previous: Step | null): CostRange {
    if (nodes.length === 0) return [0, 0];
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (const node of nodes) {
      const [leastAfter, mostAfter] = this.#rangeAfter(node);
      for (const { cost } of this.#options(node.step, previous)) {
        least = Math.min(least, cost + leastAfter);
        most = Math.max(most, cost + mostAfter);
      }
    }
    return [least, most];
  }
}

/** A partial path through the graph. */
interface Instantiation {
  readonly docs: DocSet;
  readonly spent: number;
  /** The highest group of its skipped nodes. */
  readonly skipped: number;
  readonly path: Reading;
}

/** Results of a walk for one cost; no document of the universe has a lower one. */
interface Captures {
  readonly cost: number;
  readonly universe: DocSet;
  readonly sets: DocSet[];
  readonly readings: Reading[];
  /** The universe without the sets. */
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
  { cost, universe, left }: Captures,
  [least, most]: CostRange,
): Instantiation | null {
  const { handedDown, group } = option;
  const spent = before.spent + option.cost;
  if (cost < spent + least || cost > spent + most) return null;
  if (handedDown !== null && group > 0 && group < before.skipped) return null;
  const own = option.docs(left);
  const holding = own === null ? before.docs : before.docs.retain(own);
  const docs = left === universe ? holding : holding.retain(left);
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
  found.sets.push(docs);
  found.readings.push(path);
  found.left = found.left.without(docs);
}
