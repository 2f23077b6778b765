/** Requests about whole indexes, their fields and statistics that are refused. */
import type { ErrorCode } from '../../../src/core/error-codes.ts';
import {
  get,
  JSON_TYPE,
  patch,
  post,
  put,
  type RouteErrorCase,
  raw,
  remove,
} from './refused-request.ts';

const swap = (body: unknown, code: ErrorCode) => post('indexes.swap', '/swap-indexes', body, code);

const indexCases: readonly RouteErrorCase[] = [
  get('aliases.list', '/aliases?offset=a', 'invalid_index_offset'),
  get('aliases.list', '/aliases?limit=-1', 'invalid_index_limit'),
  get('aliases.get', '/aliases/a%20b', 'invalid_alias_name'),
  get('aliases.get', '/aliases/absent', 'alias_not_found'),
  put('aliases.put', '/aliases/a%20b', { indexUid: 'films' }, 'invalid_alias_name'),
  put('aliases.put', '/aliases/a', { indexUid: 'absent' }, 'index_not_found'),
  put('aliases.put', '/aliases/films', { indexUid: 'films' }, 'index_already_exists'),
  put('aliases.put', '/aliases/a', {}, 'missing_index_uid'),
  put('aliases.put', '/aliases/a', { indexUid: 'a b' }, 'invalid_index_uid'),
  remove('aliases.delete', '/aliases/a%20b', 'invalid_alias_name'),
  remove('aliases.delete', '/aliases/absent', 'alias_not_found'),
  get('indexes.list', '/indexes?offset=a', 'invalid_index_offset'),
  get('indexes.list', '/indexes?limit=-1', 'invalid_index_limit'),
  get('indexes.get', '/indexes/absent', 'index_not_found'),
  get('indexes.get', `/indexes/${'x'.repeat(401)}`, 'invalid_index_uid'),
  post('indexes.create', '/indexes', {}, 'missing_index_uid'),
  post('indexes.create', '/indexes', { uid: 'ü' }, 'invalid_index_uid'),
  post('indexes.create', '/indexes', { uid: null }, 'invalid_index_uid'),
  post('indexes.create', '/indexes', { uid: 'a', primaryKey: 5 }, 'invalid_index_primary_key'),
  post('indexes.create', '/indexes', { uid: 'a', other: 5 }, 'bad_request'),
  post('indexes.branch', '/indexes/films/branches', {}, 'missing_index_uid'),
  post('indexes.compare', '/indexes/films/compare', {}, 'missing_index_uid'),
  ...[
    { queries: [] },
    { queries: [{}] },
    { queries: [{ q: 'a', wanted: 1 }] },
    { queries: Array.from({ length: 1001 }, () => ({ q: 'a' })) },
    { limit: 101 },
    { search: { q: 'a' } },
    { candidateSearch: { page: 1 } },
  ].map((body) =>
    post(
      'indexes.compare',
      '/indexes/films/compare',
      { candidate: 'films', ...body },
      'bad_request',
    ),
  ),
  post('indexes.branch', '/indexes/films/branches', { uid: 'ü' }, 'invalid_index_uid'),
  post('indexes.branch', '/indexes/films/branches', { uid: 'a', other: 5 }, 'bad_request'),
  post('indexes.branch', '/indexes/films/branches', { uid: 'a', settings: 5 }, 'bad_request'),
  patch('indexes.update', '/indexes/films', { primaryKey: 5 }, 'invalid_index_primary_key'),
  patch('indexes.update', '/indexes/films', { uid: 'a b' }, 'invalid_index_uid'),
  patch(
    'indexes.update',
    '/indexes/films',
    { createdAt: '2024-01-01' },
    'immutable_index_created_at',
  ),
  patch('indexes.update', '/indexes/films', { updatedAt: null }, 'immutable_index_updated_at'),
  patch(
    'indexes.update',
    '/indexes/films',
    { uid: 'a b', updatedAt: null },
    'immutable_index_updated_at',
  ),
  raw('indexes.update', 'PATCH', '/indexes/no%20uid', {}, 'missing_content_type'),
  remove('indexes.delete', '/indexes/no%20uid', 'invalid_index_uid'),
  swap([{}], 'missing_swap_indexes'),
  swap([{ indexes: ['a'] }], 'invalid_swap_indexes'),
  swap([{ indexes: ['a'] }, {}], 'missing_swap_indexes'),
  swap([{ indexes: ['a', 'b c'] }], 'invalid_swap_indexes'),
  swap([{ indexes: ['a', 'b'], rename: null }], 'invalid_swap_rename'),
  swap([{ indexes: ['a', 'a'] }], 'invalid_swap_duplicate_index_found'),
  swap([{ indexes: ['a', 'b'] }, { indexes: ['c', 'a'] }], 'invalid_swap_duplicate_index_found'),
  swap({ indexes: ['a', 'b'] }, 'bad_request'),
  swap([{ indexes: ['a', 'b'], foo: 1 }], 'bad_request'),
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
  get('fingerprint.get', '/indexes/absent/fingerprint', 'index_not_found'),
  get('fingerprint.get', '/indexes/films/fingerprint?parts=maybe', 'invalid_fingerprint_parts'),
  get('fingerprint.get', '/indexes/films/fingerprint?documents=A', 'invalid_fingerprint_documents'),
  raw('fields.post', 'POST', FIELDS, { headers: JSON_TYPE }, 'missing_payload'),
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
];

export const indexErrors: readonly RouteErrorCase[] = [...indexCases, ...fieldCases, ...statsCases];
