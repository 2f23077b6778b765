/**
 * Start here: (snapshot, request, deadline) → ranked documents and totals, for keyword, semantic
 * and hybrid search.
 */
import type { Deadline } from '../core/deadline.ts';
import type { StepTimes } from '../core/step-times.ts';
import type { SearchRequest } from '../model/search.ts';
import { diversifiedSearch } from './diversified-search.ts';
import { searchPrepared } from './hybrid-search.ts';
import {
  countPinned,
  pageOfPinsFirst,
  searchWithPins,
  searchWithPinsFirst,
} from './pinned-search.ts';
import { type PreparedSearch, prepareSearch } from './prepared-search.ts';
import type { WantedDocuments } from './ranked-window.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import { type SearchOutcome, withDocuments } from './ranking/search-outcome.ts';
import { writtenWindow } from './ranking/window.ts';
import type { DocSet } from './sets/doc-set.ts';
import { NO_FOREIGN_INDEXES } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { groupDocuments } from './values/grouped-documents.ts';

/**
 * @param times step times, if the request asks for them
 * @throws ApiError for parameters that contradict the index's settings
 */
export function executeSearch(
  snapshot: IndexSnapshot,
  request: SearchRequest,
  deadline: Deadline,
  times: StepTimes | null = null,
  foreign = NO_FOREIGN_INDEXES,
): SearchOutcome {
  const prepared = prepareSearch(snapshot, request, { deadline, times, foreign });
  const { groupBy, groupSize, diversity } = request;
  const wanted = wantedDocuments(prepared);
  if (diversity !== null) return diversifiedSearch(prepared, diversity, wanted);
  if (groupBy === null) return searchWithPins(prepared, wanted);
  const { outcome, rankWithin } = searchForGroups(prepared);
  const { offset, limit } = wanted.window;
  const pinnedCount = countPinned(outcome.documents);
  const { hits, groups, representatives, facetGroups } = groupDocuments(
    [{ snapshot, candidates: outcome.candidates, hitsMax: Number.POSITIVE_INFINITY }],
    {
      groupBy,
      groupSize,
      ranked: outcome.documents,
      indexOf: () => 0,
      docOf: ({ doc }) => doc,
      preceding: [],
      end: pinnedCount + offset + limit,
      isShown: (place) => place < pinnedCount || place >= offset,
      rank: ([docs], count, isDistinct) => rankWithin(docs!, count, isDistinct),
      hasFacets: request.facets !== null && request.facets.length > 0,
    },
    deadline,
  );
  times?.end('search > rank');
  return {
    ...withDocuments(outcome, pageOfPinsFirst(hits, wanted.window)),
    candidates: representatives[0]!,
    grouping: { groups, documents: outcome.candidates, facetGroups: facetGroups[0]! },
  };
}

/** A search whose hits can be grouped. */
export interface GroupableSearch {
  /** Its hits are the pinned ones, then all from the first on; its candidates are in groups. */
  readonly outcome: SearchOutcome;
  /**
   * The best of some of the candidates. @param isDistinct without documents that a better one of the
   * result excludes
   */
  readonly rankWithin: (
    docs: DocSet,
    count: number,
    isDistinct: boolean,
  ) => readonly RankedDocument[];
}

export function searchForGroups(prepared: PreparedSearch): GroupableSearch {
  const { wantsScores, window } = wantedDocuments(prepared);
  const upToWindow = { wantsScores, window: { offset: 0, limit: window.offset + window.limit } };
  const outcome = searchWithPinsFirst(prepared, upToWindow);
  const rankWithin: GroupableSearch['rankWithin'] = (docs, limit, isDistinct) => {
    const distinctField = isDistinct ? prepared.distinctField : null;
    return searchPrepared(
      { ...prepared, times: null, filtered: docs, allowed: docs, distinctField },
      { wantsScores, window: { offset: 0, limit } },
    ).documents;
  };
  return { outcome, rankWithin };
}

function wantedDocuments({ snapshot, request }: PreparedSearch): WantedDocuments {
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  return {
    window: writtenWindow(request, maxTotalHits),
    wantsScores: request.showRankingScore || request.showRankingScoreDetails,
  };
}
