/** Searches, similar documents, facet searches and multi-searches that are refused. */
import type { ErrorCode } from '../../../src/core/error-codes.ts';
import { get, JSON_TYPE, post, type RouteErrorCase, raw } from './refused-request.ts';

const SEARCH = '/indexes/films/search';

const MANY_NAMES = Array.from({ length: 10_001 }, (_, i) => `a${i}`);

export const searchValues: readonly (readonly [string, unknown, ErrorCode])[] = [
  ['q', 1, 'invalid_search_q'],
  ['offset', -1, 'invalid_search_offset'],
  ['offset', null, 'invalid_search_offset'],
  ['limit', 1.5, 'invalid_search_limit'],
  ['limit', null, 'invalid_search_limit'],
  ['limit', 1e20, 'invalid_search_limit'],
  ['page', 2 ** 65, 'invalid_search_page'],
  ['page', '1', 'invalid_search_page'],
  ['hitsPerPage', -1, 'invalid_search_hits_per_page'],
  ['attributesToRetrieve', 'title', 'invalid_search_attributes_to_retrieve'],
  ['attributesToRetrieve', MANY_NAMES, 'invalid_search_attributes_to_retrieve'],
  ['attributesToHighlight', MANY_NAMES, 'invalid_search_attributes_to_highlight'],
  ['attributesToCrop', MANY_NAMES, 'invalid_search_attributes_to_crop'],
  ['attributesToSearchOn', MANY_NAMES, 'invalid_search_attributes_to_search_on'],
  ['facets', MANY_NAMES, 'invalid_search_facets'],
  ['facets', MANY_NAMES.slice(0, 101).map((name) => `${name}*`), 'invalid_search_facets'],
  ['sort', MANY_NAMES.map((name) => `${name}:asc`), 'invalid_search_sort'],
  ['attributesToHighlight', [1], 'invalid_search_attributes_to_highlight'],
  ['attributesToCrop', {}, 'invalid_search_attributes_to_crop'],
  ['attributesToSearchOn', [null], 'invalid_search_attributes_to_search_on'],
  ['cropLength', null, 'invalid_search_crop_length'],
  ['cropMarker', null, 'invalid_search_crop_marker'],
  ['cropMarker', '…'.repeat(1001), 'invalid_search_crop_marker'],
  ['highlightPreTag', '<'.repeat(1001), 'invalid_search_highlight_pre_tag'],
  ['highlightPostTag', '>'.repeat(1001), 'invalid_search_highlight_post_tag'],
  ['highlightPreTag', 1, 'invalid_search_highlight_pre_tag'],
  ['highlightPostTag', null, 'invalid_search_highlight_post_tag'],
  ['showMatchesPosition', 'true', 'invalid_search_show_matches_position'],
  ['showRankingScore', null, 'invalid_search_show_ranking_score'],
  ['showRankingScoreDetails', 1, 'invalid_search_show_ranking_score_details'],
  ['showPerformanceDetails', 1, 'invalid_search_show_performance_details'],
  ['retrieveVectors', null, 'invalid_search_retrieve_vectors'],
  ['matchingStrategy', 'most', 'invalid_search_matching_strategy'],
  ['matchingStrategy', null, 'invalid_search_matching_strategy'],
  ['rankingScoreThreshold', 1.1, 'invalid_search_ranking_score_threshold'],
  ['locales', ['xx'], 'invalid_search_locales'],
  ['filter', 5, 'invalid_search_filter'],
  ['filter', [[['a = 1']]], 'invalid_search_filter'],
  ['sort', 'title:asc', 'invalid_search_sort'],
  ['sort', ['title'], 'invalid_search_sort'],
  ['sort', ['_geoPoint(91, 0):asc'], 'invalid_search_sort'],
  ['distinct', 1, 'invalid_search_distinct'],
  ['aggregations', 'x', 'invalid_search_aggregations'],
  ['aggregations', { a: { type: 'x', attribute: 'y' } }, 'invalid_search_aggregations'],
  ['aggregations', { a: { type: 'sum' } }, 'invalid_search_aggregations'],
  ['aggregations', { a: { type: 'sum', attribute: 'y', of: 1 } }, 'invalid_search_aggregations'],
  ['diversity', 'x', 'invalid_search_diversity'],
  ['diversity', {}, 'invalid_search_diversity'],
  ['diversity', { attribute: 'a', embedder: 'b' }, 'invalid_search_diversity'],
  ['diversity', { attribute: 'a', strength: 2 }, 'invalid_search_diversity'],
  ['diversity', { attribute: 'a', limit: 201 }, 'invalid_search_diversity'],
  ['diversity', { attribute: 'a', of: 1 }, 'invalid_search_diversity'],
  ['diversity', { embedder: 'absent' }, 'invalid_search_diversity'],
  ['rerank', 'x', 'invalid_search_rerank'],
  ['rerank', {}, 'invalid_search_rerank'],
  ['rerank', { reranker: 'absent' }, 'invalid_search_rerank'],
  ['rerank', { reranker: 'a', topN: 201 }, 'invalid_search_rerank'],
  ['rerank', { reranker: 'a', of: 1 }, 'invalid_search_rerank'],
  ['groupBy', 1, 'invalid_search_group_by'],
  ['groupSize', 0, 'invalid_search_group_size'],
  ['groupSize', 101, 'invalid_search_group_size'],
  ['groupSize', null, 'invalid_search_group_size'],
  ['facets', 'genre', 'invalid_search_facets'],
  ['sortFacetValuesBy', 'size', 'invalid_search_facets'],
  ['vector', ['x'], 'invalid_search_vector'],
  ['vector', [1], 'missing_search_hybrid'],
  ['hybrid', {}, 'invalid_search_hybrid_query'],
  ['hybrid', { embedder: 'a', other: 1 }, 'invalid_search_hybrid_query'],
  ['hybrid', { embedder: 1 }, 'invalid_search_embedder'],
  ['hybrid', { embedder: 'a', semanticRatio: 2 }, 'invalid_search_semantic_ratio'],
  ['hybrid', { embedder: 'a', semanticRatio: null }, 'invalid_search_semantic_ratio'],
  ['hybrid', { embedder: 'a', semanticThreshold: 2 }, 'invalid_search_hybrid_query'],
  ['media', {}, 'missing_search_hybrid'],
  ['personalize', {}, 'invalid_search_personalize'],
  ['personalize', { userContext: 1 }, 'invalid_search_personalize_user_context'],
  ['personalize', { userContext: 'x' }, 'feature_not_enabled'],
  ['useNetwork', 1, 'invalid_search_use_network'],
  ['useNetwork', false, 'feature_not_enabled'],
  ['unknown', 1, 'bad_request'],
  ['Limit', 1, 'bad_request'],
];

