/**
 * The public keys of an OpenID provider, found by discovery:
 * - One fetch at a time, at most one every 30 seconds, whatever it returned.
 * - Keys are renewed in the background after 10 minutes, and once when a token names an unknown key.
 * - While the provider does not answer, the last keys stay valid for an hour.
 */
import type { createLocalJWKSet, JSONWebKeySet } from 'jose';
import { ApiError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';

const RENEWAL_MS = 600_000;
const VALIDITY_MS = 3_600_000;
const COOLDOWN_MS = 30_000;
const TIMEOUT_MS = 5000;
const ANSWER_BYTES_MAX = 262_144;
const KEYS_MAX = 100;
const OK = 200;

export interface KeySet {
  readonly ids: ReadonlySet<string>;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly fetchedAtMs: number;
}

interface ProviderKeysOptions {
  readonly issuer: string;
  readonly send: SendRequest;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly onFailure: (error: unknown) => void;
}

export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  #newest: KeySet | null = null;
  #pending: Promise<void> | null = null;
  #attemptAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
  }

  /** The keys of the last hour, or null. Begins a renewal when it is due. */
  current(): KeySet | null {
    const ageMs = this.#options.monotonic() - (this.#newest?.fetchedAtMs ?? 0);
    if (this.#newest === null || ageMs >= RENEWAL_MS) void this.#renew();
    return ageMs < VALIDITY_MS ? this.#newest : null;
  }

  /** @throws ApiError `invalid_api_key`, `identity_provider_unavailable` */
  async withKey(id: string): Promise<KeySet> {
    const known = this.current();
    if (known?.ids.has(id)) return known;
    await this.#renew();
    const keys = this.current();
    if (keys === null)
      throw new ApiError(
        'identity_provider_unavailable',
        'The keys of the OpenID provider are not available. Please retry later.',
        { retryAfterMs: Math.max(1000, this.#cooldownMs()) },
      );
    if (keys.ids.has(id)) return keys;
    throw new ApiError(
      'invalid_api_key',
      'The OpenID token is not valid: the provider has no key with its `kid`.',
    );
  }

  #cooldownMs(): number {
    return this.#attemptAtMs + COOLDOWN_MS - this.#options.monotonic();
  }

  /** Resolves when the running fetch has ended, without one during the cooldown. Never rejects. */
  async #renew(): Promise<void> {
    if (this.#pending === null) {
      if (this.#cooldownMs() > 0) return;
      this.#attemptAtMs = this.#options.monotonic();
      this.#pending = this.#fetch().finally(() => {
        this.#pending = null;
      });
    }
    await this.#pending;
  }

  async #fetch(): Promise<void> {
    const { issuer, monotonic, onFailure } = this.#options;
    try {
      const [{ createLocalJWKSet }, keys] = await Promise.all([
        import('jose'),
        this.#getJson(await this.#keysUrl(issuer)),
      ]);
      const list = keys['keys'];
      if (!Array.isArray(list) || list.length > KEYS_MAX)
        throw new Error(`The OpenID provider has no list of up to ${KEYS_MAX} keys.`);
      const ids = list.map((key: unknown) => (isObject(key) ? key['kid'] : undefined));
      this.#newest = {
        ids: new Set(ids.filter((id) => typeof id === 'string')),
        find: createLocalJWKSet(keys as unknown as JSONWebKeySet),
        fetchedAtMs: monotonic(),
      };
    } catch (error) {
      onFailure(error);
    }
  }

  async #keysUrl(issuer: string): Promise<string> {
    const found = await this.#getJson(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    );
    const url = found['jwks_uri'];
    if (found['issuer'] !== issuer)
      throw new Error('The OpenID provider names another issuer than `--oidc-issuer`.');
    if (typeof url !== 'string' || (issuer.startsWith('https:') && !url.startsWith('https:')))
      throw new Error('The OpenID provider has no `jwks_uri` with HTTPS.');
    return url;
  }

  async #getJson(url: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await this.#options.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    const value = parseJson(body);
    if (status === OK && isObject(value)) return value;
    throw new Error(`The OpenID provider answers with status ${status}, or without JSON.`);
  }
}
