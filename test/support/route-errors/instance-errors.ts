/** Requests about the instance that are refused: webhooks, exports, features, the network, logs. */

import { DOCUMENTS } from './document-errors.ts';
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
import { multi, oneQuery } from './search-errors.ts';

const FEATURES = '/experimental-features';

const featureCases: readonly RouteErrorCase[] = [
  ...[{ containsFilter: 'true' }, { metrics: 1 }, { vectorStore: true }, [], null, 1].map((body) =>
    patch('features.update', FEATURES, body, 'bad_request'),
  ),
];

const backupCases: readonly RouteErrorCase[] = [
  ...['absent.dump', '..%2Fsecret.dump', '%00.dump', '.dump'].map((name) =>
    get('backups.download', `/backups/${name}`, 'backup_not_found'),
  ),
];

const NETWORK = '/network';
const CONTROL = '/network/control';
const CHANGE = {
  origin: { remoteName: 'a', taskUid: 1 },
  message: { type: 'exportNoIndexForRemote', remote: 'b' },
};

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
      [{ shards: { a: { remotes: 'b' } } }, 'invalid_network_remotes'],
      [{ shards: { a: 'b' } }, 'invalid_network_shards'],
      [{ previousRemotes: {} }, 'unexpected_network_previous_remotes'],
      [{ foo: 1 }, 'bad_request'],
    ] as const
  ).map(([body, code]) => ({
    ...patch('network.update', NETWORK, body, code),
    features: { network: true },
  })),
  post('network.control', CONTROL, CHANGE, 'feature_not_enabled'),
  ...(
    [
      [{}, 'bad_request'],
      [{ ...CHANGE, foo: 1 }, 'bad_request'],
      [{ ...CHANGE, origin: { remoteName: 'a' } }, 'bad_request'],
      [{ ...CHANGE, origin: { ...CHANGE.origin, networkVersion: 'x' } }, 'bad_request'],
      [{ ...CHANGE, message: { type: 'other', remote: 'b' } }, 'bad_request'],
      [{ ...CHANGE, message: { type: 'importFinishedForRemote', remote: 'b' } }, 'bad_request'],
      [{ ...CHANGE, message: { type: 'statusChangeForRemote', remote: 'b' } }, 'bad_request'],
      [CHANGE, 'requires_enterprise_edition'],
    ] as const
  ).map(([body, code]) => ({
    ...post('network.control', CONTROL, body, code),
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
      [{ indexes: { '*': 1 } }, 'bad_request'],
      [{ indexes: { '*': { filter: 3 } } }, 'invalid_export_index_filter'],
      [{ indexes: { '*': { filter: 'a =' } } }, 'invalid_export_index_filter'],
      [{ indexes: { '*': { overrideSettings: null } } }, 'invalid_export_index_override_settings'],
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

export const instanceErrors: readonly RouteErrorCase[] = [
  get('metrics.get', '/metrics', 'feature_not_enabled'),
  post('logs.stream', '/logs/stream', {}, 'feature_not_enabled'),
  post('logs.stream', '/logs/stream', { mode: 'loud' }, 'bad_request'),
  remove('logs.endStream', '/logs/stream', 'feature_not_enabled'),
  post('logs.stderr', '/logs/stderr', {}, 'feature_not_enabled'),
  post('logs.stderr', '/logs/stderr', { target: 1 }, 'bad_request'),
  ...webhookCases,
  ...exportCases,
  ...featureCases,
  ...backupCases,
  ...networkCases,
];
