/**
 * Start here: decides whether a request may use its route, and which indexes and filters apply
 * (api.md 2).
 */
import { ApiError, TooManyRequests } from '../core/errors.ts';
import type { Action } from '../model/actions.ts';
import type { AliasTable } from '../model/alias.ts';
import { type Access, FULL_ACCESS } from './access.ts';
import { aliasedAccess } from './aliased-access.ts';
import { type AuthRateLimiter, TooManyWrongKeys } from './auth-rate-limiter.ts';
import type { KeyRates } from './key-rates.ts';
import { type HeldKey, type KeyRing, valuesOf } from './key-ring.ts';
import type { OpenidTokens } from './openid-tokens.ts';
import { secretDigest } from './secret-digest.ts';
import {
  looksLikeTenantToken,
  readTenantToken,
  ruleFor,
  type TenantToken,
  TOKEN_ACTIONS,
} from './tenant-token.ts';

const SCHEME = 'Bearer';

/**
 * The token, or null when the header is absent (empty). Throws `missing_authorization_header` or
 * `invalid_api_key`.
 */
export function bearerToken(header: string): string | null {
  if (header === '') return null;
  const space = header.indexOf(' ');
  const scheme = space < 0 ? header : header.slice(0, space);
  if (scheme !== SCHEME) {
    throw new ApiError(
      'missing_authorization_header',
      'The `Authorization` header uses another scheme than the only one accepted: `Bearer <key>`.',
    );
  }
  const token = space < 0 ? '' : header.slice(space + 1);
  if (token === '')
    throw new ApiError(
      'invalid_api_key',
      'The `Authorization` header names no key after `Bearer`.',
    );
  return token;
}

export interface Credentials {
  readonly header: string;
  /** Address of the client; read only if the key is invalid. */
  address(): string;
  /** Set as soon as the key or token is valid, also if it is not sufficient; see `Access`. */
  keyUid?: string | null;
}

/**
 * A promise only for an OpenID token that is not verified yet. @param indexUid the index in the path,
 * null for none. Throws or rejects with `ApiError`.
 */
export type Authorize = (
  credentials: Credentials,
  action: Action,
  indexUid: string | null,
) => Access | Promise<Access>;

export interface AuthorizeOptions {
  readonly masterKey: string | null;
  /** Also valid while it is set; null = none. */
  readonly formerMasterKey: string | null;
  readonly keys: Pick<KeyRing, 'byUid' | 'byDigest'>;
  /** null = no provider is configured. */
  readonly openid: Pick<OpenidTokens, 'isToken' | 'known' | 'verify'> | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly guard: AuthRateLimiter;
  readonly rates: KeyRates;
  readonly aliases: () => AliasTable;
  /** Accepts rules of tenant tokens that have unknown members or an empty filter. */
  readonly allowLooseTenantRules: boolean;
}

/**
 * Without a master key every request is allowed, except those with a malformed header and the key
 * routes.
 */
export function createAuthorize(options: AuthorizeOptions): Authorize {
  const { masterKey, formerMasterKey } = options;
  if (masterKey === null) return authorizeOpenly;
  const masterDigests = new Set(
    [masterKey, formerMasterKey].flatMap((key) => (key === null ? [] : [secretDigest(key)])),
  );
  return (from, action, indexUid) => {
    const token = bearerToken(from.header);
    if (token === null) {
      throw new ApiError(
        'missing_authorization_header',
        'This route needs the header `Authorization: Bearer <key>`, which the request lacks.',
      );
    }
    const digest = secretDigest(token);
    if (masterDigests.has(digest)) return FULL_ACCESS;
    const held = options.keys.byDigest(digest) ?? heldBy(token, options, from);
    const request = { from, action, indexUid };
    return held instanceof Promise
      ? held.then((verified) => grant(verified, request, options))
      : grant(held, request, options);
  };
}

const subjectOf = ({ record: { uid } }: HeldKey): string =>
  uid.startsWith('oidc:') ? 'The OpenID token' : 'The provided API key';

interface AccessRequest {
  readonly from: Credentials;
  readonly action: Action;
  readonly indexUid: string | null;
}

function grant(
  held: HeldKey | ProvenToken,
  { from, action, indexUid }: AccessRequest,
  { aliases, now, rates }: AuthorizeOptions,
): Access {
  const key = 'token' in held ? held.parent : held;
  from.keyUid = key.record.uid;
  const own =
    'token' in held
      ? tokenAccess(held, action, now())
      : keyAccess(held, action, subjectOf(held), now());
  const access = aliasedAccess(own, aliases());
  if (indexUid !== null) requireReach(access, indexUid);
  requireTurn(key, rates);
  return access;
}

