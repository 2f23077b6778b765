/**
 * Strategy `any`: documents that contain at least one word of the query, and the query words of
 * each document (relevance.md 3.2).
 */
import type { Deadline } from '../../core/deadline.ts';
import { isTerm, type QueryGraph } from '../query/query-node.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { MatchSets } from './match-sets.ts';
import { ALL_TYPOS, graphOf, type ReadingGraph, type Step } from './readings.ts';

/** In smaller indexes word frequencies say little. */
const TELLING_DOCUMENTS_MIN = 10;

/** True for a word in more than half of the documents; in a small index, in all documents. */
export const saysNothing = (having: number, documents: number): boolean =>
  documents < TELLING_DOCUMENTS_MIN ? having === documents : having * 2 > documents;

/**
 * With phrases, the documents that match all phrases. Else the documents with an informative word,
 * or with any word if no document of `allowed` has one. @param deadline only a curb matters
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
  const insideWords = query.nodes.filter(({ kind, length }) => kind === 'part' && length === 1);
  const found = query.nodes.flatMap((node) => {
    if (insideWords.includes(node)) return [];
    deadline.check();
    const own = sets.withAnyTypos(node, ALL_TYPOS);
    // A part of one word is informative with the word only.
    const parts = insideWords.filter(
      ({ firstId }) => node.length === 1 && firstId === node.firstId,
    );
    if (parts.length === 0) return [own];
    const all = [own, ...parts.map((part) => sets.withAnyTypos(part, ALL_TYPOS))];
    return [DocSet.unionOf(all, own.bitsetLength)];
  });
  const telling = found.filter(({ count }) => !saysNothing(count, sets.live.count));
  const docs = allowed.retain(DocSet.unionOf(telling, sets.live.bitsetLength));
  return docs.isEmpty ? allowed.retain(DocSet.unionOf(found, sets.live.bitsetLength)) : docs;
}

/**
 * The documents of `docs` that contain every informative word of the query, alone or joined with
 * its neighbours; every word if none is informative.
 */
export function documentsWithEvery(query: QueryGraph, docs: DocSet, sets: MatchSets): DocSet {
  const having = documentsByTerm(query, sets);
  const telling = having.filter(({ count }) => !saysNothing(count, sets.live.count));
  return [docs, ...(telling.length > 0 ? telling : having)]
    .sort((a, b) => a.count - b.count)
    .reduce((held, one) => held.retain(one));
}

/** By term id: the documents with a node that covers the term. */
export const documentsByTerm = ({ nodes, termCount }: QueryGraph, sets: MatchSets): DocSet[] =>
  Array.from({ length: termCount }, (_, id) => {
    const covering = nodes.filter(({ firstId, lastId }) => firstId <= id && id <= lastId);
    return DocSet.unionOf(
      covering.map((node) => sets.withAnyTypos(node, ALL_TYPOS)),
      sets.live.bitsetLength,
    );
  });

/** Documents with the query words and phrases that they contain. */
interface Holding {
  readonly docs: DocSet;
  readonly steps: readonly Step[];
}

/** Each combination of query words that documents of `docs` contain, as readings. */
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

/** Words and phrases of the query in order. */
export const termSteps = ({ nodes }: QueryGraph): Step[] =>
  nodes
    .filter(isTerm)
    .sort((a, b) => a.firstId - b.firstId)
    .map((node) => ({ node, typoMask: ALL_TYPOS, exactOnly: false }));
