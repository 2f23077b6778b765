/** What a query is made of once its words have been looked up. */
import type { NodeContent } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { derivationsWithin } from '../snapshot/snapshot-part.ts';

export interface QueryNode extends NodeContent {
  readonly kind: 'word' | 'phrase' | 'ngram';
  /** Index in `QueryGraph.nodes`; successors are tried in this order. */
  readonly number: number;
  readonly firstId: number;
  readonly lastId: number;
  /** Number of term ids covered: 1, 2 or 3. */
  readonly length: number;
  /** First and last query position. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Whether the node may be found in exact fields too (words may, ngrams may not). */
  readonly reachesExactFields: boolean;
}

export interface QueryGraph {
  readonly nodes: readonly QueryNode[];
  readonly termCount: number;
  /** Non-gap words in all phrases. */
  readonly phraseWordCount: number;
}

/** Bit `n`: the node has derivations with `n` typos. */
export function derivedTypoMask({ derivations }: QueryNode): number {
  const { exact, completions, synonyms, phrase, oneTypo, split, twoTypos } = derivations;
  return (
    (exact || completions || phrase || synonyms.length > 0 ? 1 : 0) |
    (oneTypo.length > 0 || split ? 2 : 0) |
    (twoTypos.length > 0 ? 4 : 0)
  );
}

/** A node of a snapshot in a part of it. */
export const nodeWithin = (
  node: QueryNode,
  whole: IndexSnapshot,
  part: IndexSnapshot,
): QueryNode =>
  part === whole
    ? node
    : { ...node, derivations: derivationsWithin(node.derivations, whole, part) };
