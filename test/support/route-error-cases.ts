/**
 * Requests that the front refuses without asking anybody, and the code of each: the list behind
 * several tests.
 */
import type { ErrorCode } from '../../src/core/error-codes.ts';
import type { Features } from '../../src/model/features.ts';
import { type HttpRequestOptions, sendJson } from './http-request.ts';

export const GUARDED_KEY_UID = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';

export interface RouteErrorCase {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly options: HttpRequestOptions;
  readonly code: ErrorCode;
  /**
   * On a server with a master key, by its holder; one key exists there, its uid is
   * `GUARDED_KEY_UID`.
   */
  readonly isGuarded?: true;
  /** Absent = that of the code. */
  readonly status?: number;
  /** Experimental features that are on. */
  readonly features?: Partial<Features>;
}

/**
 * The index `films` exists with default settings, `semantic` has an embedder `default`; `absent`
 * does not exist.
 */
const get = (route: string, path: string, code: ErrorCode): RouteErrorCase => ({
  route,
  method: 'GET',
  path,
  options: {},
  code,
});
const remove = (route: string, path: string, code: ErrorCode): RouteErrorCase => ({
  route,
  method: 'DELETE',
  path,
  options: {},
  code,
});
const send =
  (method: 'POST' | 'PUT' | 'PATCH') =>
  (route: string, path: string, value: unknown, code: ErrorCode): RouteErrorCase => ({
    route,
    method,
    path,
    options: sendJson(value),
    code,
  });
const post = send('POST');
const put = send('PUT');
const patch = send('PATCH');

const JSON_TYPE = { 'content-type': 'application/json' };
const raw = (
  route: string,
  method: string,
  path: string,
  options: HttpRequestOptions,
  code: ErrorCode,
): RouteErrorCase => ({
  route,
  method,
  path,
  options,
  code,
});

const SEARCH = '/indexes/films/search';
const searchValues: readonly (readonly [string, unknown, ErrorCode])[] = [
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
  ['attributesToHighlight', [1], 'invalid_search_attributes_to_highlight'],
  ['attributesToCrop', {}, 'invalid_search_attributes_to_crop'],
  ['attributesToSearchOn', [null], 'invalid_search_attributes_to_search_on'],
  ['cropLength', null, 'invalid_search_crop_length'],
  ['cropMarker', null, 'invalid_search_crop_marker'],
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
  ['facets', 'genre', 'invalid_search_facets'],
  ['vector', ['x'], 'invalid_search_vector'],
  ['vector', [1], 'missing_search_hybrid'],
  ['hybrid', {}, 'invalid_search_hybrid_query'],
  ['hybrid', { embedder: 'a', other: 1 }, 'invalid_search_hybrid_query'],
  ['hybrid', { embedder: 1 }, 'invalid_search_embedder'],
  ['hybrid', { embedder: 'a', semanticRatio: 2 }, 'invalid_search_semantic_ratio'],
  ['hybrid', { embedder: 'a', semanticRatio: null }, 'invalid_search_semantic_ratio'],
  ['hybrid', { embedder: 'a', semanticThreshold: 2 }, 'invalid_search_hybrid_query'],
  ['media', {}, 'feature_not_enabled'],
  ['personalize', {}, 'invalid_search_personalize'],
  ['personalize', { userContext: 1 }, 'invalid_search_personalize_user_context'],
  ['personalize', { userContext: 'x' }, 'feature_not_enabled'],
  ['useNetwork', 1, 'invalid_search_use_network'],
  ['useNetwork', false, 'feature_not_enabled'],
  ['unknown', 1, 'bad_request'],
  ['Limit', 1, 'bad_request'],
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
  post('search.post', '/indexes/no%20uid/search', {}, 'invalid_index_uid'),
  post('search.post', `${SEARCH}?limit=1`, {}, 'bad_request'),
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
      ['media', {}, 'feature_not_enabled'],
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
  post('facetSearch.post', `${FACET_SEARCH}?limit=1`, { facetName: 'genre' }, 'bad_request'),
];

const DOCUMENTS = '/indexes/films/documents';
const documentWrites = (['POST', 'PUT'] as const).flatMap((method): RouteErrorCase[] => {
  const route = method === 'POST' ? 'documents.replace' : 'documents.update';
  const json = { headers: JSON_TYPE, body: '[{"id":1}]' };
  return [
    raw(route, method, DOCUMENTS, { body: '[]' }, 'missing_content_type'),
    raw(
      route,
      method,
      DOCUMENTS,
      { body: '[]', headers: { 'content-type': 'text/plain' } },
      'invalid_content_type',
    ),
    raw(
      route,
      method,
      DOCUMENTS,
      { body: '[]', headers: { 'content-type': 'application/vnd.api+json' } },
      'invalid_content_type',
    ),
    raw(route, method, DOCUMENTS, { headers: JSON_TYPE }, 'missing_payload'),
    raw(route, method, DOCUMENTS, { headers: JSON_TYPE, body: '[{]' }, 'malformed_payload'),
    raw(route, method, `${DOCUMENTS}?csvDelimiter=;`, json, 'invalid_content_type'),
    raw(route, method, `${DOCUMENTS}?csvDelimiter=ab`, json, 'invalid_document_csv_delimiter'),
    raw(route, method, `${DOCUMENTS}?csvDelimiter=`, json, 'invalid_document_csv_delimiter'),
    raw(
      route,
      method,
      `${DOCUMENTS}?csvDelimiter=%E2%82%AC`,
      json,
      'invalid_document_csv_delimiter',
    ),
    raw(route, method, `${DOCUMENTS}?skipCreation=maybe`, json, 'invalid_skip_creation'),
    raw(route, method, `${DOCUMENTS}?skipCreation=`, json, 'invalid_skip_creation'),
    raw(route, method, `${DOCUMENTS}?foo=1`, json, 'bad_request'),
    raw(route, method, '/indexes/no%20uid/documents', json, 'invalid_index_uid'),
    raw(
      route,
      method,
      DOCUMENTS,
      { headers: JSON_TYPE, body: `["${'x'.repeat(1_000_000)}"]` },
      'payload_too_large',
    ),
  ];
});

