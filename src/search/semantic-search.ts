/**
 * The documents of a universe by the similarity of their vectors to the vector of the request
 * (relevance.md 7.2).
 */
import { limits } from '../core/limits.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { cutWindow, rankDocuments, type WantedDocuments, windowToRank } from './ranked-window.ts';
import { vectorLevels } from './ranking/ranking-levels.ts';
import { vectorSort } from './ranking/rules/vector-sort.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { wordlessContext } from './ranking/wordless-context.ts';
import { neighboursOf, shownSimilarity } from './semantic/neighbours.ts';
import { DocSet } from './sets/doc-set.ts';

/** An embedder and a vector with its dimensions. */
export interface SemanticTarget {
  readonly embedder: string;
  readonly vector: Float32Array;
  /** Minimum similarity as a score; undefined = documents without a vector are found, too. */
  readonly threshold: number | undefined;
}

export function semanticSearch(
  prepared: PreparedSearch,
  target: SemanticTarget,
  allowed: DocSet,
  { window, wantsScores }: WantedDocuments,
): SearchOutcome {
  const { snapshot, request } = prepared;
  const { settings } = snapshot.manifest;
  const { embedder, vector } = target;
  const ranking = windowToRank(prepared, window);
  const shown = shownSimilarity(snapshot, embedder);
  const find = neighboursOf(snapshot, embedder, vector);
  const universe = nearEnough(prepared, target, allowed);
  const rule = vectorSort(find, shown, ranking.offset + ranking.limit);
  const levels = vectorLevels({ settings, sort: request.sort }, rule);
  const context = wordlessContext(snapshot);
  const step = 'search > rank by meaning';
  const wanted = { window: ranking, wantsScores };
  const ranked = rankDocuments(prepared, { context, universe, levels, step }, wanted);
  prepared.times?.end(step, request.showProfile ? ranked.candidates.count : undefined);
  const hasVectorRule = levels.some((level) => level.rule === rule);
  const documents = ranking === window ? ranked.documents : cutWindow(ranked.documents, window);
  return {
    documents,
    candidates: ranked.candidates,
    isDegraded: ranked.isDegraded,
    query: null,
    queryVector: vector,
    semanticHitCount: hasVectorRule ? documents.length : 0,
    grouping: null,
  };
}

/** Number of documents searched first under a threshold, and the factor of each further search. */
const FIRST_SOUGHT = 128;
const MORE_SOUGHT = 8;

/**
 * With a threshold, the nearest documents that reach it, up to the maximum that pages can show, so
 * that the result is independent of the page. Few documents reach most thresholds, so the first
 * search is small.
 */
function nearEnough(
  { snapshot }: PreparedSearch,
  { embedder, vector, threshold }: SemanticTarget,
  allowed: DocSet,
): DocSet {
  if (threshold === undefined) return allowed;
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  const countMax = Math.min(maxTotalHits, limits.semanticHitsMax);
  const shown = shownSimilarity(snapshot, embedder);
  const find = neighboursOf(snapshot, embedder, vector);
  for (let count = FIRST_SOUGHT; ; count *= MORE_SOUGHT) {
    const near = find(allowed, Math.min(count, countMax));
    const reaching = near.filter(({ similarity }) => shown(similarity) >= threshold);
    const isAll = count >= countMax || reaching.length < count;
    if (!isAll) continue;
    const docIds = reaching.map(({ docId }) => docId);
    return DocSet.fromUnordered(Uint32Array.from(docIds), snapshot.bitsetLength);
  }
}
