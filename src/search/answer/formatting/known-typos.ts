/** The typos of a query that its search came to know: only those are marked (relevance.md 6.3). */

import type { MatchSets } from '../../matching/match-sets.ts';
import { ALL_TYPOS } from '../../matching/readings.ts';
import type { QueryGraph, QueryNode } from '../../query/query-node.ts';
import { DocSet } from '../../sets/doc-set.ts';

/**
 * A search looks at a term's typos once it stands at the term: when some document holds what comes
 * before it in a reading. Terms that no document leads to keep only what needs no typo.
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
  derivations: { ...node.derivations, oneTypo: [], split: null, twoTypos: [] },
});

function reachedNodes(
  { nodes, termCount }: QueryGraph,
  universe: DocSet,
  sets: MatchSets,
): Set<QueryNode> {
  const reached = new Set<QueryNode>();
  /** By term id: documents that hold a reading of everything before it, in parts. */
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
