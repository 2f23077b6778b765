/** Schemas of the key routes. */
import Type, { type Static } from 'typebox';
import type { ErrorCode } from '../../core/error-codes.ts';
import { preview } from '../../core/preview.ts';
import { UUID_PATTERN } from '../../core/uuid.ts';
import { KEY_ACTIONS } from '../actions.ts';
import { INDEX_UID_PATTERN } from '../index-uid-pattern.ts';
import { keyExpiry } from '../key-expiry.ts';
import {
  closed,
  count,
  INDEX_UID,
  integer,
  oneOf,
  optional,
  refused,
  ruled,
  text,
} from './schema.ts';

const descriptive = {
  name: optional(text('invalid_api_key_name')),
  description: optional(text('invalid_api_key_description')),
};

const requestsPerSecond = optional(integer('invalid_api_key_requests_per_second', 1, 1_000_000));

const indexPattern = Type.String({
  pattern: INDEX_UID_PATTERN,
  code: 'invalid_api_key_indexes',
  expects: `an index uid (${INDEX_UID.expects}), the beginning of one followed by \`*\`, or \`*\``,
});

export const KeyListQuery = closed({
  offset: Type.Optional(count('invalid_api_key_offset')),
  limit: Type.Optional(count('invalid_api_key_limit')),
});

/** The schema asks for a date in the future, so that the first wrong member of a body is reported. */
const expiry = ruled(Type.String(), (given) =>
  Date.parse(keyExpiry(given) ?? '') > Date.now()
    ? null
    : `\`expiresAt\` is ${preview(given)}, which is no date in the future such as \`2090-01-31T12:00:00Z\`, \`2090-01-31 12:00:00\` or \`2090-01-31\`.`,
);

export const KeyCreationBody = closed({
  ...descriptive,
  requestsPerSecond,
  uid: Type.Optional(
    Type.String({
      pattern: UUID_PATTERN,
      code: 'invalid_api_key_uid',
      expects: 'a UUID such as `6062abda-a5aa-4414-ac91-ecd7944c0f8d`, or no `uid` to create one',
    }),
  ),
  actions: Type.Array(oneOf([...KEY_ACTIONS], 'invalid_api_key_actions'), {
    code: 'invalid_api_key_actions',
    missing: 'missing_api_key_actions',
    expects: 'an array of actions, for example `["search"]`',
  }),
  indexes: Type.Array(indexPattern, {
    code: 'invalid_api_key_indexes',
    missing: 'missing_api_key_indexes',
    expects: 'an array of index uids and patterns, for example `["*"]`',
  }),
  expiresAt: Type.Union([expiry, Type.Null()], {
    code: 'invalid_api_key_expires_at',
    missing: 'missing_api_key_expires_at',
    expects: 'a date such as `2090-01-31T12:00:00Z`, or null for a key that does not expire',
  }),
});
export type KeyCreationBody = Static<typeof KeyCreationBody>;

const fixed = (member: string, code: ErrorCode) =>
  Type.Optional(
    refused(
      code,
      `no \`${member}\`: only \`name\`, \`description\` and \`requestsPerSecond\` of a key can change`,
    ),
  );

export const KeyUpdateBody = closed({
  ...descriptive,
  requestsPerSecond,
  actions: fixed('actions', 'immutable_api_key_actions'),
  indexes: fixed('indexes', 'immutable_api_key_indexes'),
  expiresAt: fixed('expiresAt', 'immutable_api_key_expires_at'),
  uid: fixed('uid', 'immutable_api_key_uid'),
  createdAt: fixed('createdAt', 'immutable_api_key_created_at'),
  updatedAt: fixed('updatedAt', 'immutable_api_key_updated_at'),
});

const GRACE_SECONDS_MAX = 31_536_000;

export const KeyRotationBody = closed({
  graceSeconds: Type.Optional(integer('invalid_api_key_grace_seconds', 0, GRACE_SECONDS_MAX)),
});