const COMPARED = [
  'attributesToSearchOn',
  'distinct',
  'diversity',
  'filter',
  'hybrid',
  'locales',
  'matchingStrategy',
  'rankingScoreThreshold',
  'rerank',
  'sort',
];

const compare = (body: object, code: ErrorCode) =>
  post('indexes.compare', '/indexes/films/compare', { candidate: 'films', ...body }, code);

const comparisonCases: readonly RouteErrorCase[] = [
  compare({ candidate: 'absent', queries: [{ q: 'a' }] }, 'index_not_found'),
  post(
    'indexes.compare',
    '/indexes/semantic/compare',
    {
      candidate: 'semantic',
      queries: [{ q: 'a' }],
      search: { hybrid: { embedder: 'default', semanticRatio: 1 } },
    },
    'vector_embedding_error',
  ),
  compare(
    { queries: [{ q: 'a' }], search: { hybrid: { embedder: 'nobody' } } },
    'invalid_search_embedder',
  ),
  ...searchValues
    .filter(([name]) => COMPARED.includes(name))
    .map(([name, value, code]) =>
      compare({ queries: [{ q: 'a' }], search: { [name]: value } }, code),
    ),
];

const searchCases: readonly RouteErrorCase[] = [
  ...searchValues.map(([name, value, code]) =>
    post('search.post', SEARCH, { [name]: value }, code),
  ),
  post(
    'search.post',
    SEARCH,
    { q: 'a', hybrid: { embedder: 'nobody' } },
    'invalid_search_embedder',
  ),
  post(
    'search.post',
    '/indexes/semantic/search',
    { q: 'a', hybrid: { embedder: 'default', semanticRatio: 1 } },
    'vector_embedding_error',
  ),
  post(
    'search.post',
    '/indexes/semantic/search',
    { hybrid: { embedder: 'default' }, vector: [1] },
    'invalid_vector_dimensions',
  ),
  post(
    'search.post',
    SEARCH,
    { hybrid: { embedder: 'a' }, media: {}, vector: [1] },
    'invalid_search_media_and_vector',
  ),
  post('search.post', SEARCH, [], 'bad_request'),
  post('search.post', '/indexes/absent/search', {}, 'index_not_found'),
  post('search.post', '/indexes/absent/search', { sort: ['a'] }, 'index_not_found'),
  post('search.post', '/indexes/absent/search', { filter: 'a =' }, 'invalid_search_filter'),
  post('search.post', '/indexes/absent/search', { filter: 5 }, 'invalid_search_filter'),
  post('search.post', '/indexes/absent/search', { useNetwork: true }, 'feature_not_enabled'),
  post('search.post', SEARCH, { media: {}, hybrid: { embedder: 'a' } }, 'feature_not_enabled'),
  post('search.post', '/indexes/no%20uid/search', {}, 'invalid_index_uid'),
  post('search.post', `${SEARCH}?profile=1`, {}, 'bad_request'),
  raw('search.post', 'POST', SEARCH, { body: '{}' }, 'missing_content_type'),
  raw(
    'search.post',
    'POST',
    SEARCH,
    { body: '{}', headers: { 'content-type': 'text/csv' } },
    'invalid_content_type',
  ),
  raw('search.post', 'POST', SEARCH, { headers: JSON_TYPE }, 'missing_payload'),
  raw(
    'search.post',
    'POST',
    SEARCH,
    { headers: JSON_TYPE, body: '{"q":"a",}' },
    'malformed_payload',
  ),
  ...(
    [
      ['offset=x', 'invalid_search_offset'],
      ['limit=', 'invalid_search_limit'],
      ['limit=-1', 'invalid_search_limit'],
      ['limit=18446744073709551616', 'invalid_search_limit'],
      ['page=x', 'invalid_search_page'],
      ['hitsPerPage=-2', 'invalid_search_hits_per_page'],
      ['groupSize=0', 'invalid_search_group_size'],
      ['aggregations=x', 'invalid_search_aggregations'],
      ['diversity=x', 'invalid_search_diversity'],
      ['rerank=x', 'invalid_search_rerank'],
      ['cropLength=a', 'invalid_search_crop_length'],
      ['showMatchesPosition=1', 'invalid_search_show_matches_position'],
      ['showRankingScore=True', 'invalid_search_show_ranking_score'],
      ['showRankingScoreDetails=', 'invalid_search_show_ranking_score_details'],
      ['showPerformanceDetails=no', 'invalid_search_show_performance_details'],
      ['retrieveVectors=', 'invalid_search_retrieve_vectors'],
      ['matchingStrategy=none', 'invalid_search_matching_strategy'],
      ['rankingScoreThreshold=2', 'invalid_search_ranking_score_threshold'],
      ['locales=en,xx', 'invalid_search_locales'],
      ['sort=title', 'invalid_search_sort'],
      ['filter=[1]', 'invalid_search_filter'],
      ['vector=1,x', 'invalid_search_vector'],
      ['vector=1,2', 'missing_search_hybrid'],
      ['hybridSemanticRatio=0.5', 'invalid_search_hybrid_query'],
      ['hybridEmbedder=a&hybridSemanticRatio=2', 'invalid_search_semantic_ratio'],
      ['q=a&hybridEmbedder=a', 'invalid_search_embedder'],
      ['personalizeUserContext=x', 'feature_not_enabled'],
      ['useNetwork=maybe', 'invalid_search_use_network'],
      ['media=x', 'bad_request'],
      ['foo=1', 'bad_request'],
      ['hybrid=a', 'bad_request'],
    ] as const
  ).map(([query, code]) => get('search.get', `${SEARCH}?${query}`, code)),
  get(
    'search.get',
    '/indexes/semantic/search?q=a&hybridEmbedder=default&hybridSemanticRatio=1',
    'vector_embedding_error',
  ),
  get(
    'search.get',
    '/indexes/semantic/search?hybridEmbedder=default&vector=1',
    'invalid_vector_dimensions',
  ),
  get('search.get', '/indexes/absent/search', 'index_not_found'),
  get('search.get', '/indexes/absent/search?vector=1', 'missing_search_hybrid'),
  get('docs.search', '/docs/search', 'invalid_search_q'),
];

