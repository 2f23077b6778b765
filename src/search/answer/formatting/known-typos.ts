/**
 * Restricts the typos of a query to those that its search has computed: only they are highlighted
 * (relevance.md 6.3).
 */

import type { MatchSets } from '../../matching/match-sets.ts';
import { ALL_TYPOS } from '../../matching/readings.ts';
import type { QueryGraph, QueryNode } from '../../query/query-node.ts';
import { DocSet } from '../../sets/doc-set.ts';

/**
 * A search computes a term's typos when it reaches the term: when a document holds the preceding
 * terms of an interpretation. Terms that no document reaches keep only matches without typos.
 */
export function withKnownTypos(query: QueryGraph, universe: DocSet, sets: MatchSets): QueryGraph {
  const reached = reachedNodes(query, universe, sets);
  return {
    ...query,
    nodes: query.nodes.map((node) => (reached.has(node) ? node : withoutTypos(node))),
  };
}

const withoutTypos = (node: QueryNode): QueryNode => ({
  ...node,
  derivations: { ...node.derivations, oneTypo: [], split: null, twoTypos: [], chunks: null },
});

function reachedNodes(
  { nodes, termCount }: QueryGraph,
  universe: DocSet,
  sets: MatchSets,
): Set<QueryNode> {
  const reached = new Set<QueryNode>();
  /** By term id: documents that hold an interpretation of all preceding terms, in parts. */
  const before: DocSet[][] = Array.from({ length: termCount + 1 }, () => []);
  before[0]!.push(universe);
  for (let id = 0; id < termCount; id++) {
    const docs = DocSet.unionOf(before[id]!, universe.bitsetLength);
    if (docs.isEmpty) continue;
    for (const node of nodes) {
      if (node.firstId !== id) continue;
      reached.add(node);
      before[node.lastId + 1]!.push(docs.retain(sets.withAnyTypos(node, ALL_TYPOS)));
    }
  }
  return reached;
}
