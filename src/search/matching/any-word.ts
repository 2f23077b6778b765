/**
 * Strategy `any`: documents that hold at least one word of the query, and which of its words
 * documents hold (relevance.md 3.2).
 */
import type { Deadline } from '../../core/deadline.ts';
import type { QueryGraph } from '../query/query-node.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { MatchSets } from './match-sets.ts';
import { ALL_TYPOS, graphOf, type ReadingGraph, type Step } from './readings.ts';

/** An index of fewer documents tells too little of how frequent a word is. */
const TELLING_DOCUMENTS_MIN = 10;

/** True of what is in most documents: in more than half of them, in all of a small index. */
export const saysNothing = (having: number, documents: number): boolean =>
  documents < TELLING_DOCUMENTS_MIN ? having === documents : having * 2 > documents;

/**
 * With phrases, the documents that match all of them. Else those that hold a word that says
 * something, or any word when none of `allowed` does.
 * @param deadline only a curb matters
 */
export function documentsWithAny(
  query: QueryGraph,
  allowed: DocSet,
  sets: MatchSets,
  deadline: Deadline,
): DocSet {
  const phrases = query.nodes.filter(({ kind }) => kind === 'phrase');
  if (phrases.length > 0)
    return phrases.reduce((docs, node) => docs.retain(sets.exact(node)), allowed);
  const found = query.nodes.map((node) => {
    deadline.check();
    return sets.withAnyTypos(node, ALL_TYPOS);
  });
  const telling = found.filter(({ count }) => !saysNothing(count, sets.live.count));
  const docs = allowed.retain(DocSet.unionOf(telling, sets.live.bitsetLength));
  return docs.isEmpty ? allowed.retain(DocSet.unionOf(found, sets.live.bitsetLength)) : docs;
}

/**
 * Those of `docs` that hold every word of the query that says something, by itself or joined with
 * its neighbours; every word when none says anything.
 */
export function documentsWithEvery(
  { nodes, termCount }: QueryGraph,
  docs: DocSet,
  sets: MatchSets,
): DocSet {
  const having = Array.from({ length: termCount }, (_, id) => {
    const covering = nodes.filter(({ firstId, lastId }) => firstId <= id && id <= lastId);
    return DocSet.unionOf(
      covering.map((node) => sets.withAnyTypos(node, ALL_TYPOS)),
      sets.live.bitsetLength,
    );
  });
  const telling = having.filter(({ count }) => !saysNothing(count, sets.live.count));
  return [docs, ...(telling.length > 0 ? telling : having)]
    .sort((a, b) => a.count - b.count)
    .reduce((held, one) => held.retain(one));
}

/** Documents by the words and phrases of the query that they hold. */
interface Holding {
  readonly docs: DocSet;
  readonly steps: readonly Step[];
}

/** What documents of `docs` hold, each combination that occurs, as readings. */
export function heldReadings(query: QueryGraph, docs: DocSet, sets: MatchSets): ReadingGraph {
  let parts: readonly Holding[] = [{ docs, steps: [] }];
  for (const step of termSteps(query)) {
    const having = sets.withAnyTypos(step.node, ALL_TYPOS);
    parts = parts.flatMap((part) => splitBy(part, step, having));
  }
  return graphOf(parts.map(({ steps }) => steps));
}

function splitBy({ docs, steps }: Holding, step: Step, having: DocSet): Holding[] {
  const holding = docs.retain(having);
  if (holding.isEmpty) return [{ docs, steps }];
  const longer = { docs: holding, steps: [...steps, step] };
  return holding.count === docs.count ? [longer] : [longer, { docs: docs.without(having), steps }];
}

/** Words and phrases of the query in their order. */
export const termSteps = ({ nodes }: QueryGraph): Step[] =>
  nodes
    .filter(({ kind }) => kind !== 'ngram')
    .sort((a, b) => a.firstId - b.firstId)
    .map((node) => ({ node, typoMask: ALL_TYPOS, exactOnly: false }));