const documentReads: readonly RouteErrorCase[] = [
  ...(
    [
      ['offset=-1', 'invalid_document_offset'],
      ['limit=a', 'invalid_document_limit'],
      ['limit=', 'invalid_document_limit'],
      ['retrieveVectors=', 'invalid_document_retrieve_vectors'],
      ['ids=a%20b', 'invalid_document_ids'],
      ['ids=1,,2', 'invalid_document_ids'],
      ['filter=[1]', 'invalid_document_filter'],
      ['sort=a', 'invalid_document_sort'],
      ['useNetwork=true', 'invalid_document_use_network'],
      ['foo=1', 'bad_request'],
    ] as const
  ).map(([query, code]) => get('documents.list', `${DOCUMENTS}?${query}`, code)),
  get('documents.list', '/indexes/absent/documents', 'index_not_found'),
  get('documents.get', `${DOCUMENTS}/1?retrieveVectors=x`, 'invalid_document_retrieve_vectors'),
  get('documents.get', `${DOCUMENTS}/1?useNetwork=false`, 'invalid_document_use_network'),
  get('documents.get', `${DOCUMENTS}/1?limit=1`, 'bad_request'),
  get('documents.get', '/indexes/absent/documents/1', 'index_not_found'),
  ...(
    [
      [{ offset: null }, 'invalid_document_offset'],
      [{ limit: -1 }, 'invalid_document_limit'],
      [{ fields: 'a' }, 'invalid_document_fields'],
      [{ retrieveVectors: null }, 'invalid_document_retrieve_vectors'],
      [{ ids: [1.5] }, 'invalid_document_ids'],
      [{ ids: ['a b'] }, 'invalid_document_ids'],
      [{ ids: ['x'.repeat(512)] }, 'invalid_document_ids'],
      [{ ids: 1 }, 'invalid_document_ids'],
      [{ filter: {} }, 'invalid_document_filter'],
      [{ sort: ['a:up'] }, 'invalid_document_sort'],
      [{ useNetwork: 1 }, 'invalid_document_use_network'],
      [{ useNetwork: true }, 'feature_not_enabled'],
      [{ foo: 1 }, 'bad_request'],
    ] as const
  ).map(([body, code]) => post('documents.fetch', `${DOCUMENTS}/fetch`, body, code)),
  post('documents.fetch', '/indexes/absent/documents/fetch', {}, 'index_not_found'),
];

const documentDeletions: readonly RouteErrorCase[] = [
  post('documents.deleteBatch', `${DOCUMENTS}/delete-batch`, { ids: [1] }, 'bad_request'),
  post('documents.deleteByFilter', `${DOCUMENTS}/delete`, {}, 'missing_document_filter'),
  post(
    'documents.deleteByFilter',
    `${DOCUMENTS}/delete`,
    { filter: ' ' },
    'invalid_document_filter',
  ),
  post(
    'documents.deleteByFilter',
    `${DOCUMENTS}/delete`,
    { filter: [] },
    'invalid_document_filter',
  ),
  post('documents.deleteByFilter', `${DOCUMENTS}/delete`, { filter: 1 }, 'invalid_document_filter'),
  post(
    'documents.deleteByFilter',
    `${DOCUMENTS}/delete`,
    { filter: 'a = 1', foo: 1 },
    'bad_request',
  ),
  post(
    'documents.deleteByFilter',
    `${DOCUMENTS}/delete`,
    { filter: 'a CONTAINS b' },
    'feature_not_enabled',
  ),
  remove('documents.deleteAll', `${DOCUMENTS}?foo=1`, 'bad_request'),
  remove('documents.deleteOne', '/indexes/no%20uid/documents/1', 'invalid_index_uid'),
];

const swap = (body: unknown, code: ErrorCode) => post('indexes.swap', '/swap-indexes', body, code);
const indexCases: readonly RouteErrorCase[] = [
  get('indexes.list', '/indexes?offset=a', 'invalid_index_offset'),
  get('indexes.list', '/indexes?limit=-1', 'invalid_index_limit'),
  get('indexes.get', '/indexes/absent', 'index_not_found'),
  get('indexes.get', `/indexes/${'x'.repeat(401)}`, 'invalid_index_uid'),
  post('indexes.create', '/indexes', {}, 'missing_index_uid'),
  post('indexes.create', '/indexes', { uid: 'ü' }, 'invalid_index_uid'),
  post('indexes.create', '/indexes', { uid: null }, 'invalid_index_uid'),
  post('indexes.create', '/indexes', { uid: 'a', primaryKey: 5 }, 'invalid_index_primary_key'),
  post('indexes.create', '/indexes', { uid: 'a', other: 5 }, 'bad_request'),
  patch('indexes.update', '/indexes/films', { primaryKey: 5 }, 'invalid_index_primary_key'),
  patch('indexes.update', '/indexes/films', { uid: 'a b' }, 'invalid_index_uid'),
  patch(
    'indexes.update',
    '/indexes/films',
    { createdAt: '2024-01-01' },
    'immutable_index_created_at',
  ),
  patch('indexes.update', '/indexes/films', { updatedAt: null }, 'immutable_index_updated_at'),
  raw('indexes.update', 'PATCH', '/indexes/no%20uid', {}, 'missing_content_type'),
  remove('indexes.delete', '/indexes/no%20uid', 'invalid_index_uid'),
  swap([{}], 'missing_swap_indexes'),
  swap([{ indexes: ['a'] }], 'invalid_swap_indexes'),
  swap([{ indexes: ['a', 'b c'] }], 'invalid_swap_indexes'),
  swap([{ indexes: ['a', 'b'], rename: null }], 'invalid_swap_rename'),
  swap([{ indexes: ['a', 'a'] }], 'invalid_swap_duplicate_index_found'),
  swap([{ indexes: ['a', 'b'] }, { indexes: ['c', 'a'] }], 'invalid_swap_duplicate_index_found'),
  swap({ indexes: ['a', 'b'] }, 'bad_request'),
  swap([{ indexes: ['a', 'b'], foo: 1 }], 'bad_request'),
];

