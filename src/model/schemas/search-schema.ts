/** Schemas of the search routes: the JSON body of POST and the query string of GET. */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import { supportedLocales } from '../locales.ts';
import { FACET_ORDERS, MATCHING_STRATEGIES } from '../search.ts';
import { Aggregations } from './aggregation-schema.ts';
import {
  anything,
  closed,
  count,
  flag,
  mark,
  oneOf,
  optional,
  optionalCount,
  optionalNames,
  optionalRatio,
  ratio,
  text,
} from './schema.ts';

/** A language code of ISO 639-1 or 639-3. */
const Locale = Type.String({
  pattern: `^(?:${supportedLocales().join('|')})$`,
  code: 'invalid_search_locales',
  expects: `one of ${supportedLocales().join(', ')}`,
});

export const groupSize = Type.Integer({
  minimum: 1,
  maximum: limits.groupSizeMax,
  code: 'invalid_search_group_size',
  expects: `an integer from 1 to ${limits.groupSizeMax}`,
  text: 'integer',
});

const DIVERSITY = 'invalid_search_diversity';

const Diversity = closed(
  {
    attribute: Type.Optional(
      Type.String({ code: DIVERSITY, expects: 'the name of a filterable attribute' }),
    ),
    embedder: Type.Optional(Type.String({ code: DIVERSITY, expects: 'the name of an embedder' })),
    strength: Type.Optional(ratio(DIVERSITY)),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.diversityMax,
        code: DIVERSITY,
        expects: `an integer from 1 to ${limits.diversityMax}`,
      }),
    ),
  },
  { code: DIVERSITY },
);

const RERANK = 'invalid_search_rerank';

export const RerankOptions = closed(
  {
    reranker: Type.String({ code: RERANK, missing: RERANK, expects: 'the name of a reranker' }),
    topN: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.rerankMax,
        code: RERANK,
        expects: `an integer from 1 to ${limits.rerankMax}`,
      }),
    ),
  },
  { code: RERANK },
);

const commonMembers = {
  offset: Type.Optional(count('invalid_search_offset')),
  limit: Type.Optional(count('invalid_search_limit')),
  retrieveVectors: Type.Optional(flag('invalid_search_retrieve_vectors')),
  showMatchesPosition: Type.Optional(flag('invalid_search_show_matches_position')),
  showRankingScore: Type.Optional(flag('invalid_search_show_ranking_score')),
  showRankingScoreDetails: Type.Optional(flag('invalid_search_show_ranking_score_details')),
  showPerformanceDetails: Type.Optional(flag('invalid_search_show_performance_details')),
  groupSize: Type.Optional(groupSize),
  matchingStrategy: Type.Optional(oneOf(MATCHING_STRATEGIES, 'invalid_search_matching_strategy')),
  cropLength: Type.Optional(count('invalid_search_crop_length')),
  cropMarker: Type.Optional(mark('invalid_search_crop_marker')),
  highlightPreTag: Type.Optional(mark('invalid_search_highlight_pre_tag')),
  highlightPostTag: Type.Optional(mark('invalid_search_highlight_post_tag')),
};

/** Members with the default null, which a body may also contain. */
const nullableMembers = {
  q: optional(Type.String(), 'invalid_search_q', 'a string', 'text'),
  page: optionalCount('invalid_search_page'),
  hitsPerPage: optionalCount('invalid_search_hits_per_page'),
  attributesToRetrieve: optionalNames('invalid_search_attributes_to_retrieve'),
  attributesToHighlight: optionalNames('invalid_search_attributes_to_highlight'),
  attributesToCrop: optionalNames('invalid_search_attributes_to_crop'),
  attributesToSearchOn: optionalNames('invalid_search_attributes_to_search_on'),
  filter: Type.Optional(anything({ code: 'invalid_search_filter', text: 'jsonOrText' })),
  sort: optionalNames('invalid_search_sort', 'sort'),
  distinct: optional(Type.String(), 'invalid_search_distinct', 'a string', 'text'),
  groupBy: optional(Type.String(), 'invalid_search_group_by', 'a string', 'text'),
  diversity: optional(
    Diversity,
    DIVERSITY,
    'an object with `attribute` or `embedder`',
    'jsonOrText',
  ),
  rerank: optional(RerankOptions, RERANK, 'an object with `reranker`', 'jsonOrText'),
  facets: optionalNames('invalid_search_facets'),
  sortFacetValuesBy: optional(
    oneOf(FACET_ORDERS, 'invalid_search_facets'),
    'invalid_search_facets',
    'one of `alpha`, `count`',
    'text',
  ),
  aggregations: optional(
    Aggregations,
    'invalid_search_aggregations',
    'an object of names with an aggregation each',
    'jsonOrText',
  ),
  rankingScoreThreshold: optionalRatio('invalid_search_ranking_score_threshold'),
  locales: optional(
    Type.Array(Locale),
    'invalid_search_locales',
    'an array of language codes',
    'list',
  ),
  vector: optional(
    Type.Array(Type.Number({ expects: 'a number' })),
    'invalid_search_vector',
    'an array of numbers',
    'numbers',
  ),
  useNetwork: optional(
    Type.Boolean(),
    'invalid_search_use_network',
    '`true` or `false`',
    'boolean',
  ),
};

const Hybrid = closed(
  {
    embedder: Type.String({
      code: 'invalid_search_embedder',
      missing: 'invalid_search_hybrid_query',
      expects: 'a string',
    }),
    semanticRatio: Type.Optional(ratio('invalid_search_semantic_ratio')),
    semanticThreshold: Type.Optional(ratio('invalid_search_hybrid_query')),
  },
  { code: 'invalid_search_hybrid_query' },
);

export const Personalize = closed(
  {
    userContext: Type.String({
      code: 'invalid_search_personalize_user_context',
      missing: 'invalid_search_personalize',
      expects: 'a string',
    }),
  },
  { code: 'invalid_search_personalize' },
);

export const SearchBody = closed({
  ...commonMembers,
  ...nullableMembers,
  hybrid: optional(Hybrid, 'invalid_search_hybrid_query', 'an object with `embedder`'),
  media: Type.Optional(anything()),
  personalize: optional(Personalize, 'invalid_search_personalize', 'an object with `userContext`'),
});
export type SearchBody = Static<typeof SearchBody>;

/** Query-string options of a search with a body. */
/** Unknown parameters of a request with a body are ignored. */
export const SearchOptions = Type.Object({ profile: Type.Optional(flag('bad_request')) });

export const SearchQueryString = closed({
  ...SearchOptions.properties,
  ...commonMembers,
  ...nullableMembers,
  hybridEmbedder: Type.Optional(text('invalid_search_embedder')),
  hybridSemanticRatio: Type.Optional(ratio('invalid_search_semantic_ratio')),
  hybridSemanticThreshold: Type.Optional(ratio('invalid_search_hybrid_query')),
  personalizeUserContext: Type.Optional(text('invalid_search_personalize_user_context')),
});
export type SearchQueryString = Static<typeof SearchQueryString>;
