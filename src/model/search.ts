/** The search request after validation (every default filled in) and the pieces of its answer. */
import { limits } from '../core/limits.ts';
import type { FilterFeatures } from './filter/filter-node.ts';

export type MatchingStrategy = 'last' | 'all' | 'frequency';

export interface SearchRequest {
  /** null and blank text are a placeholder search. */
  readonly q: string | null;
  readonly offset: number;
  readonly limit: number;
  /** Either of the two being non-null switches to exhaustive pagination. */
  readonly page: number | null;
  readonly hitsPerPage: number | null;
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
  readonly filter: unknown;
  readonly sort: readonly string[] | null;
  readonly distinct: string | null;
  readonly facets: readonly string[] | null;
  readonly retrieveVectors: boolean;
  /** Absent = none. */
  readonly filterFeatures?: FilterFeatures;
}

export const DEFAULT_SEARCH_REQUEST: SearchRequest = {
  q: null,
  offset: 0,
  limit: limits.pageItemsDefault,
  page: null,
  hitsPerPage: null,
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
  sort: null,
  distinct: null,
  facets: null,
  retrieveVectors: false,
};

/** Values of one facet that begin with a text. */
export interface FacetSearchRequest {
  readonly facetName: string;
  /** null and empty text ask for all values. */
  readonly facetQuery: string | null;
  /** Finds the documents that are counted. */
  readonly search: SearchRequest;
}

/** Documents of an index by page, by ids, or one by id. */
export interface DocumentsRequest {
  readonly offset: number;
  readonly limit: number;
  /** null = all fields. */
  readonly fields: readonly string[] | null;
  readonly ids: readonly string[] | null;
  readonly filter: unknown;
  readonly sort: readonly string[] | null;
  readonly retrieveVectors: boolean;
  /** Absent = none. */
  readonly filterFeatures?: FilterFeatures;
}
