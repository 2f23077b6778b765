/** The search request after validation (every default filled in) and the pieces of its answer. */
import { limits } from '../core/limits.ts';
import type { UnparsedFilter } from './filter/filter-form.ts';
import type { Pin } from './rule-pins.ts';
import type { SortCriterion } from './sort-criterion.ts';

export const MATCHING_STRATEGIES = ['last', 'all', 'frequency', 'any'] as const;
export type MatchingStrategy = (typeof MATCHING_STRATEGIES)[number];

/** The side of a search that goes by meaning. */
export interface SemanticQuery {
  readonly embedder: string;
  /**
   * Share of meaning against words, above 0; 1 searches by meaning alone. A request without words
   * has 1.
   */
  readonly ratio: number;
  /** Of the embedder's dimensions; null when the embedder failed, so that words answer alone. */
  readonly vector: Float32Array | null;
  /** Least similarity of what meaning finds, as a score; absent = it finds all that has a vector. */
  readonly threshold?: number;
  /** Beside the words, while the vector of both is to be found. */
  readonly media?: unknown;
}

export interface SearchRequest {
  /** null and blank text are a placeholder search. */
  readonly q: string | null;
  readonly offset: number;
  readonly limit: number;
  /** Either of the two being non-null switches to exhaustive pagination. */
  readonly page: number | null;
  readonly hitsPerPage: number | null;
  /** Where totals, pages and the echoed offset end; null = nowhere. */
  readonly totalMax: number | null;
  readonly attributesToRetrieve: readonly string[] | null;
  readonly attributesToSearchOn: readonly string[] | null;
  readonly matchingStrategy: MatchingStrategy;
  readonly showRankingScore: boolean;
  readonly showRankingScoreDetails: boolean;
  readonly rankingScoreThreshold: number | null;
  /** ISO 639-3 codes. */
  readonly locales: readonly string[] | null;
  readonly attributesToHighlight: readonly string[] | null;
  readonly attributesToCrop: readonly string[] | null;
  readonly cropLength: number;
  readonly cropMarker: string;
  readonly highlightPreTag: string;
  readonly highlightPostTag: string;
  readonly showMatchesPosition: boolean;
  readonly filter: UnparsedFilter | null;
  /** Documents that search rules give a place, those that win first; null = none. */
  readonly pins: readonly Pin[] | null;
  readonly sort: readonly SortCriterion[];
  readonly distinct: string | null;
  readonly facets: readonly string[] | null;
  readonly retrieveVectors: boolean;
  /** null = a search by words. */
  readonly semantic: SemanticQuery | null;
  /** Asks where the time of the search went. */
  readonly showPerformanceDetails: boolean;
  /** Asks for microseconds and candidates of each stage. */
  readonly showProfile: boolean;
}

/** Whether totals and facets are those of all that is found, whichever part of it is asked for. */
export const countsAll = (request: SearchRequest): boolean =>
  isPaged(request) || request.semantic?.threshold !== undefined;

/** True for exhaustive pagination, with exact totals. */
export const isPaged = ({ page, hitsPerPage }: SearchRequest): boolean =>
  page !== null || hitsPerPage !== null;

export const DEFAULT_SEARCH_REQUEST: SearchRequest = {
  q: null,
  offset: 0,
  limit: limits.pageItemsDefault,
  page: null,
  hitsPerPage: null,
  totalMax: null,
  attributesToRetrieve: null,
  attributesToSearchOn: null,
  matchingStrategy: 'last',
  showRankingScore: false,
  showRankingScoreDetails: false,
  rankingScoreThreshold: null,
  locales: null,
  attributesToHighlight: null,
  attributesToCrop: null,
  cropLength: 10,
  cropMarker: '…',
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  showMatchesPosition: false,
  filter: null,
  pins: null,
  sort: [],
  distinct: null,
  facets: null,
  retrieveVectors: false,
  semantic: null,
  showPerformanceDetails: false,
  showProfile: false,
};

/** Values of one facet that begin with a text. */
export interface FacetSearchRequest {
  readonly facetName: string;
  /** null and empty text ask for all values. */
  readonly facetQuery: string | null;
  /** Finds the documents that are counted. */
  readonly search: SearchRequest;
}

/** Documents near one document by the vectors of an embedder. */
export interface SimilarRequest {
  readonly id: string;
  readonly embedder: string;
  readonly offset: number;
  readonly limit: number;
  readonly filter: UnparsedFilter | null;
  readonly attributesToRetrieve: readonly string[] | null;
  readonly retrieveVectors: boolean;
  readonly showRankingScore: boolean;
  readonly showRankingScoreDetails: boolean;
  readonly showPerformanceDetails: boolean;
  readonly rankingScoreThreshold: number | null;
}

/** Documents of an index by page, by ids, or one by id. */
export interface DocumentsRequest {
  readonly offset: number;
  readonly limit: number;
  /** null = all fields. */
  readonly fields: readonly string[] | null;
  readonly ids: readonly string[] | null;
  readonly filter: UnparsedFilter | null;
  readonly sort: readonly SortCriterion[];
  readonly retrieveVectors: boolean;
}
