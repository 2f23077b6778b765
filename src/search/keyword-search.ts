/**
 * The documents that match the words of a request, or all documents without words, by the index's
 * ranking rules.
 */
import { needsFormatting } from './answer/formatting/format-rules.ts';
import { documentsWithAny } from './matching/any-word.ts';
import { FieldNeighbours } from './matching/field-neighbours.ts';
import type { MatchSets } from './matching/match-sets.ts';
import { buildQueryGraph } from './matching/query-graph.ts';
import { ReadingScan } from './matching/reading-scan.ts';
import { ALL_TYPOS } from './matching/readings.ts';
import { matchingDocuments, removalGroups } from './matching/universe.ts';
import type { PreparedSearch } from './prepared-search.ts';
import type { QueryGraph, QueryNode } from './query/query-node.ts';
import { type Ranking, rankDocuments, type WantedDocuments } from './ranked-window.ts';
import { rankingLevels, readsQuery } from './ranking/ranking-levels.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { DocSet } from './sets/doc-set.ts';

export function keywordSearch(prepared: PreparedSearch, wanted: WantedDocuments): SearchOutcome {
  const { snapshot, request, times, scopes, sets, vocabulary, parsed, allowed } = prepared;
  const isPlaceholder = parsed.terms.length === 0;
  const { synonyms, protectedWords } = snapshot.wordLists;
  const query = buildQueryGraph(parsed, {
    snapshot,
    vocabulary,
    sets,
    synonyms,
    protectedWords,
    inflections: inflectionsOf(prepared),
    deadline: prepared.deadline,
  });
  const groups = isPlaceholder
    ? new Int32Array(0)
    : removalGroups(query, request.matchingStrategy, sets);
  const takesAnyWord = request.matchingStrategy === 'any';
  const universe = isPlaceholder ? allowed : universeOf(prepared, query, groups);
  times?.end('search > find documents', request.showProfile ? universe.count : undefined);
  const context = {
    snapshot,
    sets,
    fieldNeighbours: new FieldNeighbours(snapshot, sets, scopes.presentFields),
    readingScan: new ReadingScan(snapshot),
    query,
    takesAnyWord,
    deadline: prepared.deadline,
    removalGroups: groups,
    presentFields: scopes.presentFields,
  };
  const levels = rankingLevels({
    settings: snapshot.manifest.settings,
    strategy: request.matchingStrategy,
    sort: request.sort,
    isPlaceholder,
  });
  const step = 'search > rank';
  const ranked = rankDocuments(prepared, { context, universe, levels, step }, wanted);
  times?.end(step, request.showProfile ? ranked.candidates.count : undefined);
  return {
    documents: ranked.documents,
    candidates: ranked.candidates,
    isDegraded: ranked.isDegraded,
    query: isPlaceholder ? null : highlightedQuery(prepared, { universe, levels, context }),
    queryVector: null,
    semanticHitCount: null,
    grouping: null,
  };
}

/**
 * The query with only the typos that its search has computed (relevance.md 6.3): rules that read
 * the query compute a term's typos when they reach the term, that is, when a document holds the
 * preceding terms of an interpretation; without such rules, only terms that no document may lack
 * are known.
 */
function highlightedQuery(
  { snapshot, request, sets, pinned }: PreparedSearch,
  { universe, levels, context }: Pick<Ranking, 'universe' | 'levels' | 'context'>,
): QueryGraph {
  const { query, removalGroups: groups } = context;
  // With the other strategies, finding documents computes the typos of all terms.
  if (request.matchingStrategy !== 'last' || !needsFormatting(request)) return query;
  const shown =
    pinned === null ? universe : DocSet.unionOf([universe, pinned], snapshot.bitsetLength);
  const reached = levels.some(({ name }) => readsQuery(name))
    ? reachedNodes(query, shown, sets)
    : new Set(query.nodes.filter(({ number }) => groups[number] === 0));
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

function universeOf(
  { request, sets, allowed, deadline }: PreparedSearch,
  query: QueryGraph,
  groups: Int32Array,
): DocSet {
  if (request.matchingStrategy === 'any') return documentsWithAny(query, allowed, sets, deadline);
  const matching = matchingDocuments(query, groups, sets, deadline);
  return matching === null ? allowed : allowed.retain(matching);
}

/** Restricted to the locales of the request, if any. */
function inflectionsOf({ snapshot, request: { locales } }: PreparedSearch): readonly string[] {
  const { inflections } = snapshot.manifest.settings;
  return locales === null ? inflections : inflections.filter((code) => locales.includes(code));
}
