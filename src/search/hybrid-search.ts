/** Hybrid search: the ranked lists of keyword and semantic search, merged (relevance.md 7.3). */
import { keywordSearch } from './keyword-search.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { cutWindow, startDistinct, type WantedDocuments, windowToRank } from './ranked-window.ts';
import { type MergedDocument, mergeRankedLists } from './ranking/hybrid-merge.ts';
import { rankingScore } from './ranking/ranking-score.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { type SemanticTarget, semanticSearch } from './semantic-search.ts';
import { DocSet } from './sets/doc-set.ts';
import type { DistinctFilter } from './values/distinct.ts';

/**
 * If all keyword hits reach this score after weighting, the semantic search is skipped; not with
 * groups, aggregations and diversity, which must be the same on every page.
 */
const GOOD_SCORE_MIN = 0.45;

/** @param ratio semantic ratio, between 0 and 1 */
export function hybridSearch(
  prepared: PreparedSearch,
  target: SemanticTarget,
  ratio: number,
  { window }: WantedDocuments,
): SearchOutcome {
  const { snapshot, request } = prepared;
  const { threshold } = target;
  const weights = { words: Math.fround(1 - Math.fround(ratio)), meaning: Math.fround(ratio) };
  const ranking = windowToRank(prepared, window);
  const end = ranking.offset + ranking.limit;
  const wanted = { window: { offset: 0, limit: end }, wantsScores: true };
  const byWords = keywordSearch(prepared, wanted);
  const mayLeaveOut =
    threshold === undefined &&
    request.groupBy === null &&
    request.aggregations === null &&
    request.diversity === null;
  if (mayLeaveOut && isGoodEnough(byWords, weights.words, end)) {
    return { ...byWords, documents: cutWindow(byWords.documents, window), semanticHitCount: 0 };
  }
  const byMeaning = semanticSearch(prepared, target, prepared.allowed, wanted);
  const merged = mergeRankedLists(
    { documents: byWords.documents, weight: weights.words },
    { documents: byMeaning.documents, weight: weights.meaning },
  );
  const { kept, distinct, dropped } = keepDistinct(prepared, merged);
  // A document with several values is left out for one of them; grouping ranks the rest for the others.
  const isCut = request.groupBy === null || prepared.pinned !== null;
  const documents = isCut ? cutWindow(kept, window) : merged;
  const { bitsetLength } = snapshot;
  const candidates = DocSet.unionOf([byWords.candidates, byMeaning.candidates], bitsetLength);
  return {
    documents,
    candidates:
      request.groupBy !== null
        ? candidates
        : threshold === undefined
          ? candidates.without(DocSet.fromUnordered(dropped, bitsetLength))
          : (distinct?.exhaust(candidates) ?? candidates),
    isDegraded: byWords.isDegraded || byMeaning.isDegraded,
    query: byWords.query,
    queryVector: target.vector,
    semanticHitCount: documents.filter(({ isSemantic }) => isSemantic).length,
    grouping: null,
  };
}

const isGoodEnough = ({ documents }: SearchOutcome, weight: number, count: number): boolean =>
  documents.length >= count &&
  documents.every(({ levels }) => rankingScore(levels) * weight >= GOOD_SCORE_MIN);

/** Each side has kept one document per value, but not necessarily the same one. */
function keepDistinct(
  prepared: PreparedSearch,
  merged: readonly MergedDocument[],
): {
  readonly kept: readonly MergedDocument[];
  readonly distinct: DistinctFilter | null;
  readonly dropped: Uint32Array;
} {
  const distinct = startDistinct(prepared);
  if (distinct === null) return { kept: merged, distinct, dropped: new Uint32Array(0) };
  const dropped: number[] = [];
  const kept = merged.filter(({ doc }) => {
    if (distinct.isExcluded(doc)) {
      dropped.push(doc);
      return false;
    }
    distinct.keep(doc);
    return true;
  });
  return { kept, distinct, dropped: Uint32Array.from(dropped) };
}
