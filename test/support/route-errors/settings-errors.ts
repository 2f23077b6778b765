/** Settings, tries of settings and templates that are refused. */
import type { ErrorCode } from '../../../src/core/error-codes.ts';
import { get, patch, post, put, type RouteErrorCase, remove } from './refused-request.ts';
import { searchValues } from './search-errors.ts';

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
      { a: { distribution: { mean: 1.1, sigma: 0.1 } } },
      { a: { distribution: { mean: -0.1, sigma: 0.1 } } },
      { a: { distribution: { mean: 0.5, sigma: 1.1 } } },
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
    [
      1,
      [{ attributePatterns: ['a'] }],
      [{ attributePatterns: ['a'], locales: ['xx'] }],
      [{ attributePatterns: ['a'], locales: 'eng' }],
      [{ attributePatterns: ['a'], locales: null }],
    ],
    'invalid_settings_localized_attributes',
  ],
  ['facetSearch', 'facet-search', 'PUT', [1], 'invalid_settings_facet_search'],
  ['prefixSearch', 'prefix-search', 'PUT', ['x'], 'invalid_settings_prefix_search'],
  ['matchingStrategy', 'matching-strategy', 'PUT', ['most'], 'invalid_settings_matching_strategy'],
  ['inflections', 'inflections', 'PUT', ['eng', ['xx'], ['jpn']], 'invalid_settings_inflections'],
  [
    'rerankers',
    'rerankers',
    'PATCH',
    [
      1,
      { a: 1 },
      { a: { source: 'nope' } },
      { a: { foo: 1 } },
      { a: { timeoutMs: 60_001 } },
      { a: { documentTemplateMaxBytes: 0 } },
      { a: { documentTemplate: '{{ doc.title' } },
      { a: { url: 'file:///etc/passwd' } },
      { a: { request: { texts: ['{{text}}', '{{..}}'] }, response: ['{{score}}', '{{..}}'] } },
      { a: { request: ['{{query}}', '{{text}}'], response: '{{score}}' } },
      Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, null])),
    ],
    'invalid_settings_rerankers',
  ],
  [
    'substringAttributes',
    'substring-attributes',
    'PUT',
    ['sku', [1]],
    'invalid_settings_substring_attributes',
  ],
  [
    'chat',
    'chat',
    'PATCH',
    [
      1,
      { description: 1 },
      { foo: 1 },
      { documentTemplate: 1 },
      { documentTemplateMaxBytes: 0 },
      { searchParameters: { limit: 'a' } },
      { searchParameters: { q: 'a' } },
      { searchParameters: { hybrid: { semanticRatio: 1 } } },
    ],
    'invalid_settings_index_chat',
  ],
  ['chat', 'chat', 'PATCH', [{ documentTemplate: '{{' }], 'invalid_chat_setting_document_template'],
  [
    'embedders',
    'embedders',
    'PATCH',
    [
      { a: { searchFragments: {} } },
      { a: { source: 'composite', model: 'x' } },
      { a: { source: 'userProvided', dimensions: 2, searchEmbedder: { source: 'openAi' } } },
    ],
    'feature_not_enabled',
  ],
  ['chat', 'chat', 'PATCH', [{}], 'feature_not_enabled'],
];

const SETTINGS = '/indexes/films/settings';

/** Templates are checked only where the setting `chat` is enabled. */
const withChat = (refused: RouteErrorCase): RouteErrorCase => ({
  ...refused,
  features: { chatCompletions: refused.code === 'invalid_chat_setting_document_template' },
});

const settingsCases: readonly RouteErrorCase[] = [
  ...settingValues
    .flatMap(([name, subPath, verb, values, code]) =>
      values.flatMap((value) => [
        patch('settings.update', SETTINGS, { [name]: value }, code),
        post(
          'indexes.branch',
          '/indexes/films/branches',
          { uid: 'films-next', settings: { [name]: value } },
          code,
        ),
        (verb === 'PUT' ? put : patch)(
          `settings.${name}.update`,
          `${SETTINGS}/${subPath}`,
          value,
          code,
        ),
      ]),
    )
    .map(withChat),
  ...[...new Map(settingValues.map(([name, subPath]) => [name, subPath]))].map(([name, subPath]) =>
    get(`settings.${name}.get`, `/indexes/absent/settings/${subPath}`, 'index_not_found'),
  ),
  patch('settings.update', SETTINGS, { foo: 1 }, 'bad_request'),
  patch('settings.update', SETTINGS, null, 'bad_request'),
  get('settings.get', '/indexes/absent/settings', 'index_not_found'),
  remove('settings.reset', '/indexes/no%20uid/settings', 'invalid_index_uid'),
];

const preview = (body: unknown, code: ErrorCode): RouteErrorCase =>
  withChat(post('settings.preview', `${SETTINGS}/preview`, body, code));

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
      [{ template: { kind: 'chatDocumentTemplate', indexUid: 'a b' } }, 'invalid_render_template'],
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
        { template: inlineText('x'), input: { kind: 'indexDocument', indexUid: 'films', id: 1 } },
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
      [
        { template: inlineText('x'), input: { kind: 'inlineSearch', inline: {} } },
        'template_rendering_error',
      ],
    ] as const
  ).map(([body, code]) => ({
    ...post('renderTemplate.post', RENDER, body, code),
    features: { renderRoute: true },
  })),
];

export const settingsErrors: readonly RouteErrorCase[] = [
  ...settingsCases,
  ...settingsPreviewCases,
  ...renderCases,
];