const settingValues: readonly (readonly [
  string,
  string,
  'PUT' | 'PATCH',
  readonly unknown[],
  ErrorCode,
])[] = [
  [
    'displayedAttributes',
    'displayed-attributes',
    'PUT',
    ['title', [1]],
    'invalid_settings_displayed_attributes',
  ],
  [
    'searchableAttributes',
    'searchable-attributes',
    'PUT',
    ['title'],
    'invalid_settings_searchable_attributes',
  ],
  [
    'filterableAttributes',
    'filterable-attributes',
    'PUT',
    [
      [1],
      [{}],
      [{ attributePatterns: ['a'], foo: 1 }],
      [{ attributePatterns: ['a'], features: { filter: { equality: 1 } } }],
    ],
    'invalid_settings_filterable_attributes',
  ],
  [
    'sortableAttributes',
    'sortable-attributes',
    'PUT',
    [{}],
    'invalid_settings_sortable_attributes',
  ],
  ['foreignKeys', 'foreign-keys', 'PUT', [1, [{}]], 'invalid_settings_foreign_keys'],
  ['foreignKeys', 'foreign-keys', 'PUT', [[]], 'feature_not_enabled'],
  [
    'rankingRules',
    'ranking-rules',
    'PUT',
    [
      'words',
      [1],
      ['nothing'],
      ['attribute', 'wordPosition'],
      ['attributeRank', 'attribute'],
      ['_geoPoint(1,2):asc'],
      ['_geo:asc'],
    ],
    'invalid_settings_ranking_rules',
  ],
  ['stopWords', 'stop-words', 'PUT', ['the'], 'invalid_settings_stop_words'],
  [
    'nonSeparatorTokens',
    'non-separator-tokens',
    'PUT',
    [[1]],
    'invalid_settings_non_separator_tokens',
  ],
  ['separatorTokens', 'separator-tokens', 'PUT', [1], 'invalid_settings_separator_tokens'],
  ['dictionary', 'dictionary', 'PUT', [true], 'invalid_settings_dictionary'],
  ['synonyms', 'synonyms', 'PUT', [[], { a: 'b' }, { 'a\nb': 1 }], 'invalid_settings_synonyms'],
  ['distinctAttribute', 'distinct-attribute', 'PUT', [1], 'invalid_settings_distinct_attribute'],
  [
    'proximityPrecision',
    'proximity-precision',
    'PUT',
    ['byLetter'],
    'invalid_settings_proximity_precision',
  ],
  [
    'typoTolerance',
    'typo-tolerance',
    'PATCH',
    [
      { enabled: 'yes' },
      { foo: 1 },
      { minWordSizeForTypos: { oneTypo: 256 } },
      { minWordSizeForTypos: { oneTypo: 9, twoTypos: 4 } },
    ],
    'invalid_settings_typo_tolerance',
  ],
  [
    'faceting',
    'faceting',
    'PATCH',
    [{ maxValuesPerFacet: 'a' }, { sortFacetValuesBy: { a: 'size' } }],
    'invalid_settings_faceting',
  ],
  [
    'pagination',
    'pagination',
    'PATCH',
    [{ maxTotalHits: 0 }, { foo: 1 }, []],
    'invalid_settings_pagination',
  ],
  [
    'embedders',
    'embedders',
    'PATCH',
    [
      1,
      { a: 1 },
      { a: { source: 'nope' } },
      { a: { source: 'userProvided' } },
      { a: { source: 'userProvided', dimensions: 0 } },
      { a: { source: 'userProvided', dimensions: 2, url: 'x' } },
      { a: { foo: 1 } },
      { a: { documentTemplate: '{{ doc.title' } },
      { a: { url: 'file:///etc/passwd' } },
      Object.fromEntries(Array.from({ length: 257 }, (_, i) => [i, null])),
    ],
    'invalid_settings_embedders',
  ],
  ['searchCutoffMs', 'search-cutoff-ms', 'PUT', ['a', -1], 'invalid_settings_search_cutoff_ms'],
  [
    'localizedAttributes',
    'localized-attributes',
    'PUT',
    [1, [{ attributePatterns: ['a'] }], [{ attributePatterns: ['a'], locales: ['xx'] }]],
    'invalid_settings_localized_attributes',
  ],
  ['facetSearch', 'facet-search', 'PUT', [1], 'invalid_settings_facet_search'],
  ['prefixSearch', 'prefix-search', 'PUT', ['x'], 'invalid_settings_prefix_search'],
  ['matchingStrategy', 'matching-strategy', 'PUT', ['most'], 'invalid_settings_matching_strategy'],
  ['inflections', 'inflections', 'PUT', ['eng', ['xx'], ['jpn']], 'invalid_settings_inflections'],
  ['chat', 'chat', 'PATCH', [1], 'invalid_settings_index_chat'],
  ['embedders', 'embedders', 'PATCH', [{ a: { searchFragments: {} } }], 'feature_not_enabled'],
  ['chat', 'chat', 'PATCH', [{}], 'feature_not_enabled'],
];

