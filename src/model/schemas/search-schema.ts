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
  integer,
  mark,
  names,
  oneOf,
  optional,
  ratio,
  text,
} from './schema.ts';

/** A language code of ISO 639-1 or 639-3. */
const Locale = Type.String({
  pattern: `^(?:${supportedLocales().join('|')})$`,
  code: 'invalid_search_locales',
  expects: `one of ${supportedLocales().join(', ')}`,
});

export const groupSize = integer('invalid_search_group_size', 1, limits.groupSizeMax);

const DIVERSITY = 'invalid_search_diversity';

const Diversity = closed(
  {
    attribute: Type.Optional(text(DIVERSITY, 'the name of a filterable attribute')),
    embedder: Type.Optional(text(DIVERSITY, 'the name of an embedder')),
    strength: Type.Optional(ratio(DIVERSITY)),
    limit: Type.Optional(integer(DIVERSITY, 1, limits.diversityMax)),
  },
  { code: DIVERSITY, expects: 'an object with `attribute` or `embedder`' },
);

const RERANK = 'invalid_search_rerank';

export const RerankOptions = closed(
  {
    reranker: Type.String({ code: RERANK, missing: RERANK, expects: 'the name of a reranker' }),
    topN: Type.Optional(integer(RERANK, 1, limits.rerankMax)),
  },
  { code: RERANK, expects: 'an object with `reranker`' },
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
  q: optional(text('invalid_search_q')),
  page: optional(count('invalid_search_page')),
  hitsPerPage: optional(count('invalid_search_hits_per_page')),
  attributesToRetrieve: optional(names('invalid_search_attributes_to_retrieve')),
  attributesToHighlight: optional(names('invalid_search_attributes_to_highlight')),
  attributesToCrop: optional(names('invalid_search_attributes_to_crop')),
  attributesToSearchOn: optional(names('invalid_search_attributes_to_search_on')),
  filter: Type.Optional(anything({ code: 'invalid_search_filter', text: 'jsonOrText' })),
  sort: optional(names('invalid_search_sort'), { text: 'sort' }),
  distinct: optional(text('invalid_search_distinct')),
  groupBy: optional(text('invalid_search_group_by')),
  diversity: optional(Diversity, { text: 'jsonOrText' }),
  rerank: optional(RerankOptions, { text: 'jsonOrText' }),
  facets: optional(names('invalid_search_facets')),
  sortFacetValuesBy: optional(oneOf(FACET_ORDERS, 'invalid_search_facets')),
  aggregations: optional(Aggregations, { text: 'jsonOrText' }),
  rankingScoreThreshold: optional(ratio('invalid_search_ranking_score_threshold')),
  locales: optional(
    Type.Array(Locale, {
      code: 'invalid_search_locales',
      expects: 'an array of language codes',
      text: 'list',
    }),
  ),
  vector: optional(
    Type.Array(Type.Number({ expects: 'a number' }), {
      code: 'invalid_search_vector',
      expects: 'an array of numbers',
      text: 'numbers',
    }),
  ),
  useNetwork: optional(flag('invalid_search_use_network')),
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
  { code: 'invalid_search_hybrid_query', expects: 'an object with `embedder`' },
);

export const Personalize = closed(
  {
    userContext: Type.String({
      code: 'invalid_search_personalize_user_context',
      missing: 'invalid_search_personalize',
      expects: 'a string',
    }),
  },
  { code: 'invalid_search_personalize', expects: 'an object with `userContext`' },
);

export const SearchBody = closed({
  ...commonMembers,
  ...nullableMembers,
  hybrid: optional(Hybrid),
  media: Type.Optional(anything()),
  personalize: optional(Personalize),
});
export type SearchBody = Static<typeof SearchBody>;

/** Query-string options of a search with a body; unknown ones are ignored. */
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
