/**
 * Documents by similarity of their vectors to the query's vector; equal similarities share a
 * bucket; documents without a vector come last (relevance.md 7.2).
 */
import type { Neighbour } from '../../../engine/vectors/vectors.ts';
import type { FindNeighbours } from '../../semantic/neighbours.ts';
import { DocSet } from '../../sets/doc-set.ts';
import type { Bucket, BucketSource, RankingRule, RuleInput } from './ranking-rule.ts';

/**
 * @param shown converts a similarity to a score
 * @param windowEnd number of documents that the search needs; the cost grows with it
 */
export const vectorSort = (
  find: FindNeighbours,
  shown: (similarity: number) => number,
  windowEnd: number,
): RankingRule => ({
  start: (_context, input) => new NeighbourBuckets(find, shown, windowEnd + 1, input),
});

/** Requests neighbours in growing batches of the remaining universe. */
class NeighbourBuckets implements BucketSource {
  readonly #find: FindNeighbours;
  readonly #shown: (similarity: number) => number;
  readonly #input: RuleInput;
  #portion: number;
  #found: readonly Neighbour[] = [];
  #next = 0;
  #isExhausted = false;

  constructor(
    find: FindNeighbours,
    shown: (similarity: number) => number,
    portion: number,
    input: RuleInput,
  ) {
    this.#find = find;
    this.#shown = shown;
    this.#portion = portion;
    this.#input = input;
  }

  next(universe: DocSet): Bucket | null {
    let end = this.#endOfEquals();
    while (end === this.#found.length && !this.#isExhausted) {
      this.#ask(universe);
      end = this.#endOfEquals();
    }
    if (this.#next === end) return this.#bucketOf(universe, null);
    const { similarity } = this.#found[this.#next]!;
    const equal = this.#found.slice(this.#next, end).filter(({ docId }) => universe.has(docId));
    this.#next = end;
    if (equal.length === 0) return this.next(universe);
    const docs = Uint32Array.from(equal, ({ docId }) => docId);
    return this.#bucketOf(DocSet.fromList(docs, universe.bitsetLength), this.#shown(similarity));
  }

  /** End of the documents that are as similar as the next one. */
  #endOfEquals(): number {
    const first = this.#found[this.#next];
    let end = this.#next;
    while (this.#found[end] !== undefined && this.#found[end]!.similarity === first!.similarity)
      end++;
    return end;
  }

  /** Requests the best remaining documents, starting after the known ones. */
  #ask(universe: DocSet): void {
    this.#found = this.#find(universe, this.#portion);
    this.#next = 0;
    this.#isExhausted = this.#found.length < this.#portion;
    this.#portion *= 2;
  }

  #bucketOf(docs: DocSet, similarity: number | null): Bucket {
    const { graph, positions } = this.#input;
    return { docs, graph, positions, detail: { rule: 'vectorSort', similarity } };
  }
}
