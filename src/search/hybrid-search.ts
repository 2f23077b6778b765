/**
 * Keyword, semantic or hybrid search, which merges the ranked lists of both (relevance.md 7.3).
 */
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

export function searchPrepared(prepared: PreparedSearch, wanted: WantedDocuments): SearchOutcome {
  const { semantic } = prepared.request;
  if (semantic === null) return keywordSearch(prepared, wanted);
  const { embedder, ratio, vector, threshold } = semantic;
  if (vector === null) return { ...keywordSearch(prepared, wanted), semanticHitCount: 0 };
  const target = { embedder, vector, threshold };
  if (ratio === 1) return semanticSearch(prepared, target, prepared.filtered, wanted);
  return hybridSearch(prepared, target, ratio, wanted);
}

/** @param ratio semantic ratio, between 0 and 1 */
function hybridSearch(
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
  const merge = (words: SearchOutcome, meaning: SearchOutcome): readonly MergedDocument[] =>
    mergeRankedLists(
      { documents: words.documents, weight: weights.words },
      { documents: meaning.documents, weight: weights.meaning },
    );
  const merged = merge(byWords, byMeaning);
  const filter = request.groupBy === null ? startDistinct(prepared) : null;
  const distinct = filter && new DistinctMerge(prepared, filter);
  distinct?.take(merged, end, (left) =>
    merge(keywordSearch(left, wanted), semanticSearch(left, target, left.allowed, wanted)),
  );
  // Groups are made of the whole list, from which their hits leave out others.
  const documents = request.groupBy === null ? cutWindow(distinct?.kept ?? merged, window) : merged;
  const { bitsetLength } = snapshot;
  const candidates = DocSet.unionOf([byWords.candidates, byMeaning.candidates], bitsetLength);
  return {
    documents,
    candidates: distinct === null ? candidates : distinct.remaining(candidates, threshold),
    isDegraded: byWords.isDegraded || byMeaning.isDegraded,
    query: byWords.query,
    queryVector: target.vector,
    semanticHitCount:
      byMeaning.semanticHitCount === 0
        ? 0
        : documents.filter(({ isSemantic }) => isSemantic).length,
    grouping: null,
  };
}

const isGoodEnough = ({ documents }: SearchOutcome, weight: number, count: number): boolean =>
  documents.length >= count &&
  documents.every(({ levels }) => rankingScore(levels) * weight >= GOOD_SCORE_MIN);

/** Each list has one document per value, but not necessarily the same one. */
class DistinctMerge {
  readonly kept: MergedDocument[] = [];
  readonly #prepared: PreparedSearch;
  readonly #distinct: DistinctFilter;
  /** Values of the kept and the pinned documents. */
  readonly #values = new Set<string>();

  constructor(prepared: PreparedSearch, distinct: DistinctFilter) {
    this.#prepared = prepared;
    this.#distinct = distinct;
    for (const doc of prepared.pinned?.toList() ?? []) this.#note(doc);
  }

  /**
   * Keeps up to `end` documents, best first. @param again merges the first `end` documents of both
   * lists of a search
   */
  take(
    merged: readonly MergedDocument[],
    end: number,
    again: (left: PreparedSearch) => readonly MergedDocument[],
  ): void {
    let documents = merged;
    while (!this.#takeFrom(documents, end) || (documents.length >= end && this.kept.length < end)) {
      if (this.kept.length >= end) return;
      documents = again(this.#left());
    }
  }

  /**
   * False if lists have left out documents that may be kept: those that share a value with a dropped
   * document, and with no kept one.
   */
  #takeFrom(merged: readonly MergedDocument[], end: number): boolean {
    for (const document of merged) {
      if (this.kept.length >= end) return true;
      const { doc } = document;
      if (!this.#distinct.isExcluded(doc)) {
        this.#distinct.keep(doc);
        this.#note(doc);
        this.kept.push(document);
        continue;
      }
      if (this.#distinct.keysOf(doc).some((value) => !this.#values.has(value))) return false;
    }
    return true;
  }

  #note(doc: number): void {
    for (const value of this.#distinct.keysOf(doc)) this.#values.add(value);
  }

  /** The search for documents that may be kept. */
  #left(): PreparedSearch {
    const { filtered, allowed } = this.#prepared;
    const { bitsetLength } = this.#prepared.snapshot;
    const docs = Uint32Array.from(this.kept, ({ doc }) => doc);
    const kept = DocSet.fromUnordered(docs, bitsetLength);
    const rest = (set: DocSet) => set.subtract(this.#distinct.excluded).without(kept);
    return { ...this.#prepared, times: null, filtered: rest(filtered), allowed: rest(allowed) };
  }

  /** The documents that are found. @param threshold with one, the numbers are the same on every page */
  remaining(candidates: DocSet, threshold: number | undefined): DocSet {
    return threshold === undefined
      ? candidates.subtract(this.#distinct.excluded)
      : this.#distinct.exhaust(candidates);
  }
}
