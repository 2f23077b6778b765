/**
 * Start here: decides whether a request may do what its route asks for, and what else it may
 * (api.md 2).
 */
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import type { Action } from '../model/actions.ts';
import { type Access, FULL_ACCESS } from './access.ts';
import { bearerToken } from './bearer.ts';
import type { HeldKey, KeyRing } from './key-ring.ts';
import { secretDigest } from './secret-digest.ts';
import {
  looksLikeTenantToken,
  readTenantToken,
  ruleFor,
  type TenantToken,
} from './tenant-token.ts';

/** @param indexUid the index that the path names, null for none. Throws `ApiError`. */
export type Authorize = (header: string, action: Action, indexUid: string | null) => Access;

export interface AuthorizeOptions {
  readonly masterKey: string | null;
  readonly keys: Pick<KeyRing, 'byUid' | 'byValue'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const TOKEN_ACTIONS: ReadonlySet<Action> = new Set<Action>(['search', 'chatCompletions']);

/** Without a master key everything passes, apart from a malformed header and the routes of keys. */
export function createAuthorize({ masterKey, keys, now }: AuthorizeOptions): Authorize {
  if (masterKey === null) return authorizeOpenly;
  const masterDigest = secretDigest(masterKey);
  return (header, action, indexUid) => {
    const token = bearerToken(header);
    if (token === null) {
      throw new ApiError(
        'missing_authorization_header',
        'This route needs the header `Authorization: Bearer <key>`, which the request lacks.',
      );
    }
    if (timingSafeEqual(secretDigest(token), masterDigest)) return FULL_ACCESS;
    const key = keys.byValue(token);
    const access =
      key === undefined
        ? tokenAccess(token, action, keys, now())
        : keyAccess(key, action, 'The given key', now());
    if (indexUid !== null) requireReach(access, indexUid);
    return access;
  };
}

function authorizeOpenly(header: string, action: Action): Access {
  bearerToken(header);
  if (!action.startsWith('keys.')) return FULL_ACCESS;
  throw new ApiError(
    'missing_master_key',
    'Keys need a master key, which this server was started without. Start it with `--master-key` or `SVC_MASTER_KEY`.',
  );
}

/**
 * Throws `invalid_api_key` when the access does not reach the index, whether or not there is one of
 * that uid.
 */
export function requireReach(access: Access, indexUid: string): void {
  if (access.reaches(indexUid)) return;
  throw new ApiError(
    'invalid_api_key',
    `The given key or token does not reach the index \`${indexUid.slice(0, 100)}\`.`,
  );
}

function keyAccess(key: HeldKey, action: Action, subject: string, nowMs: number): Access {
  const { record, actions, reaches, isRestricted, expiresAtMs } = key;
  if (nowMs >= expiresAtMs)
    throw new ApiError('invalid_api_key', `${subject} expired at ${record.expiresAt}.`);
  if (!actions.has(action)) {
    throw new ApiError('invalid_api_key', `${subject} does not hold the action \`${action}\`.`);
  }
  if (record.indexes.length === 0)
    throw new ApiError('invalid_api_key', `${subject} reaches no index.`);
  return {
    keyUid: record.uid,
    isRestricted,
    taskIndexes: isRestricted ? record.indexes : null,
    reaches,
    holds: (other) => actions.has(other),
    searchFilter: () => null,
  };
}

function tokenAccess(
  text: string,
  action: Action,
  keys: AuthorizeOptions['keys'],
  nowMs: number,
): Access {
  if (!looksLikeTenantToken(text))
    throw new ApiError('invalid_api_key', 'The given key is not known here.');
  const token = readTenantToken(text);
  const parent = keys.byUid(token.apiKeyUid);
  if (parent === undefined || !token.isSignedBy(parent.value)) {
    throw new ApiError(
      'invalid_api_key',
      'The tenant token is not valid: it must be signed with the value of the API key whose uid is its claim `apiKeyUid`.',
    );
  }
  checkExpiry(token, nowMs);
  if (!TOKEN_ACTIONS.has(action)) {
    throw new ApiError(
      'invalid_api_key',
      `A tenant token opens searches only, not the action \`${action}\`.`,
    );
  }
  const access = keyAccess(parent, action, 'The API key that signed the tenant token', nowMs);
  return {
    keyUid: access.keyUid,
    isRestricted: true,
    taskIndexes: [],
    reaches: (indexUid) => access.reaches(indexUid) && ruleFor(token.rules, indexUid) !== undefined,
    holds: (other) => TOKEN_ACTIONS.has(other) && access.holds(other),
    searchFilter: (indexUid) => ruleFor(token.rules, indexUid)?.filter ?? null,
  };
}

function checkExpiry({ expiresAtS }: TenantToken, nowMs: number): void {
  if (expiresAtS === null || Math.floor(nowMs / 1000) <= expiresAtS) return;
  throw new ApiError(
    'invalid_api_key',
    `The tenant token expired at second ${expiresAtS} of the Unix epoch.`,
  );
}
