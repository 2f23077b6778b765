/**
 * Tokens of an OpenID provider (docs/openid.md): JSON web tokens with an asymmetric signature, whose
 * roles grant actions. Verified tokens are cached until they expire or the keys are renewed.
 */
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { expandActions } from '../model/actions.ts';
import { matcherOf } from '../model/index-uid-pattern.ts';
import type { HeldKey } from './key-ring.ts';
import { claimAt, filterOf, type OpenidRole, roleOf } from './openid-roles.ts';
import type { KeySet, ProviderKeys } from './provider-keys.ts';
import { secretDigest } from './secret-digest.ts';

/** Tenant tokens have HS256, HS384 or HS512, so no token is of both kinds. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Others, such as logout tokens, have the same signature and another meaning. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'at+jwt', 'application/at+jwt'];
const CLOCK_SKEW_S = 60;
const TOKEN_LENGTH_MAX = 16_384;
const SUBJECT_LENGTH_MAX = 255;
const CACHED_TOKENS_MAX = 8192;
const MS_PER_SECOND = 1000;

interface OpenidTokensOptions {
  readonly issuer: string;
  readonly audience: string;
  /** Name or path of the claim with the roles. */
  readonly rolesClaim: string;
  readonly roles: readonly OpenidRole[];
  readonly keys: Pick<ProviderKeys, 'current' | 'withKey'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The access of a token, in the form of an API key. */
interface Verified {
  readonly held: HeldKey;
  readonly keys: KeySet;
}

const refuse = (reason: string): never => {
  throw new ApiError('invalid_api_key', `The OpenID token is not valid: ${reason}.`);
};

export class OpenidTokens {
  readonly #options: OpenidTokensOptions;
  readonly #verified = new LRUCache<string, Verified>({ max: CACHED_TOKENS_MAX });

  constructor(options: OpenidTokensOptions) {
    this.#options = options;
  }

  /** True if the text has the form of a token with an asymmetric signature. Trusts nothing. */
  isToken(text: string): boolean {
    const { alg } = headOf(text);
    return typeof alg === 'string' && ALGORITHMS.includes(alg);
  }

  /** The access of a token that was verified with the current keys, or null. */
  known(text: string): HeldKey | null {
    const found = this.#verified.get(secretDigest(text));
    return found !== undefined && found.keys === this.#options.keys.current() ? found.held : null;
  }

  /** @throws ApiError `invalid_api_key`, `identity_provider_unavailable` */
  async verify(text: string): Promise<HeldKey> {
    if (text.length > TOKEN_LENGTH_MAX) refuse(`it has more than ${TOKEN_LENGTH_MAX} characters`);
    const { kid, typ } = headOf(text);
    if (typeof kid !== 'string') return refuse('its head has no `kid`');
    if (!TYPES.includes(typ)) refuse('its `typ` must be `JWT` or `at+jwt`');
    const keys = await this.#options.keys.withKey(kid);
    const held = this.#accessOf(await this.#claimsOf(text, keys));
    this.#verified.set(secretDigest(text), { held, keys });
    return held;
  }

  async #claimsOf(text: string, { find }: KeySet): Promise<JWTPayload> {
    const { issuer, audience, now } = this.#options;
    const { jwtVerify, errors } = await import('jose');
    try {
      const { payload } = await jwtVerify(text, find, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_SKEW_S,
        currentDate: new Date(now()),
        requiredClaims: ['sub', 'exp'],
      });
      return payload;
    } catch (error) {
      // Messages of the library name claims, never values.
      return refuse(
        error instanceof errors.JOSEError ? error.message : 'its key or signature is unusable',
      );
    }
  }

  #accessOf(claims: JWTPayload): HeldKey {
    const { roles, rolesClaim } = this.#options;
    const { sub = '', exp = 0 } = claims;
    if (sub === '' || sub.length > SUBJECT_LENGTH_MAX)
      refuse(`its claim \`sub\` must have 1 to ${SUBJECT_LENGTH_MAX} characters`);
    const role =
      roleOf(roles, claimAt(claims, rolesClaim)) ??
      refuse(`its claim \`${rolesClaim}\` has no role of \`--oidc-roles-file\``);
    const { name, actions, indexes, requestsPerSecond } = role;
    const isRestricted = !indexes.includes('*');
    const expiresAtMs = (exp + CLOCK_SKEW_S) * MS_PER_SECOND;
    const expiresAt = new Date(Math.min(exp * MS_PER_SECOND, Date.UTC(9999))).toISOString();
    return {
      record: {
        uid: `oidc:${sub}`,
        name,
        description: null,
        actions,
        indexes,
        expiresAt,
        ...(requestsPerSecond !== undefined && { requestsPerSecond }),
        createdAt: '',
        updatedAt: '',
      },
      value: '',
      formerValue: null,
      actions: expandActions(actions, isRestricted),
      reaches: matcherOf(indexes),
      isRestricted,
      expiresAtMs,
      searchFilter: filterFor(role, claims),
    };
  }
}

function filterFor(role: OpenidRole, claims: JWTPayload): unknown {
  try {
    return filterOf(role, claims);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Empty if the text is not a token. */
function headOf(text: string): Readonly<Record<string, unknown>> {
  const end = text.indexOf('.');
  if (end < 0) return {};
  const head = parseJson(Buffer.from(text.slice(0, end), 'base64url'));
  return isObject(head) ? head : {};
}
