/**
 * Proximity by attribute: buckets by the number of neighbours in the query that share no field of
 * the document (relevance.md 3.7). A pair of words is looked up when the remaining universe reaches
 * it, lowest cost first. Which pairs were looked up, and where, changes the results of later
 * buckets of the search (`field-neighbours.ts`).
 */

import {
  type CostBucket,
  type CostRange,
  canEndAt,
  type GraphNode,
  NOTHING_REMAINS,
  type Reading,
  type ReadingGraph,
  type Step,
  stepDocuments,
} from '../../matching/readings.ts';
import { DocSet } from '../../sets/doc-set.ts';
import type { RankingContext } from './ranking-rule.ts';
import type { CostWalk } from './walked-buckets.ts';

/** Costs of a query, without regard to documents. */
export interface NeighbourCosts {
  /** Cost of a step, whatever precedes it. */
  base(step: Step): number;
  areNeighbours(left: Step | null, right: Step): boolean;
  /** Added for neighbours that share no field. */
  readonly far: number;
  readonly largest: number;
}

/** Added for neighbours that share a field only when looked up against query order. */
const REVERSED = 1;

/** One option of a step; a document satisfies at most one option. */
interface Option {
  readonly cost: number;
  /** Documents that satisfy it; on first use, pairs are looked up among `left`. */
  bits(left: DocSet): Uint32Array;
}

export class FieldProximityWalk implements CostWalk {
  readonly largestCost: number;
  readonly #context: RankingContext;
  readonly #graph: ReadingGraph;
  readonly #costs: NeighbourCosts;
  readonly #options = new Map<Step | null, Map<Step, readonly Option[]>>();
  readonly #ranges = new Map<GraphNode, CostRange>();

  constructor(context: RankingContext, graph: ReadingGraph, costs: NeighbourCosts) {
    this.largestCost = costs.largest;
    this.#context = context;
    this.#graph = graph;
    this.#costs = costs;
  }

  /**
   * Documents of the universe whose cost is `cost`, and their readings; no document may have a
   * lower cost.
   */
  bucket(universe: DocSet, cost: number): CostBucket {
    const found: Captures = { cost, sets: [], readings: [], left: universe };
    this.#walk(this.#graph, { docs: universe, spent: 0, path: [] }, found);
    return {
      docs: DocSet.unionOf(found.sets, universe.bitsetLength),
      readings: found.readings,
    };
  }

  #walk(nodes: ReadingGraph, before: Instantiation, found: Captures): void {
    const previous = before.path.at(-1) ?? null;
    for (const node of nodes) {
      const range = this.#rangeAfter(node);
      for (const option of this.#optionsOf(previous, node.step)) {
        if (found.left.isEmpty) return;
        if (!canEndAt(found.cost, before.spent + option.cost, range)) continue;
        this.#goOn(node, extended(before, node.step, option, found.left), found);
      }
    }
  }

  #goOn(node: GraphNode, longer: Instantiation, found: Captures): void {
    if (longer.docs.isEmpty) return;
    if (node.next.length > 0) this.#walk(node.next, longer, found);
    else capture(longer, found);
  }

  #rangeAfter(node: GraphNode): CostRange {
    if (node.next.length === 0) return NOTHING_REMAINS;
    let range = this.#ranges.get(node);
    if (!range) {
      const { base, areNeighbours, far } = this.#costs;
      let least = Number.POSITIVE_INFINITY;
      let most = 0;
      for (const next of node.next) {
        const [leastAfter, mostAfter] = this.#rangeAfter(next);
        const apart = areNeighbours(node.step, next.step) ? far : 0;
        least = Math.min(least, base(next.step) + leastAfter);
        most = Math.max(most, base(next.step) + apart + mostAfter);
      }
      range = [least, most];
      this.#ranges.set(node, range);
    }
    return range;
  }

  #optionsOf(previous: Step | null, step: Step): readonly Option[] {
    let after = this.#options.get(previous);
    if (!after) {
      after = new Map();
      this.#options.set(previous, after);
    }
    let options = after.get(step);
    if (!options) {
      options = this.#newOptions(previous, step);
      after.set(step, options);
    }
    return options;
  }

  #newOptions(previous: Step | null, step: Step): Option[] {
    const { fieldNeighbours, sets } = this.#context;
    const cost = this.#costs.base(step);
    if (previous === null || !this.#costs.areNeighbours(previous, step)) {
      return [{ cost, bits: () => stepDocuments(step, sets).toBits() }];
    }
    const forward = once((left) => fieldNeighbours.forward(previous, step, left));
    const reversed = once((left) =>
      without(fieldNeighbours.reversed(previous, step, left), forward(left)),
    );
    const far = once((left) =>
      without(without(stepDocuments(step, sets).toBits(), forward(left)), reversed(left)),
    );
    return [
      { cost, bits: forward },
      { cost: cost + REVERSED, bits: reversed },
      { cost: cost + this.#costs.far, bits: far },
    ];
  }
}

/** A partial reading and its documents. */
interface Instantiation {
  readonly docs: DocSet;
  readonly spent: number;
  readonly path: Reading;
}

/** Results of a walk for one cost. */
interface Captures {
  readonly cost: number;
  readonly sets: DocSet[];
  readonly readings: Reading[];
  left: DocSet;
}

const extended = (
  { docs, spent, path }: Instantiation,
  step: Step,
  option: Option,
  left: DocSet,
): Instantiation => ({
  docs: docs.intersect(option.bits(left)).retain(left),
  spent: spent + option.cost,
  path: [...path, step],
});

function capture({ docs, path }: Instantiation, found: Captures): void {
  found.sets.push(docs);
  found.readings.push(path);
  found.left = found.left.without(docs);
}

const once = (find: (left: DocSet) => Uint32Array): ((left: DocSet) => Uint32Array) => {
  let found: Uint32Array | null = null;
  return (left) => {
    found ??= find(left);
    return found;
  };
};

const without = (bits: Uint32Array, others: Uint32Array): Uint32Array =>
  bits.map((word, i) => word & ~others[i]!);
