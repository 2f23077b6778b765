/** The ranked documents of a window of a universe, and all documents that count. */
import { countsAll } from '../model/search.ts';
import { initialReadings } from './matching/readings.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { bucketSort } from './ranking/bucket-sort.ts';
import type { RankingLevel } from './ranking/ranking-levels.ts';
import type { RankingContext } from './ranking/rules/ranking-rule.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import type { Window } from './ranking/window.ts';
import type { DocSet } from './sets/doc-set.ts';
import { DistinctFilter } from './values/distinct.ts';

export interface WantedDocuments {
  readonly window: Window;
  /**
   * True if the scores of single documents are shown, or compared with scores of other searches.
   */
  readonly wantsScores: boolean;
}

export interface Ranking {
  readonly context: RankingContext;
  readonly universe: DocSet;
  readonly levels: readonly RankingLevel[];
  /** Name of the step in performance details. */
  readonly step: string;
}

/**
 * The window to rank. With a distinct field, the document that represents a value depends on the
 * documents ranked before it: if the counts must be the same on every page, all documents that
 * pages can show are ranked.
 */
export function windowToRank(
  { snapshot, request, distinctField }: PreparedSearch,
  window: Window,
): Window {
  const { pagination } = snapshot.manifest.settings;
  const hasThreshold = request.semantic?.threshold !== undefined;
  return hasThreshold && distinctField !== null
    ? { offset: 0, limit: pagination.maxTotalHits }
    : window;
}

/** Excludes the documents that share a value with a pinned one; null = no distinct field. */
export function startDistinct({
  snapshot,
  distinctField,
  pinned,
}: PreparedSearch): DistinctFilter | null {
  if (distinctField === null) return null;
  const distinct = new DistinctFilter(snapshot, distinctField);
  for (const doc of pinned?.toList() ?? []) distinct.keep(doc);
  return distinct;
}

export const cutWindow = <T>(documents: readonly T[], { offset, limit }: Window): T[] =>
  documents.slice(offset, offset + limit);

/**
 * The caller adds highlighted words and the semantic hit count. With `groupBy`, the candidates are
 * the documents of all groups; the groups of the window are made of them afterwards.
 */
export type RankedWindow = Pick<SearchOutcome, 'documents' | 'candidates' | 'isDegraded'>;

export function rankDocuments(
  prepared: PreparedSearch,
  { context, universe, levels, step }: Ranking,
  { window, wantsScores }: WantedDocuments,
): RankedWindow {
  const { snapshot, request, deadline, times } = prepared;
  const { rankingScoreThreshold, groupBy } = request;
  const distinct = startDistinct(prepared);
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  const options = {
    levels,
    offset: window.offset,
    limit: window.limit,
    ranksAll:
      countsAll(request) &&
      rankingScoreThreshold !== null &&
      window.offset + window.limit < maxTotalHits,
    wantsScores,
    sortsBeforeWindow: snapshot.manifest.settings.proximityPrecision === 'byAttribute',
    scoreThreshold: rankingScoreThreshold,
    distinct,
    deadline,
    profile: request.showProfile && times !== null ? { times, step } : null,
  };
  const input = { universe, graph: initialReadings(context.query), positions: null };
  const { documents, candidates, isDegraded } = bucketSort(context, input, options);
  if (groupBy !== null) {
    const all = { ...options, offset: 0, limit: 0, ranksAll: true, distinct: null };
    const isCut = rankingScoreThreshold !== null && distinct !== null;
    const matching = isCut ? bucketSort(context, input, all).candidates : universe;
    return { documents, candidates: matching, isDegraded };
  }
  return {
    documents,
    candidates: distinct && countsAll(request) ? distinct.exhaust(candidates) : candidates,
    isDegraded,
  };
}
