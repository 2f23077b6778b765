/** Buckets of a rule whose options are document sets: words, typo and word exactness. */

import { graphOf, SetWalk, type Step, type StepOption } from '../../matching/readings.ts';
import type { DocSet } from '../../sets/doc-set.ts';
import type { Bucket, BucketSource, RankDetail, RuleInput } from './ranking-rule.ts';

export class SetBuckets implements BucketSource {
  readonly #walk: SetWalk;
  readonly #input: RuleInput;
  readonly #detail: (cost: number) => RankDetail;
  #cost = 0;

  /** @param detail of a bucket of that cost; is given the largest cost first */
  constructor(
    input: RuleInput,
    options: (step: Step) => readonly StepOption[],
    detail: (largestCost: number) => (cost: number) => RankDetail,
  ) {
    this.#walk = new SetWalk(input.graph, options);
    this.#input = input;
    this.#detail = detail(this.#walk.largestCost);
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