const SIMILAR = '/indexes/semantic/similar';

const similarValues: readonly [name: string, value: unknown, code: ErrorCode][] = [
  ['id', 1.5, 'invalid_similar_id'],
  ['id', 'no id', 'invalid_similar_id'],
  ['embedder', 1, 'invalid_similar_embedder'],
  ['embedder', 'nobody', 'invalid_similar_embedder'],
  ['offset', -1, 'invalid_similar_offset'],
  ['limit', 'a', 'invalid_similar_limit'],
  ['filter', 5, 'invalid_similar_filter'],
  ['attributesToRetrieve', 'title', 'invalid_similar_attributes_to_retrieve'],
  ['retrieveVectors', 'yes', 'invalid_similar_retrieve_vectors'],
  ['showRankingScore', 1, 'invalid_similar_show_ranking_score'],
  ['showRankingScoreDetails', 1, 'invalid_similar_show_ranking_score_details'],
  ['showPerformanceDetails', 1, 'invalid_similar_show_performance_details'],
  ['rankingScoreThreshold', 2, 'invalid_similar_ranking_score_threshold'],
  ['q', 'a', 'bad_request'],
];

const similarCases: readonly RouteErrorCase[] = [
  ...similarValues.map(([name, value, code]) =>
    post('similar.post', SIMILAR, { id: 1, embedder: 'default', [name]: value }, code),
  ),
  ...[null, true, 'no id'].flatMap((id) => [
    post('similar.post', SIMILAR, { id, embedder: 'default' }, 'invalid_similar_id'),
    post('similar.post', SIMILAR, { id, embedder: 'default', limit: -1 }, 'invalid_similar_limit'),
    post('similar.post', SIMILAR, { id, embedder: 'nobody' }, 'invalid_similar_embedder'),
    post(
      'similar.post',
      SIMILAR,
      { id, embedder: 'default', filter: 'a =' },
      'invalid_similar_filter',
    ),
    post('similar.post', '/indexes/absent/similar', { id, embedder: 'default' }, 'index_not_found'),
  ]),
  post('similar.post', SIMILAR, { embedder: 'default' }, 'bad_request'),
  post('similar.post', SIMILAR, { id: 1 }, 'bad_request'),
  post(
    'similar.post',
    '/indexes/absent/similar',
    { id: 1, embedder: 'default' },
    'index_not_found',
  ),
  ...(
    [
      ['id=no%20id', 'invalid_similar_id'],
      ['embedder=nobody', 'invalid_similar_embedder'],
      ['offset=x', 'invalid_similar_offset'],
      ['limit=-1', 'invalid_similar_limit'],
      ['filter=[1]', 'invalid_similar_filter'],
      ['retrieveVectors=yes', 'invalid_similar_retrieve_vectors'],
      ['showRankingScore=1', 'invalid_similar_show_ranking_score'],
      ['showRankingScoreDetails=1', 'invalid_similar_show_ranking_score_details'],
      ['showPerformanceDetails=1', 'invalid_similar_show_performance_details'],
      ['rankingScoreThreshold=2', 'invalid_similar_ranking_score_threshold'],
      ['q=a', 'bad_request'],
    ] as const
  ).map(([query, code]) => {
    const given = new URLSearchParams({ id: '1', embedder: 'default' });
    for (const [name, value] of new URLSearchParams(query)) given.set(name, value);
    return get('similar.get', `${SIMILAR}?${given}`, code);
  }),
  get('similar.get', `${SIMILAR}?embedder=default`, 'bad_request'),
  get('similar.get', '/indexes/absent/similar?id=1&embedder=default', 'index_not_found'),
];

