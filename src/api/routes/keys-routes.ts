/**
 * Routes of API keys: list, create, read, update, rotate, delete. The front answers reads; the
 * indexer does writes.
 */

import { randomUUID } from 'node:crypto';
import type { Access } from '../../auth/access.ts';
import { requireAction } from '../../auth/authorize.ts';
import type { HeldKey } from '../../auth/key-ring.ts';
import { ApiError } from '../../core/errors.ts';
import { maskSecret } from '../../core/mask-secret.ts';
import { parseUuid } from '../../core/uuid.ts';
import { isGlobalOnly } from '../../model/actions.ts';
import type { ApiKey } from '../../model/api-key.ts';
import { keyExpiry } from '../../model/key-expiry.ts';
import {
  KeyCreationBody,
  KeyListQuery,
  KeyRotationBody,
  KeyUpdateBody,
} from '../../model/schemas/key-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import { offsetPage } from '../contract/offset-page.ts';
import { defineRoute, type Route } from '../contract/route.ts';

/** Rate limits are an addition to the Meilisearch API, so only keys with a limit show it. */
function recordOf(record: ApiKey, key: string) {
  const { name, description, uid, actions, indexes, expiresAt, createdAt, updatedAt } = record;
  const { requestsPerSecond } = record;
  return {
    name,
    description,
    key,
    uid,
    actions,
    indexes,
    expiresAt,
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    createdAt,
    updatedAt,
  };
}

function shownValue({ actions, value }: HeldKey, { config }: ApiContext, caller: Access): string {
  const isStronger = [...actions].some((action) => !caller.holds(action));
  return config.maskStrongerKeys && isStronger ? maskSecret(value) : value;
}

const viewOf = (key: HeldKey, context: ApiContext, caller: Access) =>
  recordOf(key.record, shownValue(key, context, caller));

function requireKey({ keys }: ApiContext, uidOrValue: string): HeldKey {
  const key = keys.byUidOrValue(uidOrValue);
  if (key === undefined)
    throw new ApiError('api_key_not_found', 'There is no API key with this uid or value.');
  return key;
}

/** Refuses actions on the whole instance for a key that is restricted to some indexes. */
function checkScope({ actions, indexes }: Pick<KeyCreationBody, 'actions' | 'indexes'>): void {
  if (indexes.length === 0 || indexes.includes('*')) return;
  const action = actions.find(isGlobalOnly);
  if (action === undefined) return;
  throw new ApiError(
    'index_scoped_api_key_with_global_action',
    `The action \`${action}\` concerns the whole instance, so a key that holds it needs \`"indexes": ["*"]\`.`,
  );
}

const GRACE_SECONDS_DEFAULT = 86_400;

export const keyRoutes: readonly Route[] = [
  defineRoute({
    id: 'keys.list',
    endpoint: 'GET /keys',
    action: 'keys.get',
    summary: 'List API keys, newest first',
    query: KeyListQuery,
    errors: ['missing_master_key'],
    handler: (context, { query, access }) =>
      offsetPage(context.keys.list(), query, (key) => viewOf(key, context, access)),
  }),
  defineRoute({
    id: 'keys.create',
    endpoint: 'POST /keys',
    action: 'keys.create',
    summary: 'Create an API key',
    body: KeyCreationBody,
    errors: [
      'missing_master_key',
      'index_scoped_api_key_with_global_action',
      'api_key_already_exists',
      'no_space_left_on_device',
    ],
    handler: async ({ indexer, keys }, { body }) => {
      const { name = null, description = null, actions, indexes, requestsPerSecond } = body;
      const expiresAt = body.expiresAt === null ? null : keyExpiry(body.expiresAt);
      checkScope(body);
      const uid = (body.uid === undefined ? null : parseUuid(body.uid)) ?? randomUUID();
      const record = await indexer.request('createKey', {
        uid,
        name,
        description,
        actions,
        indexes,
        expiresAt,
        ...(typeof requestsPerSecond === 'number' && { requestsPerSecond }),
      });
      return { status: 201, json: recordOf(record, keys.valueOf(uid)) };
    },
  }),
  defineRoute({
    id: 'keys.get',
    endpoint: 'GET /keys/:uidOrKey',
    action: 'keys.get',
    summary: 'Read one API key by its uid or its value',
    errors: ['missing_master_key', 'api_key_not_found'],
    handler: (context, { params, access }) => ({
      status: 200,
      json: viewOf(requireKey(context, params.uidOrKey), context, access),
    }),
  }),
  defineRoute({
    id: 'keys.update',
    endpoint: 'PATCH /keys/:uidOrKey',
    action: 'keys.update',
    summary: 'Update the name, the description and the rate limit of an API key',
    body: KeyUpdateBody,
    errors: ['missing_master_key', 'api_key_not_found', 'no_space_left_on_device'],
    handler: async (context, { params, body, access }) => {
      const key = requireKey(context, params.uidOrKey);
      const change = { ...body, uid: key.record.uid };
      const changed = await context.indexer.request('updateKey', change);
      return { status: 200, json: recordOf(changed, shownValue(key, context, access)) };
    },
  }),
  defineRoute({
    id: 'keys.delete',
    endpoint: 'DELETE /keys/:uidOrKey',
    action: 'keys.delete',
    summary: 'Delete an API key; it is invalid at once',
    errors: ['missing_master_key', 'api_key_not_found'],
    handler: async (context, { params }) => {
      await context.indexer.request('deleteKey', {
        uid: requireKey(context, params.uidOrKey).record.uid,
      });
      return { status: 204 };
    },
  }),
  defineRoute({
    id: 'keys.rotate',
    endpoint: 'POST /keys/:uidOrKey/rotate',
    action: 'keys.create',
    summary:
      'Rotate an API key: create a key with the same rights and set an expiry for the old one',
    body: KeyRotationBody,
    errors: ['missing_master_key', 'api_key_not_found', 'no_space_left_on_device'],
    handler: async (
      context,
      { params, body: { graceSeconds = GRACE_SECONDS_DEFAULT }, access },
    ) => {
      requireAction(access, 'keys.update', 'is required to set the expiry of the old key');
      const { uid } = requireKey(context, params.uidOrKey).record;
      const endsAt = new Date(context.clock.now() + graceSeconds * 1000).toISOString();
      const newUid = randomUUID();
      const { created, replaced } = await context.indexer.request('rotateKey', {
        uid,
        newUid,
        endsAt,
      });
      const { keys } = context;
      return {
        status: 201,
        json: {
          ...recordOf(created, keys.valueOf(newUid)),
          replaces: { uid, expiresAt: replaced.expiresAt },
        },
      };
    },
  }),
];
