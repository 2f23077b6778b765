/** Buckets of a rule that walks the graph of readings in order of cost. */
import {
  type CostBucket,
  graphOf,
  SetWalk,
  type Step,
  type StepOption,
} from '../../matching/readings.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { Bucket, BucketSource, RankDetail, RuleInput } from './ranking-rule.ts';

export interface CostWalk {
  /** No document costs more. */
  readonly largestCost: number;
  /** Documents of the universe whose cost is `cost`; no document may have a lower one. */
  bucket(universe: DocSet, cost: number): CostBucket;
}

export class WalkedBuckets implements BucketSource {
  readonly #walk: CostWalk;
  readonly #input: RuleInput;
  readonly #detail: (cost: number) => RankDetail;
  #cost = 0;

  constructor(walk: CostWalk, input: RuleInput, detail: (cost: number) => RankDetail) {
    this.#walk = walk;
    this.#input = input;
    this.#detail = detail;
  }

  next(universe: DocSet): Bucket | null {
    while (!universe.isEmpty && this.#cost <= this.#walk.largestCost) {
      const cost = this.#cost++;
      const { docs, readings } = this.#walk.bucket(universe, cost);
      if (docs.isEmpty) continue;
      return {
        docs,
        graph: graphOf(readings),
        detail: this.#detail(cost),
        positions: this.#input.positions,
      };
    }
    return null;
  }
}

/**
 * For rules whose options are document sets: words, typo and word exactness. @param detail of a
 * bucket of that cost; called with the largest cost first
 */
export function setBuckets(
  input: RuleInput,
  options: (step: Step) => readonly StepOption[],
  detail: (largestCost: number) => (cost: number) => RankDetail,
): WalkedBuckets {
  const walk = new SetWalk(input.graph, options);
  return new WalkedBuckets(walk, input, detail(walk.largestCost));
}