const FACET_SEARCH = '/indexes/films/facet-search';

const facetSearch = (body: unknown, code: ErrorCode): RouteErrorCase =>
  post('facetSearch.post', FACET_SEARCH, body, code);

const facetSearchCases: readonly RouteErrorCase[] = [
  ...(
    [
      ['facetName', 1, 'invalid_facet_search_facet_name'],
      ['facetName', null, 'invalid_facet_search_facet_name'],
      ['facetQuery', 1, 'invalid_facet_search_query'],
      ['sortFacetValuesBy', 'size', 'invalid_search_facets'],
      ['exhaustiveFacetCount', 'true', 'invalid_facet_search_exhaustive_facet_count'],
      ['q', 1, 'invalid_search_q'],
      ['filter', 5, 'invalid_search_filter'],
      ['filter', [[['a = 1']]], 'invalid_search_filter'],
      ['matchingStrategy', 'most', 'invalid_search_matching_strategy'],
      ['attributesToSearchOn', 'title', 'invalid_search_attributes_to_search_on'],
      ['rankingScoreThreshold', -0.1, 'invalid_search_ranking_score_threshold'],
      ['locales', ['xx'], 'invalid_search_locales'],
      ['vector', ['x'], 'invalid_search_vector'],
      ['vector', [1], 'missing_search_hybrid'],
      ['hybrid', {}, 'invalid_search_hybrid_query'],
      ['hybrid', { embedder: 1 }, 'invalid_search_embedder'],
      ['hybrid', { embedder: 'nobody' }, 'invalid_search_embedder'],
      ['hybrid', { embedder: 'a', semanticRatio: 2 }, 'invalid_search_semantic_ratio'],
      ['media', {}, 'missing_search_hybrid'],
      ['useNetwork', 1, 'invalid_search_use_network'],
      ['useNetwork', true, 'feature_not_enabled'],
    ] as const
  ).map(([name, value, code]) => facetSearch({ facetName: 'genre', q: 'a', [name]: value }, code)),
  facetSearch({}, 'missing_facet_search_facet_name'),
  facetSearch([], 'bad_request'),
  facetSearch(
    { facetName: 'genre', hybrid: { embedder: 'a' }, media: {}, vector: [1] },
    'invalid_search_media_and_vector',
  ),
  post(
    'facetSearch.post',
    '/indexes/semantic/facet-search',
    { facetName: 'genre', q: 'a', hybrid: { embedder: 'default', semanticRatio: 1 } },
    'vector_embedding_error',
  ),
  post(
    'facetSearch.post',
    '/indexes/semantic/facet-search',
    { facetName: 'genre', hybrid: { embedder: 'default' }, vector: [1] },
    'invalid_vector_dimensions',
  ),
  post(
    'facetSearch.post',
    '/indexes/absent/facet-search',
    { facetName: 'genre' },
    'index_not_found',
  ),
];