/**
 * The key behind a value that is no key. Throws or rejects with `ApiError` if it is no valid token
 * either, with `TooManyWrongKeys` after too many invalid keys from the address.
 */
function heldBy(
  text: string,
  { keys, openid, guard, allowLooseTenantRules }: AuthorizeOptions,
  from: Credentials,
): HeldKey | ProvenToken | Promise<HeldKey> {
  const held = openid?.known(text) ?? null;
  if (held !== null) return held;
  if (openid?.isToken(text)) {
    const address = from.address();
    return openid.verify(text).catch((error: unknown) => refuse(error, address, guard));
  }
  try {
    return provenToken(text, keys, allowLooseTenantRules);
  } catch (error) {
    return refuse(error, from.address(), guard);
  }
}

function refuse(error: unknown, address: string, guard: AuthRateLimiter): never {
  if (!(error instanceof ApiError) || error.code !== 'invalid_api_key') throw error;
  const limitedMs = guard.limitedMs(address);
  if (limitedMs > 0) throw new TooManyWrongKeys(limitedMs);
  guard.note(address);
  throw error;
}

function requireTurn({ record: { uid, requestsPerSecond } }: HeldKey, rates: KeyRates): void {
  if (requestsPerSecond === undefined) return;
  const waitMs = rates.take(uid, requestsPerSecond);
  if (waitMs === 0) return;
  throw new TooManyRequests(
    waitMs,
    `The provided API key exceeded its limit of ${requestsPerSecond} requests per second.`,
  );
}

function authorizeOpenly({ header }: Credentials, action: Action): Access {
  bearerToken(header);
  if (!action.startsWith('keys.')) return FULL_ACCESS;
  throw new ApiError(
    'missing_master_key',
    'Keys need a master key, which this server was started without. Start it with `--master-key` or `SVC_MASTER_KEY`.',
  );
}

/**
 * Throws `invalid_api_key` if the access does not include the index, whether or not the index
 * exists.
 */
export function requireReach(access: Access, indexUid: string): void {
  if (access.reaches(indexUid)) return;
  throw new ApiError(
    'invalid_api_key',
    `The provided API key or tenant token has no access to the index \`${indexUid.slice(0, 100)}\`.`,
  );
}

/** @param why what needs the action, for the message. @throws ApiError `invalid_api_key` */
export function requireAction(access: Access, action: Action, why: string): void {
  if (access.holds(action)) return;
  throw new ApiError(
    'invalid_api_key',
    `The provided API key does not have the action \`${action}\`, which ${why}.`,
  );
}

function keyAccess(key: HeldKey, action: Action, subject: string, nowMs: number): Access {
  const { record, actions, reaches, isRestricted, expiresAtMs, searchFilter } = key;
  if (nowMs >= expiresAtMs)
    throw new ApiError('invalid_api_key', `${subject} expired at ${record.expiresAt}.`);
  if (!actions.has(action)) {
    throw new ApiError('invalid_api_key', `${subject} does not have the action \`${action}\`.`);
  }
  if (record.indexes.length === 0)
    throw new ApiError('invalid_api_key', `${subject} has access to no index.`);
  return {
    keyUid: record.uid,
    isRestricted,
    taskIndexes: isRestricted ? record.indexes : null,
    reaches,
    holds: (other) => actions.has(other),
    searchFilter: () => searchFilter,
  };
}

interface ProvenToken {
  readonly token: TenantToken;
  readonly parent: HeldKey;
}

function provenToken(
  text: string,
  keys: AuthorizeOptions['keys'],
  allowsLooseRules: boolean,
): ProvenToken {
  if (!looksLikeTenantToken(text))
    throw new ApiError('invalid_api_key', 'The provided API key is invalid.');
  const token = readTenantToken(text, allowsLooseRules);
  const parent = keys.byUid(token.apiKeyUid);
  if (parent === undefined || !valuesOf(parent).some((value) => token.isSignedBy(value))) {
    throw new ApiError(
      'invalid_api_key',
      'The tenant token is not valid: it must be signed with the value of the API key whose uid is its claim `apiKeyUid`.',
    );
  }
  return { token, parent };
}

function tokenAccess({ token, parent }: ProvenToken, action: Action, nowMs: number): Access {
  checkExpiry(token, nowMs);
  if (!TOKEN_ACTIONS.has(action)) {
    throw new ApiError(
      'invalid_api_key',
      `A tenant token is only valid for searches, not for the action \`${action}\`.`,
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
