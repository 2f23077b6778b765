/**
 * Start here: (snapshot, request, deadline) → ranked documents and totals, for keyword, semantic
 * and hybrid search.
 */
import type { Deadline } from '../core/deadline.ts';
import type { StepTimes } from '../core/step-times.ts';
import type { SearchRequest } from '../model/search.ts';
import { hybridSearch } from './hybrid-search.ts';
import { keywordSearch } from './keyword-search.ts';
import { searchWithPins } from './pinned-search.ts';
import { type PreparedSearch, prepareSearch } from './prepared-search.ts';
import type { WantedDocuments } from './ranked-window.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { requestWindow } from './ranking/window.ts';
import { semanticSearch } from './semantic-search.ts';
import { NO_FOREIGN_INDEXES } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';

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
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  const wanted = {
    window: requestWindow(request, maxTotalHits),
    wantsScores: request.showRankingScore || request.showRankingScoreDetails,
  };
  if (request.pins === null) return searchPrepared(prepared, wanted);
  return searchWithPins(prepared, request.pins, wanted, searchPrepared);
}

function searchPrepared(prepared: PreparedSearch, wanted: WantedDocuments): SearchOutcome {
  const { semantic } = prepared.request;
  if (semantic === null) return keywordSearch(prepared, wanted);
  const { embedder, ratio, vector, threshold } = semantic;
  if (vector === null) return { ...keywordSearch(prepared, wanted), semanticHitCount: 0 };
  const target = { embedder, vector, threshold };
  if (ratio === 1) return semanticSearch(prepared, target, prepared.filtered, wanted);
  return hybridSearch(prepared, target, ratio, wanted);
}
