/**
 * Proximity by attribute: buckets by how many neighbours in the query share no field of the
 * document (relevance.md 3.7). A pair of words is looked up when what is left of the universe comes
 * to it, cheapest cost first: what has been looked up, and where, changes what later buckets of the
 * search find (`field-neighbours.ts`).
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

/** What the rule makes of a query, whatever documents hold. */
export interface NeighbourCosts {
  /** Cost of a step whatever stands before it. */
  base(step: Step): number;
  areNeighbours(left: Step | null, right: Step): boolean;
  /** Added for neighbours that share no field. */
  readonly far: number;
  readonly largest: number;
}

/**
 * Added for neighbours that share a field, which only the look-up against the order of the query
 * tells.
 */
const REVERSED = 1;

/** A step is taken in one of several ways, no two of which a document can take. */
interface Option {
  readonly cost: number;
  /** Documents that take it; pairs are looked up among `left` when this is the first time. */
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
   * Documents of the universe whose cost is `cost`, given that none has a lower one, and the
   * readings that take them.
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

/** The beginning of a reading and the documents that take it. */
interface Instantiation {
  readonly docs: DocSet;
  readonly spent: number;
  readonly path: Reading;
}

/** What a walk for one cost has found so far. */
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
