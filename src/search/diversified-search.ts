/** A search whose first documents are reordered so that neighbours differ (relevance.md 5.11). */
import type { Diversity } from '../model/search.ts';
import { searchWithPins } from './pinned-search.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { cutWindow, type WantedDocuments } from './ranked-window.ts';
import type { RankedDocument } from './ranking/bucket-sort.ts';
import { marginalRelevanceOrder } from './ranking/marginal-relevance.ts';
import { rankingScore } from './ranking/ranking-score.ts';
import { pinOf, type SearchOutcome, withDocuments } from './ranking/search-outcome.ts';
import { similarityOf } from './values/document-similarity.ts';

/** Every page ranks the same first documents, so pages neither repeat nor lose documents. */
export function diversifiedSearch(
  prepared: PreparedSearch,
  diversity: Diversity,
  wanted: WantedDocuments,
): SearchOutcome {
  const { snapshot, times } = prepared;
  const { offset, limit } = wanted.window;
  if (limit === 0 || offset >= diversity.limit) return searchWithPins(prepared, wanted);
  const { maxTotalHits } = snapshot.manifest.settings.pagination;
  const count = Math.min(Math.max(diversity.limit, offset + limit), maxTotalHits);
  const window = { offset: 0, limit: count };
  const outcome = searchWithPins(prepared, { window, wantsScores: true });
  const first = outcome.documents.slice(0, diversity.limit);
  const ordered = [
    ...diversified(prepared, diversity, first),
    ...outcome.documents.slice(diversity.limit),
  ];
  const documents = cutWindow(ordered, wanted.window);
  times?.end('search > rank');
  return withDocuments(outcome, documents);
}

/** Pinned documents keep their places. */
function diversified(
  { snapshot, deadline }: PreparedSearch,
  diversity: Diversity,
  documents: readonly RankedDocument[],
): readonly RankedDocument[] {
  const check = (): void => deadline.check();
  const docs = documents.map(({ doc }) => doc);
  const items = {
    relevance: relevanceOf(documents),
    strength: diversity.strength,
    isFixed: (item: number) => pinOf(documents[item]!) !== null,
    similarity: similarityOf(snapshot, diversity, docs, check),
  };
  return marginalRelevanceOrder(items, check).map((item) => documents[item]!);
}

/**
 * The ranking score of each document, but none is greater than one before it: a sort, or the weights
 * of a hybrid search, may rank documents against their scores, and that order holds.
 */
function relevanceOf(documents: readonly RankedDocument[]): number[] {
  let least = 1;
  return documents.map((document) => {
    if (pinOf(document) === null) least = Math.min(least, rankingScore(document.levels));
    return least;
  });
}
