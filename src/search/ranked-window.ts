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
export function windowToRank({ snapshot, request }: PreparedSearch, window: Window): Window {
  const { distinctAttribute, pagination } = snapshot.manifest.settings;
  const hasThreshold = request.semantic?.threshold !== undefined;
  const hasDistinct = (request.distinct ?? distinctAttribute) !== null;
  return hasThreshold && hasDistinct ? { offset: 0, limit: pagination.maxTotalHits } : window;
}

export const cutWindow = <T>(documents: readonly T[], { offset, limit }: Window): T[] =>
  documents.slice(offset, offset + limit);

/** The caller adds highlighted words and the semantic hit count. */
export type RankedWindow = Pick<SearchOutcome, 'documents' | 'candidates' | 'isDegraded'>;

export function rankDocuments(
  { snapshot, request, deadline, times }: PreparedSearch,
  { context, universe, levels, step }: Ranking,
  { window, wantsScores }: WantedDocuments,
): RankedWindow {
  const { settings } = snapshot.manifest;
  const distinctField = request.distinct ?? settings.distinctAttribute;
  const distinct = distinctField === null ? null : new DistinctFilter(snapshot, distinctField);
  const { documents, candidates, isDegraded } = bucketSort(
    context,
    { universe, graph: initialReadings(context.query), positions: null },
    {
      levels,
      offset: window.offset,
      limit: window.limit,
      ranksAll: countsAll(request) && request.rankingScoreThreshold !== null,
      wantsScores,
      sortsBeforeWindow: settings.proximityPrecision === 'byAttribute',
      scoreThreshold: request.rankingScoreThreshold,
      distinct,
      deadline,
      profile: request.showProfile && times !== null ? { times, step } : null,
    },
  );
  return {
    documents,
    candidates: distinct && countsAll(request) ? distinct.exhaust(candidates) : candidates,
    isDegraded,
  };
}
