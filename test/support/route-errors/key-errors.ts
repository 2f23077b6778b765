/** Requests about API keys that are refused. */
import type { ErrorCode } from '../../../src/core/error-codes.ts';
import {
  GUARDED_KEY_UID,
  get,
  JSON_TYPE,
  patch,
  post,
  type RouteErrorCase,
  raw,
  remove,
} from './refused-request.ts';

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
  [{ key: 'x' }, 'bad_request'],
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

export const keyErrors: readonly RouteErrorCase[] = [...keyCases, ...keyCasesWithoutMasterKey];
