/** Nodes of a query graph, after the look-up of the query's words. */
import type { NodeContent } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { derivationsWithin } from '../snapshot/segment-subset.ts';

export interface QueryNode extends NodeContent {
  readonly kind: 'word' | 'phrase' | 'ngram' | 'part';
  /** Index in `QueryGraph.nodes`; successors are tried in this order. */
  readonly number: number;
  readonly firstId: number;
  readonly lastId: number;
  /** Number of term ids covered: 1, 2 or 3; any number for a part of a chunk. */
  readonly length: number;
  /** First and last query position. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /**
   * True if the node may match in fields without typo tolerance, too (words may, ngrams may not).
   */
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
  const { exact, completions, synonyms, phrase, oneTypo, split, twoTypos, chunks } = derivations;
  return (
    (exact || completions || phrase || synonyms.length > 0 ? 1 : 0) |
    (oneTypo.length > 0 || split ? 2 : 0) |
    (twoTypos.length > 0 || chunks !== null ? 4 : 0)
  );
}

/** True for a term of the query; other nodes stand for the terms that they cover. */
export const isTerm = ({ kind }: QueryNode): boolean => kind === 'word' || kind === 'phrase';

/** Restricts a node of a snapshot to a subset of it. */
export const nodeWithin = (
  node: QueryNode,
  whole: IndexSnapshot,
  part: IndexSnapshot,
): QueryNode =>
  part === whole
    ? node
    : { ...node, derivations: derivationsWithin(node.derivations, whole, part) };
