/** Start here: (snapshot, request, deadline) → ranked documents and totals; the read path as one list of steps. */

import type { Deadline } from '../core/deadline.ts';
import { limits } from '../core/limits.ts';
import { patternCovers } from '../model/attribute-pattern.ts';
import { NO_FILTER_FEATURES } from '../model/filter/filter-node.ts';
import type { SearchRequest } from '../model/search.ts';
import { bucketSort, type RankedDocument } from './bucket-sort.ts';
import { checkDistinct, DistinctFilter } from './distinct.ts';
import type { DocSet } from './doc-set.ts';
import { FieldNeighbours } from './field-neighbours.ts';
import { filterDocuments } from './filter-evaluator.ts';
import { needsFormatting } from './formatting/format-rules.ts';
import { withKnownTypos } from './formatting/known-typos.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { MatchSets } from './match-sets.ts';
import { buildQueryGraph } from './query-graph.ts';
import type { QueryGraph } from './query-node.ts';
import { type ParsedQuery, parseQuery } from './query-parser.ts';
import { type RankingLevel, rankingLevels } from './ranking-levels.ts';
import type { RankingContext } from './ranking-rules/ranking-rule.ts';
import { initialReadings } from './readings.ts';
import { requestScopes } from './request-scopes.ts';
import { checkSortRule, requestedSort } from './sort-levels.ts';
import { allowedDocuments, matchingDocuments, removalGroups } from './universe.ts';
import { vocabularyOf } from './vocabulary.ts';

export interface SearchOutcome {
  readonly documents: readonly RankedDocument[];
  /** Documents that match, whatever the window, without those dropped by the score threshold and the duplicates met. */
  readonly candidates: DocSet;
  readonly isDegraded: boolean;
  /** What hits are marked with; null for a placeholder search. */
  readonly query: QueryGraph | null;
}

/** First document and number of documents to return. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** @throws ApiError for parameters that contradict the index's settings */
export function executeSearch(snapshot: IndexSnapshot, request: SearchRequest, deadline: Deadline): SearchOutcome {
  const { settings } = snapshot.manifest;
  const scopes = requestScopes(snapshot, request);
  checkDistinct(request.distinct, settings);
  const filtered = filterDocuments(snapshot, request.filter, {
    code: 'invalid_search_filter',
    features: request.filterFeatures ?? NO_FILTER_FEATURES,
    deadline,
  });
  const sort = requestedSort(request.sort, settings, 'invalid_search_sort');
  checkSortRule(sort, settings);
  const sets = new MatchSets(snapshot, scopes);
  const vocabulary = vocabularyOf(snapshot);
  const parsed = parseRequest(snapshot, request);
  const allowed = allowedDocuments(snapshot, filtered, parsed, vocabulary, sets);
  const isPlaceholder = parsed.terms.length === 0;

  const { synonyms, protectedWords } = snapshot.wordLists;
  const query = buildQueryGraph(parsed.terms, { snapshot, vocabulary, sets, synonyms, protectedWords });
  const groups = isPlaceholder ? [] : removalGroups(query, request.matchingStrategy, sets);
  const matching = isPlaceholder ? null : matchingDocuments(query, groups, sets);
  const universe = matching === null ? allowed : allowed.retain(matching);
  const context = {
    snapshot,
    sets,
    fieldNeighbours: new FieldNeighbours(snapshot, sets, scopes.presentFields),
    query,
    removalGroups: groups,
    presentFields: scopes.presentFields,
  };
  const levels = rankingLevels({ settings, strategy: request.matchingStrategy, sort, isPlaceholder });
  const ranked = rank(context, universe, request, levels, deadline);
  if (isPlaceholder) return { ...ranked, query: null };
  const knowsAllTypos = request.matchingStrategy === 'frequency' || !needsFormatting(request);
  return { ...ranked, query: knowsAllTypos ? query : withKnownTypos(query, universe, sets) };
}

function rank(
  context: RankingContext,
  universe: DocSet,
  request: SearchRequest,
  levels: readonly RankingLevel[],
  deadline: Deadline,
): Omit<SearchOutcome, 'query'> {
  const { settings } = context.snapshot.manifest;
  const window = requestWindow(request, settings.pagination.maxTotalHits);
  const distinctField = request.distinct ?? settings.distinctAttribute;
  const distinct = distinctField === null ? null : new DistinctFilter(context.snapshot, distinctField);
  const wantsScores = request.showRankingScore || request.showRankingScoreDetails;
  const { documents, candidates, isDegraded } = bucketSort(
    context,
    { universe, graph: initialReadings(context.query), positions: null },
    {
      levels,
      offset: window.offset,
      limit: window.limit,
      ranksAll: isPaged(request) && request.rankingScoreThreshold !== null,
      wantsScores,
      sortsBeforeWindow: wantsScores && settings.proximityPrecision === 'byAttribute',
      scoreThreshold: request.rankingScoreThreshold,
      distinct,
      deadline,
    },
  );
  return {
    documents,
    candidates: distinct && isPaged(request) ? distinct.exhaust(candidates) : candidates,
    isDegraded,
  };
}

export const isPaged = ({ page, hitsPerPage }: SearchRequest): boolean => page !== null || hitsPerPage !== null;

/** The window asked for, cut to `maxTotalHits`. */
export function requestWindow(request: SearchRequest, maxTotalHits: number): Window {
  let { offset, limit } = request;
  if (isPaged(request)) {
    const page = request.page ?? 1;
    limit = page === 0 ? 0 : (request.hitsPerPage ?? limits.pageItemsDefault);
    offset = page === 0 ? 0 : (page - 1) * limit;
  }
  offset = Math.min(offset, maxTotalHits);
  return { offset, limit: Math.min(limit, maxTotalHits - offset) };
}

function parseRequest(snapshot: IndexSnapshot, request: SearchRequest): ParsedQuery {
  const text = request.q ?? '';
  if (text.trim() === '') return { terms: [], negativeWords: [], negativePhrases: [] };
  const locales = request.locales ?? settingsLocales(snapshot, request.attributesToSearchOn);
  return parseQuery(text, snapshot.analyzer, locales, snapshot.manifest.settings.prefixSearch !== 'disabled');
}

/** Union of the locales that the settings give to the fields searched; null when they give none. */
function settingsLocales({ manifest, fields }: IndexSnapshot, names: readonly string[] | null): string[] | null {
  const rules = manifest.settings.localizedAttributes;
  if (!rules) return null;
  const paths = names ?? fields.paths.filter((_, f) => fields.weights[f]! >= 0);
  const locales = new Set<string>();
  for (const path of paths) {
    const rule = rules.find(({ attributePatterns }) => attributePatterns.some((p) => patternCovers(p, path)));
    for (const locale of rule?.locales ?? []) locales.add(locale);
  }
  return locales.size > 0 ? [...locales] : null;
}
