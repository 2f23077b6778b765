/** Writes, reads, deletions and editions of documents that are refused. */
import { get, JSON_TYPE, post, type RouteErrorCase, raw, remove } from './refused-request.ts';

export const DOCUMENTS = '/indexes/films/documents';

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
      ['ids=1,a+b', 'invalid_document_ids'],
      ['filter=[1]', 'invalid_document_filter'],
      ['sort=a', 'invalid_document_sort'],
      ['useNetwork=true', 'invalid_document_use_network'],
      ['foo=1', 'bad_request'],
    ] as const
  ).map(([query, code]) => get('documents.list', `${DOCUMENTS}?${query}`, code)),
  get('documents.list', '/indexes/absent/documents', 'index_not_found'),
  get('documents.list', '/indexes/absent/documents?sort=a', 'invalid_document_sort'),
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
  post(
    'documents.fetch',
    '/indexes/absent/documents/fetch',
    { filter: 5, sort: ['a:up'] },
    'invalid_document_sort',
  ),
  post('documents.fetch', '/indexes/absent/documents/fetch', { filter: 5 }, 'index_not_found'),
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

export const documentErrors: readonly RouteErrorCase[] = [
  ...documentWrites,
  ...documentReads,
  ...documentDeletions,
  ...editionCases,
];