const SETTINGS = '/indexes/films/settings';
const settingsCases: readonly RouteErrorCase[] = [
  ...settingValues.flatMap(([name, subPath, verb, values, code]) =>
    values.flatMap((value) => [
      patch('settings.update', SETTINGS, { [name]: value }, code),
      (verb === 'PUT' ? put : patch)(
        `settings.${name}.update`,
        `${SETTINGS}/${subPath}`,
        value,
        code,
      ),
    ]),
  ),
  ...[...new Map(settingValues.map(([name, subPath]) => [name, subPath]))].map(([name, subPath]) =>
    get(`settings.${name}.get`, `/indexes/absent/settings/${subPath}`, 'index_not_found'),
  ),
  patch('settings.update', SETTINGS, { foo: 1 }, 'bad_request'),
  patch('settings.update', SETTINGS, null, 'bad_request'),
  get('settings.get', '/indexes/absent/settings', 'index_not_found'),
  remove('settings.reset', '/indexes/no%20uid/settings', 'invalid_index_uid'),
];

const preview = (body: unknown, code: ErrorCode): RouteErrorCase =>
  post('settings.preview', `${SETTINGS}/preview`, body, code);
const settingsPreviewCases: readonly RouteErrorCase[] = [
  ...settingValues.flatMap(([name, , , values, code]) =>
    values.map((value) => preview({ settings: { [name]: value } }, code)),
  ),
  ...searchValues.map(([name, value, code]) =>
    preview({ settings: {}, search: { [name]: value } }, code),
  ),
  preview(
    { settings: {}, search: { hybrid: { embedder: 'a' }, media: {}, vector: [1] } },
    'invalid_search_media_and_vector',
  ),
  preview({}, 'bad_request'),
  preview({ settings: null }, 'bad_request'),
  preview({ settings: {}, search: 1 }, 'bad_request'),
  preview({ settings: {}, other: 1 }, 'bad_request'),
  preview(
    { settings: { typoTolerance: { minWordSizeForTypos: { oneTypo: 20 } } } },
    'invalid_settings_typo_tolerance',
  ),
  preview(
    { settings: {}, search: { hybrid: { embedder: 'nobody' }, q: 'a' } },
    'invalid_search_embedder',
  ),
  post('settings.preview', '/indexes/absent/settings/preview', { settings: {} }, 'index_not_found'),
  post(
    'settings.preview',
    '/indexes/semantic/settings/preview',
    { settings: {}, search: { hybrid: { embedder: 'default' }, vector: [1] } },
    'invalid_vector_dimensions',
  ),
  post(
    'settings.preview',
    '/indexes/semantic/settings/preview',
    { settings: {}, search: { q: 'a', hybrid: { embedder: 'default', semanticRatio: 1 } } },
    'vector_embedding_error',
  ),
];

const MULTI = 'multiSearch.post';
const multi = (body: unknown, code: ErrorCode): RouteErrorCase =>
  post(MULTI, '/multi-search', body, code);
