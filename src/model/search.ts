/** The validated search request, with all defaults, and the parts of its answer. */
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Aggregation } from './aggregations.ts';
import type { UnparsedFilter } from './filter/filter-form.ts';
import type { Pin } from './rule-pins.ts';
import type { SortCriterion } from './sort-criterion.ts';

export const MATCHING_STRATEGIES = ['last', 'all', 'frequency', 'any'] as const;
export type MatchingStrategy = (typeof MATCHING_STRATEGIES)[number];

export const FACET_ORDERS = ['alpha', 'count'] as const;
export type FacetOrder = (typeof FACET_ORDERS)[number];

/** `semanticRatio` of a hybrid search that names none. */
export const SEMANTIC_RATIO_DEFAULT = 0.5;

export interface SemanticQuery {
  readonly embedder: string;
  /** Semantic ratio, above 0; 1 is a pure vector search. A request without words has 1. */
  readonly ratio: number;
  /** Has the embedder's dimensions; null if the embedder failed, which leaves a keyword search. */
  readonly vector: Float32Array | null;
  /** Minimum similarity, as a score; absent = no minimum. */
  readonly threshold?: number;
  /** Media of the query, until its vector is computed. */
  readonly media?: unknown;
}

/** Reorders the first documents of an answer so that similar ones do not follow each other. */
export type Diversity = SimilarBy & {
  /** 0 = only relevance counts, 1 = only difference. */
  readonly strength: number;
  /** Number of documents that are reordered. */
  readonly limit: number;
};

/** Documents are similar by common values of an attribute, or by vectors of an embedder. */
export type SimilarBy = { readonly attribute: string } | { readonly embedder: string };

/** Reorders the first documents of an answer by the scores of a reranker. */
export interface Rerank {
  /** Name in the settings of the index. */
  readonly reranker: string;
  /** Number of documents that are reordered. */
  readonly topN: number;
  /** Liquid template of the text of a document, and the most bytes of a text. */
  readonly documentTemplate: string;
  readonly documentTemplateMaxBytes: number;
}

export interface SearchRequest {
  /** null or blank text: placeholder search. */
  readonly q: string | null;
  readonly offset: number;
  readonly limit: number;
  /** If either is not null, pagination is exhaustive. */
  readonly page: number | null;
  readonly hitsPerPage: number | null;
  /** Upper bound of totals, pages and the echoed offset; null = unlimited. */
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
  /** Documents pinned by search rules, in order of precedence; null = none. */
  readonly pins: readonly Pin[] | null;
  /** Ids of documents hidden by search rules; null = none. */
  readonly hidden: readonly string[] | null;
  readonly sort: readonly SortCriterion[];
  readonly distinct: string | null;
  /** Attribute whose values form groups; each hit is the best document of its group. */
  readonly groupBy: string | null;
  /** Documents shown of each group, the hit included. */
  readonly groupSize: number;
  /** null = the order of the ranking rules. */
  readonly diversity: Diversity | null;
  /** null = no reranker. */
  readonly rerank: Rerank | null;
  readonly facets: readonly string[] | null;
  /** Order of all facet values; null = as in the settings. */
  readonly sortFacetValuesBy: FacetOrder | null;
  /** Computed over all documents found; null = none. */
  readonly aggregations: readonly Aggregation[] | null;
  readonly retrieveVectors: boolean;
  /** null = keyword search. */
  readonly semantic: SemanticQuery | null;
  /** Adds the time of each step to the answer. */
  readonly showPerformanceDetails: boolean;
  /** Adds microseconds and candidates of each stage to the answer. */
  readonly showProfile: boolean;
}

/** True if totals, facets and aggregations cover all results, independent of the window. */
export const countsAll = (request: SearchRequest): boolean =>
  isPaged(request) || request.semantic?.threshold !== undefined || request.aggregations !== null;

/** True for exhaustive pagination with exact totals. */
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
  hidden: null,
  sort: [],
  distinct: null,
  groupBy: null,
  groupSize: limits.groupSizeDefault,
  diversity: null,
  rerank: null,
  facets: null,
  sortFacetValuesBy: null,
  aggregations: null,
  retrieveVectors: false,
  semantic: null,
  showPerformanceDetails: false,
  showProfile: false,
};

export const groupByWithDistinct = (groupBy: string, distinct: string): ApiError =>
  new ApiError(
    'invalid_search_group_by',
    `\`groupBy\` (\`${groupBy}\`) and \`distinct\` (\`${distinct}\`) exclude each other; give one of them. \`groupBy\` shows one hit per value, too.`,
  );

/** Values of one facet with a given prefix. */
export interface FacetSearchRequest {
  readonly facetName: string;
  /** null or empty: all values. */
  readonly facetQuery: string | null;
  /** Selects the documents whose values are counted. */
  readonly search: SearchRequest;
}

/** Documents similar to a document by the vectors of an embedder. */
export interface SimilarRequest {
  readonly id: string;
  readonly embedder: string;
  readonly offset: number;
  readonly limit: number;
  /** Of the request and of the tenant token. */
  readonly filter: UnparsedFilter | null;
  /** Of the tenant token alone, which the document with the id must pass too. */
  readonly binding: UnparsedFilter | null;
  readonly attributesToRetrieve: readonly string[] | null;
  readonly retrieveVectors: boolean;
  readonly showRankingScore: boolean;
  readonly showRankingScoreDetails: boolean;
  readonly showPerformanceDetails: boolean;
  readonly rankingScoreThreshold: number | null;
}

/** Documents of an index by page, by ids, or one document by id. */
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