const MULTI = 'multiSearch.post';

export const multi = (body: unknown, code: ErrorCode): RouteErrorCase =>
  post(MULTI, '/multi-search', body, code);

export const oneQuery = (members: object, federation?: object) => ({
  queries: [{ indexUid: 'films', ...members }],
  ...(federation && { federation }),
});

const multiSearchCases: readonly RouteErrorCase[] = [
  ...searchValues
    .filter(([name, value]) => !(value === null && (name === 'limit' || name === 'offset')))
    .map(([name, value, code]) => multi(oneQuery({ [name]: value }), code)),
  multi(
    { queries: [{ indexUid: 'films' }, { indexUid: 'films', limit: -1 }] },
    'invalid_search_limit',
  ),
  multi(oneQuery({ q: 'a', hybrid: { embedder: 'nobody' } }), 'invalid_search_embedder'),
  multi(
    {
      queries: [
        { indexUid: 'semantic', q: 'a', hybrid: { embedder: 'default', semanticRatio: 1 } },
      ],
    },
    'vector_embedding_error',
  ),
  multi(
    { queries: [{ indexUid: 'semantic', hybrid: { embedder: 'default' }, vector: [1] }] },
    'invalid_vector_dimensions',
  ),
  multi(
    oneQuery({ hybrid: { embedder: 'a' }, media: {}, vector: [1] }),
    'invalid_search_media_and_vector',
  ),
  multi({}, 'bad_request'),
  multi([], 'bad_request'),
  multi({ queries: {} }, 'bad_request'),
  multi({ queries: [1] }, 'bad_request'),
  multi({ queries: [], other: 1 }, 'bad_request'),
  multi({ queries: [{}] }, 'missing_index_uid'),
  multi({ queries: [{ indexUid: 1 }] }, 'invalid_index_uid'),
  multi({ queries: [{ indexUid: 'no uid' }] }, 'invalid_index_uid'),
  { ...multi({ queries: [{ indexUid: 'absent' }] }, 'index_not_found'), status: 400 },
  {
    ...multi({ queries: [{ indexUid: 'absent' }], federation: {} }, 'index_not_found'),
    status: 400,
  },
  {
    ...multi({ queries: [], federation: { facetsByIndex: { absent: null } } }, 'index_not_found'),
    status: 400,
  },
  multi(oneQuery({ federationOptions: {} }), 'invalid_multi_search_federation_options'),
  multi(oneQuery({ federationOptions: { weight: 1 } }), 'invalid_multi_search_federation_options'),
  multi(oneQuery({ federationOptions: 1 }, {}), 'bad_request'),
  multi(oneQuery({ federationOptions: { other: 1 } }, {}), 'bad_request'),
  multi(oneQuery({ federationOptions: { weight: -0.1 } }, {}), 'invalid_multi_search_weight'),
  multi(oneQuery({ federationOptions: { weight: null } }, {}), 'invalid_multi_search_weight'),
  multi(oneQuery({ federationOptions: { remote: 1 } }, {}), 'invalid_multi_search_remote'),
  multi(oneQuery({ federationOptions: { remote: 'a' } }, {}), 'feature_not_enabled'),
  multi(
    oneQuery({ federationOptions: { queryPosition: -1 } }, {}),
    'invalid_multi_search_query_position',
  ),
  multi(oneQuery({ federationOptions: { queryPosition: 0 } }, {}), 'feature_not_enabled'),
  ...(
    [
      ['limit', 1],
      ['offset', 0],
      ['page', 1],
      ['hitsPerPage', 1],
    ] as const
  ).map(([name, value]) =>
    multi(oneQuery({ [name]: value }, {}), 'invalid_multi_search_query_pagination'),
  ),
  multi(oneQuery({ facets: ['genre'] }, {}), 'invalid_multi_search_query_facets'),
  multi(oneQuery({ sortFacetValuesBy: 'count' }, {}), 'invalid_multi_search_query_facets'),
  multi(
    oneQuery({ personalize: { userContext: 'x' } }, {}),
    'invalid_multi_search_query_personalization',
  ),
  multi(
    oneQuery({ showPerformanceDetails: true }, {}),
    'invalid_multi_search_query_show_performance_details',
  ),
  multi(oneQuery({ distinct: 'a' }, { distinct: 'b' }), 'invalid_multi_search_distinct'),
  multi(oneQuery({ groupBy: 'a' }, {}), 'invalid_multi_search_group_by'),
  multi(oneQuery({ diversity: { attribute: 'a' } }, {}), 'invalid_multi_search_query_diversity'),
  multi(oneQuery({ rerank: { reranker: 'a' } }, {}), 'invalid_multi_search_query_rerank'),
  multi(oneQuery({}, { rerank: 1 }), 'invalid_search_rerank'),
  multi(oneQuery({ aggregations: {} }, {}), 'invalid_multi_search_query_aggregations'),
  ...(
    [
      [1, 'bad_request'],
      [[], 'bad_request'],
      [{ other: 1 }, 'bad_request'],
      [{ limit: 'a' }, 'invalid_search_limit'],
      [{ limit: null }, 'invalid_search_limit'],
      [{ offset: -1 }, 'invalid_search_offset'],
      [{ page: 1.5 }, 'invalid_search_page'],
      [{ hitsPerPage: -1 }, 'invalid_search_hits_per_page'],
      [{ distinct: 1 }, 'invalid_search_distinct'],
      [{ groupBy: 1 }, 'invalid_search_group_by'],
      [{ groupSize: 'a' }, 'invalid_search_group_size'],
      [{ groupBy: 'a', distinct: 'b' }, 'invalid_multi_search_group_by'],
      [{ groupBy: 'a', precedingGroups: [] }, 'invalid_multi_search_group_by'],
      [{ precedingGroups: [{ values: [1], size: 1 }] }, 'invalid_multi_search_group_by'],
      [{ precedingGroups: [{ values: [], size: 101 }] }, 'invalid_multi_search_group_by'],
      [{ facetsByIndex: 1 }, 'invalid_multi_search_facets_by_index'],
      [{ facetsByIndex: { 'a b': ['genre'] } }, 'invalid_multi_search_facets_by_index'],
      [{ facetsByIndex: { films: 'genre' } }, 'invalid_multi_search_facets_by_index'],
      [{ facetsByIndex: { films: [1] } }, 'invalid_multi_search_facets_by_index'],
      [{ mergeFacets: 1 }, 'invalid_multi_search_merge_facets'],
      [{ mergeFacets: { other: 1 } }, 'invalid_multi_search_merge_facets'],
      [{ mergeFacets: { maxValuesPerFacet: -1 } }, 'invalid_multi_search_max_values_per_facet'],
      [{ showPerformanceDetails: 1 }, 'invalid_search_show_performance_details'],
      [{ personalize: {} }, 'invalid_search_personalize'],
      [{ personalize: { userContext: 'x' } }, 'feature_not_enabled'],
    ] as const
  ).map(([federation, code]) => multi({ queries: [], federation }, code)),
];

export const searchErrors: readonly RouteErrorCase[] = [
  ...searchCases,
  ...comparisonCases,
  ...similarCases,
  ...multiSearchCases,
  ...facetSearchCases,
];
