/**
 * The documents that match the words of a request, or all documents without words, by the index's
 * ranking rules.
 */
import { needsFormatting } from './answer/formatting/format-rules.ts';
import { withKnownTypos } from './answer/formatting/known-typos.ts';
import { documentsWithAny } from './matching/any-word.ts';
import { FieldNeighbours } from './matching/field-neighbours.ts';
import { buildQueryGraph } from './matching/query-graph.ts';
import { ReadingScan } from './matching/reading-scan.ts';
import { matchingDocuments, removalGroups } from './matching/universe.ts';
import type { PreparedSearch } from './prepared-search.ts';
import type { QueryGraph } from './query/query-node.ts';
import { type RankedWindow, rankDocuments, type WantedDocuments } from './ranked-window.ts';
import { rankingLevels } from './ranking/ranking-levels.ts';
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
    stepCosts: new Map(),
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
  if (isPlaceholder) return outcomeOf(ranked, null);
  const knowsAllTypos =
    takesAnyWord || request.matchingStrategy === 'frequency' || !needsFormatting(request);
  if (knowsAllTypos) return outcomeOf(ranked, query);
  const { pinned } = prepared;
  const shown =
    pinned === null ? universe : DocSet.unionOf([universe, pinned], snapshot.bitsetLength);
  return outcomeOf(ranked, withKnownTypos(query, shown, sets));
}

const outcomeOf = (
  { documents, candidates, isDegraded }: RankedWindow,
  query: QueryGraph | null,
): SearchOutcome => ({
  documents,
  candidates,
  isDegraded,
  query,
  queryVector: null,
  semanticHitCount: null,
  grouping: null,
});

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