const oneQuery = (members: object, federation?: object) => ({
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
  multi(oneQuery({ federationOptions: 1 }, {}), 'invalid_multi_search_federation_options'),
  multi(
    oneQuery({ federationOptions: { other: 1 } }, {}),
    'invalid_multi_search_federation_options',
  ),
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
  multi(
    oneQuery({ personalize: { userContext: 'x' } }, {}),
    'invalid_multi_search_query_personalization',
  ),
  multi(
    oneQuery({ showPerformanceDetails: true }, {}),
    'invalid_multi_search_query_show_performance_details',
  ),
  multi(oneQuery({ distinct: 'a' }, { distinct: 'b' }), 'invalid_multi_search_distinct'),
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

const taskFilters = [
  ['uids=a', 'invalid_task_uids'],
  ['uids=', 'invalid_task_uids'],
  ['uids=4294967296', 'invalid_task_uids'],
  ['batchUids=1,x', 'invalid_batch_uids'],
  ['canceledBy=-1', 'invalid_task_canceled_by'],
  ['types=foo', 'invalid_task_types'],
  ['statuses=done', 'invalid_task_statuses'],
  ['indexUids=a%20b', 'invalid_index_uid'],
  ['beforeEnqueuedAt=yesterday', 'invalid_task_before_enqueued_at'],
  ['afterEnqueuedAt=2024-02-30', 'invalid_task_after_enqueued_at'],
  ['beforeStartedAt=2024', 'invalid_task_before_started_at'],
  ['afterStartedAt=2024-01-01T25:00:00Z', 'invalid_task_after_started_at'],
  ['beforeFinishedAt=', 'invalid_task_before_finished_at'],
  ['afterFinishedAt=1700000000', 'invalid_task_after_finished_at'],
  ['foo=1', 'bad_request'],
] as const satisfies readonly (readonly [string, ErrorCode])[];
const pageFilters = [
  ['limit=a', 'invalid_task_limit'],
  ['from=x', 'invalid_task_from'],
  ['reverse=1', 'invalid_task_reverse'],
] as const;

const DOCUMENTS_ON = { features: { getTaskDocumentsRoute: true } };

const taskCases: readonly RouteErrorCase[] = [
  ...[...taskFilters, ...pageFilters].flatMap(([query, code]) => [
    get('tasks.list', `/tasks?${query}`, code),
    get('batches.list', `/batches?${query}`, code),
  ]),
  ...taskFilters.flatMap(([query, code]) => [
    raw('tasks.cancel', 'POST', `/tasks/cancel?${query}`, {}, code),
    remove('tasks.delete', `/tasks?${query}`, code),
  ]),
  raw('tasks.cancel', 'POST', '/tasks/cancel', {}, 'missing_task_filters'),
  raw('tasks.cancel', 'POST', '/tasks/cancel?limit=1', {}, 'bad_request'),
  remove('tasks.delete', '/tasks', 'missing_task_filters'),
  get('tasks.get', '/tasks/abc', 'invalid_task_uids'),
  get('tasks.get', '/tasks/1', 'task_not_found'),
  get('tasks.documents', '/tasks/1/documents', 'feature_not_enabled'),
  { ...get('tasks.documents', '/tasks/x/documents', 'invalid_task_uids'), ...DOCUMENTS_ON },
  { ...get('tasks.documents', '/tasks/1/documents', 'task_not_found'), ...DOCUMENTS_ON },
  raw('tasks.compact', 'POST', '/tasks/compact', {}, 'feature_not_enabled'),
  get('tasks.stream', '/tasks/stream', 'feature_not_enabled'),
  get('batches.stream', '/batches/stream', 'feature_not_enabled'),
  get('batches.get', '/batches/-1', 'invalid_batch_uids'),
  get('batches.get', '/batches/1', 'batch_not_found'),
];

const statsCases: readonly RouteErrorCase[] = [
  ...(['/stats', '/indexes/films/stats'] as const).flatMap((path) => {
    const route = path === '/stats' ? 'stats.get' : 'stats.index';
    return [
      get(route, `${path}?sizeFormat=big`, 'invalid_stats_size_format'),
      get(
        route,
        `${path}?showInternalDatabaseSizes=1`,
        'invalid_stats_show_internal_database_sizes',
      ),
      get(route, `${path}?foo=1`, 'bad_request'),
    ];
  }),
  get('stats.index', '/indexes/absent/stats', 'index_not_found'),
  get('version', '/version?foo=1', 'bad_request'),
];

const EDIT = '/indexes/films/documents/edit';
const EDITION_ON = { features: { editDocumentsByFunction: true } };
const editionCases: readonly RouteErrorCase[] = [
  post('documents.edit', EDIT, { function: 'doc.a = 1' }, 'feature_not_enabled'),
  ...(
    [
      [{}, 'missing_document_edition_function'],
      [{ function: 1 }, 'invalid_document_edition_function_filter'],
      [{ function: null }, 'invalid_document_edition_function_filter'],
      [{ function: '', context: 1 }, 'invalid_document_edition_context'],
      [{ function: '', context: [] }, 'invalid_document_edition_context'],
      [
        { function: '', context: { long: 'x'.repeat(300_000) } },
        'invalid_document_edition_context',
      ],
      [{ function: '', filter: '' }, 'invalid_document_filter'],
      [{ function: '', filter: [] }, 'invalid_document_filter'],
      [{ function: '', filter: 'a =' }, 'invalid_document_filter'],
      [{ function: '', filter: 'a CONTAINS b' }, 'feature_not_enabled'],
      [{ function: 'doc.a =' }, 'bad_request'],
      [{ function: ' '.repeat(70_000) }, 'bad_request'],
      [{ function: '', other: 1 }, 'bad_request'],
    ] as const
  ).map(([body, code]) => ({ ...post('documents.edit', EDIT, body, code), ...EDITION_ON })),
];

const RENDER = '/render-template';
const inlineText = (inline: unknown) => ({ kind: 'inlineDocumentTemplate', inline });
const inlineDocument = (inline: unknown) => ({ kind: 'inlineDocument', inline });
const renderCases: readonly RouteErrorCase[] = [
  post('renderTemplate.post', RENDER, { template: inlineText('x') }, 'feature_not_enabled'),
  ...(
    [
      [{}, 'bad_request'],
      [{ template: inlineText('x'), other: 1 }, 'bad_request'],
      [{ template: 'x' }, 'invalid_render_template'],
      [{ template: {} }, 'invalid_render_template'],
      [{ template: { kind: 'nope' } }, 'invalid_render_template'],
      [{ template: inlineText(1) }, 'invalid_render_template'],
      [{ template: { ...inlineText('x'), indexUid: 'films' } }, 'invalid_render_template'],
      [
        { template: { ...inlineText('x'), documentTemplateMaxBytes: 0 } },
        'invalid_render_template',
      ],
      [{ template: { kind: 'documentTemplate', indexUid: 'films' } }, 'invalid_render_template'],
      [
        { template: { kind: 'documentTemplate', indexUid: 'films', embedder: 'a' } },
        'invalid_render_template',
      ],
      [
        { template: { kind: 'documentTemplate', indexUid: 'semantic', embedder: 'default' } },
        'invalid_render_template',
      ],
      [
        { template: { kind: 'documentTemplate', indexUid: 'absent', embedder: 'a' } },
        'index_not_found',
      ],
      [{ template: { kind: 'inlineFragment', inline: 'x' } }, 'feature_not_enabled'],
      [{ template: inlineText('{{ doc.a') }, 'template_parsing_error'],
      [{ template: inlineText('x'), input: 1 }, 'invalid_render_input'],
      [{ template: inlineText('x'), input: {} }, 'invalid_render_input'],
      [
        { template: inlineText('x'), input: { kind: 'indexDocument', id: '1' } },
        'invalid_render_input',
      ],
      [{ template: inlineText('x'), input: inlineDocument([1]) }, 'invalid_render_input'],
      [
        { template: inlineText('x'), input: { kind: 'inlineSearch', inline: {} } },
        'invalid_render_input',
      ],
      [
        {
          template: inlineText('x'),
          input: { kind: 'indexDocument', indexUid: 'absent', id: '1' },
        },
        'index_not_found',
      ],
      [
        { template: inlineText('{{ doc.a }}'), input: inlineDocument({}) },
        'template_rendering_error',
      ],
    ] as const
  ).map(([body, code]) => ({
    ...post('renderTemplate.post', RENDER, body, code),
    features: { renderRoute: true },
  })),
];

const FEATURES = '/experimental-features';
const featureCases: readonly RouteErrorCase[] = [
  get('features.get', `${FEATURES}?foo=1`, 'bad_request'),
  ...[
    { containsFilter: 'true' },
    { metrics: 1 },
    { network: null },
    { vectorStore: true },
    [],
    null,
    1,
  ].map((body) => patch('features.update', FEATURES, body, 'bad_request')),
  patch('features.update', `${FEATURES}?foo=1`, {}, 'bad_request'),
  patch(
    'features.update',
    FEATURES,
    { containsFilter: true, foreignKeys: true },
    'feature_not_enabled',
  ),
];

const NETWORK = '/network';
const networkCases: readonly RouteErrorCase[] = [
  get('network.get', NETWORK, 'feature_not_enabled'),
  patch('network.update', NETWORK, {}, 'feature_not_enabled'),
  ...(
    [
      [{ self: 1 }, 'invalid_network_self'],
      [{ leader: 1 }, 'invalid_network_leader'],
      [{ leader: 'a' }, 'requires_enterprise_edition'],
      [{ remotes: [] }, 'invalid_network_remotes'],
      [{ remotes: { a: 1 } }, 'invalid_network_remotes'],
      [{ remotes: { a: {} } }, 'missing_network_url'],
      [{ remotes: { a: { url: 1 } } }, 'invalid_network_url'],
      [{ remotes: { a: { url: 'ftp://a' } } }, 'invalid_network_url'],
      [{ remotes: { a: { url: null } } }, 'invalid_network_url'],
      [{ remotes: { a: { searchApiKey: 1 } } }, 'invalid_network_search_api_key'],
      [{ remotes: { a: { writeApiKey: 1 } } }, 'invalid_network_write_api_key'],
      [{ shards: { a: { remotes: 'b' } } }, 'invalid_network_shards'],
      [{ previousRemotes: {} }, 'unexpected_network_previous_remotes'],
      [{ foo: 1 }, 'bad_request'],
    ] as const
  ).map(([body, code]) => ({
    ...patch('network.update', NETWORK, body, code),
    features: { network: true },
  })),
  ...(
    [
      [{ federationOptions: { remote: 'absent' } }, 'invalid_multi_search_remote'],
      [
        { federationOptions: { remote: 'a' }, useNetwork: true },
        'invalid_multi_search_federation_options',
      ],
    ] as const
  ).map(([query, code]) => ({
    ...multi(oneQuery(query, {}), code),
    features: { network: true },
  })),
  {
    ...post(
      'documents.fetch',
      `${DOCUMENTS}/fetch`,
      { useNetwork: true, sort: ['year:asc'] },
      'invalid_document_use_network',
    ),
    features: { network: true },
  },
];

const newKey = { actions: ['search'], indexes: ['*'], expiresAt: null };
const newKeyWithout = (member: keyof typeof newKey) => ({ ...newKey, [member]: undefined });
const KEY = `/keys/${GUARDED_KEY_UID}`;
const newKeys: readonly (readonly [unknown, ErrorCode])[] = [
  [{}, 'missing_api_key_actions'],
  [newKeyWithout('actions'), 'missing_api_key_actions'],
  [{ actions: ['search'] }, 'missing_api_key_indexes'],
  [newKeyWithout('expiresAt'), 'missing_api_key_expires_at'],
  [{ ...newKey, name: 1 }, 'invalid_api_key_name'],
  [{ ...newKey, description: ['x'] }, 'invalid_api_key_description'],
  ...['x', null, 1, '6062abda-a5aa-4414-ac91-ecd7944c0f8', `${GUARDED_KEY_UID}0`].map(
    (uid) => [{ ...newKey, uid }, 'invalid_api_key_uid'] as const,
  ),
  ...['search', null, ['nope'], [1], ['keys.*'], ['documents.edit'], ['Search']].map(
    (actions) => [{ ...newKey, actions }, 'invalid_api_key_actions'] as const,
  ),
  ...['*', null, ['bad uid'], ['*films'], ['a*b'], [''], [1], ['x'.repeat(401)]].map(
    (indexes) => [{ ...newKey, indexes }, 'invalid_api_key_indexes'] as const,
  ),
  ...[
    'tomorrow',
    '1999-01-01',
    '2090-02-30',
    '2090-01-01T25:00:00Z',
    '',
    '2090-01-01T00:00',
    4_000_000_000,
  ].map((expiresAt) => [{ ...newKey, expiresAt }, 'invalid_api_key_expires_at'] as const),
  [
    { ...newKey, indexes: ['films'], actions: ['search', 'version'] },
    'index_scoped_api_key_with_global_action',
  ],
  [
    { ...newKey, indexes: ['films*'], actions: ['dumps.*'] },
    'index_scoped_api_key_with_global_action',
  ],
  [{ ...newKey, uid: GUARDED_KEY_UID.toUpperCase() }, 'api_key_already_exists'],
  [{ ...newKey, requestsPerSecond: 0 }, 'invalid_api_key_requests_per_second'],
  [{ ...newKey, foo: 1 }, 'bad_request'],
  [[], 'bad_request'],
];
const keyChanges: readonly (readonly [object, ErrorCode])[] = [
  ...[0, 1.5, '5', 1e9].map(
    (requestsPerSecond) => [{ requestsPerSecond }, 'invalid_api_key_requests_per_second'] as const,
  ),
  [{ name: 1 }, 'invalid_api_key_name'],
  [{ description: {} }, 'invalid_api_key_description'],
  [{ actions: ['search'] }, 'immutable_api_key_actions'],
  [{ indexes: ['*'] }, 'immutable_api_key_indexes'],
  [{ expiresAt: null }, 'immutable_api_key_expires_at'],
  [{ uid: GUARDED_KEY_UID }, 'immutable_api_key_uid'],
  [{ key: 'x' }, 'immutable_api_key_key'],
  [{ createdAt: '2024-01-01' }, 'immutable_api_key_created_at'],
  [{ name: 'x', updatedAt: null }, 'immutable_api_key_updated_at'],
  [{ foo: 1 }, 'bad_request'],
];

const keyCases: readonly RouteErrorCase[] = [
  get('keys.list', '/keys?limit=a', 'invalid_api_key_limit'),
  get('keys.list', '/keys?offset=-1', 'invalid_api_key_offset'),
  get('keys.list', '/keys?foo=1', 'bad_request'),
  ...newKeys.map(([body, code]) => post('keys.create', '/keys', body, code)),
  raw('keys.create', 'POST', '/keys', { headers: JSON_TYPE, body: '{' }, 'malformed_payload'),
  raw('keys.create', 'POST', '/keys', { body: '{}' }, 'missing_content_type'),
  get('keys.get', '/keys/unknown', 'api_key_not_found'),
  get('keys.get', '/keys/11111111-1111-4111-8111-111111111111', 'api_key_not_found'),
  ...keyChanges.map(([body, code]) => patch('keys.update', KEY, body, code)),
  patch('keys.update', '/keys/unknown', { name: 'x' }, 'api_key_not_found'),
  remove('keys.delete', '/keys/unknown', 'api_key_not_found'),
  post('keys.rotate', '/keys/unknown/rotate', {}, 'api_key_not_found'),
  ...[-1, 1.5, '1', null, 1e9].map((graceSeconds) =>
    post('keys.rotate', `${KEY}/rotate`, { graceSeconds }, 'invalid_api_key_grace_seconds'),
  ),
].map((refused) => ({ ...refused, isGuarded: true }));

const keyCasesWithoutMasterKey: readonly RouteErrorCase[] = [
  get('keys.list', '/keys', 'missing_master_key'),
  post('keys.create', '/keys', newKey, 'missing_master_key'),
  get('keys.get', KEY, 'missing_master_key'),
  patch('keys.update', KEY, {}, 'missing_master_key'),
  remove('keys.delete', KEY, 'missing_master_key'),
  post('keys.rotate', `${KEY}/rotate`, {}, 'missing_master_key'),
];

const FIELDS = '/indexes/films/fields';
const fieldCases: readonly RouteErrorCase[] = [
  post('fields.post', FIELDS, { offset: -1 }, 'invalid_index_offset'),
  post('fields.post', FIELDS, { limit: 'a' }, 'invalid_index_limit'),
  post('fields.post', FIELDS, { filter: 'title' }, 'invalid_index_fields_filter'),
  post('fields.post', FIELDS, { filter: { unknown: true } }, 'invalid_index_fields_filter'),
  ...(
    [
      ['attributePatterns', 'invalid_index_fields_filter_attribute_patterns'],
      ['displayed', 'invalid_index_fields_filter_displayed'],
      ['searchable', 'invalid_index_fields_filter_searchable'],
      ['sortable', 'invalid_index_fields_filter_sortable'],
      ['distinct', 'invalid_index_fields_filter_distinct'],
      ['rankingRule', 'invalid_index_fields_filter_ranking_rule'],
      ['filterable', 'invalid_index_fields_filter_filterable'],
    ] as const
  ).map(([name, code]) => post('fields.post', FIELDS, { filter: { [name]: 1 } }, code)),
  post('fields.post', '/indexes/absent/fields', {}, 'index_not_found'),
  post('fields.post', `${FIELDS}?limit=1`, {}, 'bad_request'),
  raw('fields.post', 'POST', FIELDS, { headers: JSON_TYPE }, 'missing_payload'),
];

const exportCases: readonly RouteErrorCase[] = [
  ...(
    [
      [{}, 'invalid_export_url'],
      [{ url: null }, 'invalid_export_url'],
      [{ url: '' }, 'invalid_export_url'],
      [{ url: 'ftp://example.com' }, 'invalid_export_url'],
      [{ apiKey: 1 }, 'invalid_export_api_key'],
      [{ payloadSize: true }, 'invalid_export_payload_size'],
      [{ payloadSize: 0 }, 'invalid_export_payload_size'],
      [{ payloadSize: 'much' }, 'invalid_export_payload_size'],
      [{ indexes: 1 }, 'bad_request'],
      [{ indexes: { 'a b': {} } }, 'invalid_export_indexes_patterns'],
      [{ indexes: { '*': 1 } }, 'invalid_export_indexes_patterns'],
      [{ indexes: { '*': { filter: 3 } } }, 'invalid_export_index_filter'],
      [{ indexes: { '*': { filter: 'a =' } } }, 'invalid_export_index_filter'],
      [{ indexes: { '*': { overrideSettings: 'yes' } } }, 'invalid_export_index_override_settings'],
      [{ foo: 1 }, 'bad_request'],
    ] as const
  ).map(([body, code]) =>
    post(
      'export',
      '/export',
      { url: code === 'invalid_export_url' ? undefined : 'http://a.b', ...body },
      code,
    ),
  ),
  raw('export', 'POST', '/export', { headers: JSON_TYPE }, 'missing_payload'),
];

const WEBHOOK = '/webhooks/11111111-1111-4111-8111-111111111111';
const LAUNCH_WEBHOOK = '/webhooks/00000000-0000-0000-0000-000000000000';
const url = 'https://example.com/hook';
const badHeaders = [
  1,
  [],
  'x',
  { x: 1 },
  { x: [] },
  { 'a b': '' },
  { x: 'a\r\nb: c' },
  { x: 'ü' },
  Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`x-${i}`, 'v'])),
];
const badUrls = [null, 1, '', 'example.com', 'file:///etc/passwd', {}];
const webhookCases: readonly RouteErrorCase[] = [
  get('webhooks.list', '/webhooks?limit=1', 'bad_request'),
  post('webhooks.create', '/webhooks', {}, 'invalid_webhook_url'),
  ...badUrls.map((bad) =>
    post('webhooks.create', '/webhooks', { url: bad }, 'invalid_webhook_url'),
  ),
  ...badHeaders.map((headers) =>
    post('webhooks.create', '/webhooks', { url, headers }, 'invalid_webhook_headers'),
  ),
  ...['', 'too short', 'with a blank in its middle', 1].map((signingSecret) =>
    post('webhooks.create', '/webhooks', { url, signingSecret }, 'invalid_webhook_signing_secret'),
  ),
  post('webhooks.create', '/webhooks', { url, uuid: GUARDED_KEY_UID }, 'immutable_webhook_uuid'),
  post('webhooks.create', '/webhooks', { url, isEditable: true }, 'immutable_webhook_is_editable'),
  post('webhooks.create', '/webhooks', { url, foo: 1 }, 'bad_request'),
  raw('webhooks.create', 'POST', '/webhooks', { headers: JSON_TYPE }, 'missing_payload'),
  ...(['GET', 'DELETE'] as const).flatMap((method) => {
    const route = method === 'GET' ? 'webhooks.get' : 'webhooks.delete';
    return [
      raw(route, method, '/webhooks/1', {}, 'invalid_webhook_uuid'),
      raw(route, method, `${WEBHOOK}0`, {}, 'invalid_webhook_uuid'),
      raw(route, method, WEBHOOK, {}, 'webhook_not_found'),
    ];
  }),
  get('webhooks.get', LAUNCH_WEBHOOK, 'webhook_not_found'),
  get('webhooks.deliveries', '/webhooks/x/deliveries', 'invalid_webhook_uuid'),
  get('webhooks.deliveries', `${WEBHOOK}/deliveries`, 'webhook_not_found'),
  remove('webhooks.delete', LAUNCH_WEBHOOK, 'immutable_webhook'),
  patch('webhooks.update', LAUNCH_WEBHOOK, { url }, 'immutable_webhook'),
  patch('webhooks.update', WEBHOOK, { url }, 'webhook_not_found'),
  patch('webhooks.update', '/webhooks/x', { url }, 'invalid_webhook_uuid'),
  patch('webhooks.update', WEBHOOK, { url: null }, 'invalid_webhook_url'),
  patch('webhooks.update', WEBHOOK, { headers: { x: 1 } }, 'invalid_webhook_headers'),
  patch('webhooks.update', WEBHOOK, { signingSecret: 1 }, 'invalid_webhook_signing_secret'),
  patch('webhooks.update', WEBHOOK, { uuid: null }, 'immutable_webhook_uuid'),
  patch('webhooks.update', WEBHOOK, { isEditable: false }, 'immutable_webhook_is_editable'),
  patch('webhooks.update', WEBHOOK, { foo: 1 }, 'bad_request'),
];

export const routeErrorCases: readonly RouteErrorCase[] = [
  get('metrics.get', '/metrics', 'feature_not_enabled'),
  post('logs.stream', '/logs/stream', {}, 'feature_not_enabled'),
  post('logs.stream', '/logs/stream', { mode: 'loud' }, 'bad_request'),
  remove('logs.endStream', '/logs/stream', 'feature_not_enabled'),
  post('logs.stderr', '/logs/stderr', {}, 'feature_not_enabled'),
  post('logs.stderr', '/logs/stderr', { target: 1 }, 'bad_request'),
  ...searchCases,
  ...similarCases,
  ...multiSearchCases,
  ...facetSearchCases,
  ...documentWrites,
  ...documentReads,
  ...documentDeletions,
  ...indexCases,
  ...fieldCases,
  ...settingsCases,
  ...settingsPreviewCases,
  ...taskCases,
  ...statsCases,
  ...keyCases,
  ...keyCasesWithoutMasterKey,
  ...webhookCases,
  ...exportCases,
  ...editionCases,
  ...renderCases,
  ...featureCases,
  ...networkCases,
];
