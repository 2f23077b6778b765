/** Tokens of an OpenID provider: what opens, every attack refused, and how often keys are fetched. */
import { createHmac, createPublicKey } from 'node:crypto';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Access } from '../../../src/auth/access.ts';
import { AuthRateLimiter } from '../../../src/auth/auth-rate-limiter.ts';
import { createAuthorize } from '../../../src/auth/authorize.ts';
import { KeyRates } from '../../../src/auth/key-rates.ts';
import { KeyRing } from '../../../src/auth/key-ring.ts';
import { readRoles } from '../../../src/auth/openid-roles.ts';
import { OpenidTokens } from '../../../src/auth/openid-tokens.ts';
import { ProviderKeys } from '../../../src/auth/provider-keys.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { SendRequest } from '../../../src/http-client/outgoing-http.ts';
import type { Action } from '../../../src/model/actions.ts';
import { NO_ALIASES } from '../../../src/model/alias.ts';
import { apiKey, signToken } from '../../support/api-keys.ts';

const ISSUER = 'https://login.example.com/realm/';
const MASTER_KEY = 'a master key of some length';
const NOW_S = 1_800_000_000;
const MINUTE_MS = 60_000;
const ROLES = readRoles([
  { role: 'admin', actions: ['*'], indexes: ['*'] },
  { role: 'editor', actions: ['documents.*', 'search'], indexes: ['films*'], requestsPerSecond: 2 },
  { role: 'customer', actions: ['search'], indexes: ['invoices'], filter: ['tenant = {tenant}'] },
]);

interface Pair {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function makePair(kid: string, alg: string): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

let first: Pair;
let second: Pair;
let foreign: Pair;
beforeAll(async () => {
  [first, second, foreign] = await Promise.all([
    makePair('first', 'RS256'),
    makePair('second', 'ES256'),
    makePair('first', 'RS256'),
  ]);
});

/** What the provider publishes, and whether it answers. */
let published: JWK[];
let answers: 'keys' | 'nothing' | 'otherIssuer' | 'plainUrl' | 'noList' | 'status';
let requests: string[];
let failures: unknown[];
let clockMs: number;
beforeEach(() => {
  published = [first.jwk];
  answers = 'keys';
  requests = [];
  failures = [];
  clockMs = 0;
});

const send: SendRequest = async ({ url }) => {
  requests.push(url);
  await Promise.resolve();
  if (answers === 'nothing') throw new Error('unreachable');
  const scheme = answers === 'plainUrl' ? 'http' : 'https';
  const issuer = answers === 'otherIssuer' ? 'https://evil.example.com' : ISSUER;
  const body = url.endsWith('/openid-configuration')
    ? { issuer, jwks_uri: `${scheme}://login.example.com/keys` }
    : { keys: answers === 'noList' ? 7 : published };
  const status = answers === 'status' ? 500 : 200;
  return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
};

function instance(wrongKeysMax = 0) {
  const keys = new KeyRing(MASTER_KEY);
  const key = apiKey({ indexes: ['invoices'] });
  keys.publish(key);
  const openid = new OpenidTokens({
    issuer: ISSUER,
    audience: 'gannet',
    rolesClaim: 'realm_access.roles',
    roles: ROLES,
    now: () => NOW_S * 1000 + clockMs,
    keys: new ProviderKeys({
      issuer: ISSUER,
      send,
      monotonic: () => clockMs,
      onFailure: (error) => failures.push(error),
    }),
  });
  const authorize = createAuthorize({
    masterKey: MASTER_KEY,
    formerMasterKey: null,
    keys,
    openid,
    now: () => NOW_S * 1000 + clockMs,
    guard: new AuthRateLimiter(wrongKeysMax, () => clockMs),
    rates: new KeyRates(() => clockMs),
    aliases: () => NO_ALIASES,
    allowLooseTenantRules: false,
  });
  const ask = (token: string, action: Action = 'search', indexUid: string | null = null) =>
    authorize({ header: `Bearer ${token}`, address: () => '192.0.2.1' }, action, indexUid);
  return { ask, key: { uid: key.uid, value: keys.valueOf(key.uid) } };
}

const claims = (more: object = {}) => ({
  iss: ISSUER,
  aud: 'gannet',
  sub: 'user-17',
  exp: NOW_S + 600,
  iat: NOW_S,
  realm_access: { roles: ['offline_access', 'admin'] },
  ...more,
});

const sign = (more: object = {}, { privateKey, jwk }: Pair = first, head: object = {}) =>
  new SignJWT(claims(more))
    .setProtectedHeader({ alg: jwk.alg ?? '', kid: jwk.kid ?? '', ...head })
    .sign(privateKey, { crit: { 'urn:x': true } });

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The error of a refused token. */
async function refusal(given: Access | Promise<Access> | (() => unknown)): Promise<ApiError> {
  try {
    await (typeof given === 'function' ? given() : given);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('a token of the provider', () => {
  it('opens what its role grants, under the subject', async () => {
    const { ask } = instance();
    const access = await ask(await sign(), 'keys.get');
    expect(access).toMatchObject({ keyUid: 'oidc:user-17', isRestricted: false });
    expect(access.reaches('anything')).toBe(true);
    const editor = await sign({ realm_access: { roles: ['editor'] } });
    const limited = await ask(editor, 'documents.add', 'films2');
    expect(limited).toMatchObject({ isRestricted: true, taskIndexes: ['films*'] });
    expect(await refusal(() => ask(editor, 'documents.add', 'books'))).toMatchObject({
      code: 'invalid_api_key',
    });
    expect(await refusal(() => ask(editor, 'keys.get'))).toMatchObject({
      message: 'The OpenID token does not have the action `keys.get`.',
    });
  });

  it('is authorized at once when it is known, until it expires', async () => {
    const { ask } = instance();
    const token = await sign();
    expect(ask(token)).toBeInstanceOf(Promise);
    await ask(token);
    expect(ask(token)).not.toBeInstanceOf(Promise);
    clockMs = 11 * MINUTE_MS;
    expect(await refusal(() => ask(token))).toMatchObject({ code: 'invalid_api_key' });
  });

  it('gets the first role of the file', async () => {
    const { ask } = instance();
    const token = await sign({ tenant: '7', realm_access: { roles: ['customer', 'editor'] } });
    expect((await ask(token)).reaches('films')).toBe(true);
    expect((await ask(token)).reaches('invoices')).toBe(false);
  });

  it('fills the filter with claims as quoted values', async () => {
    const { ask } = instance();
    const roles = ['customer'];
    const filterOf = async (tenant: unknown) =>
      (await ask(await sign({ tenant, realm_access: { roles } }))).searchFilter('invoices');
    expect(await filterOf('7" OR tenant EXISTS OR tenant = "')).toEqual([
      String.raw`tenant = "7\" OR tenant EXISTS OR tenant = \""`,
    ]);
    expect(await filterOf(7)).toEqual(['tenant = "7"']);
    expect(await refusal(() => filterOf(undefined))).toMatchObject({
      message: expect.stringContaining('`tenant`'),
    });
    expect(await refusal(() => filterOf({ a: 1 }))).toMatchObject({ code: 'invalid_api_key' });
  });

  it('has the rate limit of its role, by subject', async () => {
    const { ask } = instance();
    const token = await sign({ realm_access: { roles: 'editor other' } });
    await ask(token);
    await ask(token);
    expect(await refusal(() => ask(token))).toMatchObject({ code: 'too_many_requests' });
    await ask(await sign({ sub: 'user-18', realm_access: { roles: 'editor' } }));
  });

  it('may be off by 60 seconds', async () => {
    const { ask } = instance();
    await ask(await sign({ exp: NOW_S - 59, nbf: NOW_S + 59 }));
  });
});

const ATTACKS: [string, () => Promise<string> | string][] = [
  ['another issuer', () => sign({ iss: 'https://evil.example.com' })],
  ['an issuer without the final slash', () => sign({ iss: ISSUER.slice(0, -1) })],
  ['another audience', () => sign({ aud: ['other', 'gannets'] })],
  ['no audience', () => sign({ aud: undefined })],
  ['an end in the past', () => sign({ exp: NOW_S - 61 })],
  ['no end', () => sign({ exp: undefined })],
  ['a beginning in the future', () => sign({ nbf: NOW_S + 61 })],
  ['no subject', () => sign({ sub: undefined })],
  ['a long subject', () => sign({ sub: 'x'.repeat(256) })],
  ['no role', () => sign({ realm_access: { roles: ['unknown'] } })],
  ['roles of another type', () => sign({ realm_access: 'admin' })],
  ['no kid', () => sign({}, first, { kid: undefined })],
  ['an unknown kid', () => sign({}, first, { kid: 'unknown' })],
  ['the kid of another key', () => sign({}, second, { kid: 'first' })],
  ['a key of another provider', () => sign({}, foreign)],
  ['the type of a logout token', () => sign({}, first, { typ: 'logout+jwt' })],
  ['a critical extension', () => sign({}, first, { crit: ['urn:x'], 'urn:x': 1 })],
  ['16,385 characters', () => sign({ filler: 'x'.repeat(16_385) })],
  ['no signature', () => `${encode({ alg: 'none', kid: 'first' })}.${encode(claims())}.`],
  ['its signature removed', async () => (await sign()).replace(/[^.]+$/, '')],
  ['changed claims', async () => (await sign()).replace(/\.[^.]+\./, `.${encode(claims())}x.`)],
  ['only a head', () => `${encode({ alg: 'RS256', kid: 'first' })}.`],
  [
    'its own key in the head',
    () => sign({}, foreign, { jwk: foreign.jwk, jku: 'https://evil.example.com/keys' }),
  ],
  [
    'HS256 with the public key as the secret',
    async () => {
      const spki = createPublicKey({ key: first.jwk as never, format: 'jwk' });
      const secret = spki.export({ type: 'spki', format: 'pem' });
      const signed = `${encode({ alg: 'HS256', kid: 'first', typ: 'JWT' })}.${encode(claims())}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    },
  ],
];

describe('a token is refused, without itself in the message,', () => {
  it.each(ATTACKS)('with %s', async (_, make) => {
    const { ask } = instance();
    const token = await make();
    const error = await refusal(() => ask(token));
    expect(error).toMatchObject({ code: 'invalid_api_key', status: 403 });
    expect(error.message).not.toContain(token.slice(-40) || 'none');
    for (const secret of ['user-17', 'evil.example.com', 'x'.repeat(100)])
      expect(error.message).not.toContain(secret);
  });

  it('and counts as an invalid key of its address', async () => {
    const { ask } = instance(2);
    const token = await sign({ aud: 'other' });
    expect(await refusal(() => ask(token))).toMatchObject({ status: 403 });
    expect(await refusal(() => ask(token))).toMatchObject({ status: 403 });
    expect(await refusal(() => ask(token))).toMatchObject({ status: 429 });
    expect((await ask(await sign())).keyUid).toBe('oidc:user-17');
  });
});

describe('tenant tokens', () => {
  it('stay tenant tokens, whatever they claim', async () => {
    const { ask, key } = instance();
    const tenant = { apiKeyUid: key.uid, searchRules: ['invoices'] };
    const both = signToken({ ...claims(), aud: undefined, ...tenant }, key.value);
    const access = ask(both);
    expect(access).toMatchObject({ keyUid: key.uid, taskIndexes: [] });
    expect(requests).toEqual([]);
    const rules = await ask(await sign({ ...tenant }), 'keys.get');
    expect(rules.keyUid).toBe('oidc:user-17');
  });

  it('with an asymmetric algorithm and the value of a key are refused', async () => {
    const { ask, key } = instance();
    const forged = signToken({ apiKeyUid: key.uid, searchRules: ['*'] }, key.value, 'RS256');
    expect(await refusal(() => ask(forged))).toMatchObject({ code: 'invalid_api_key' });
    const pem = await exportSPKI((await generateKeyPair('RS256')).publicKey);
    expect(await refusal(() => ask(signToken(claims(), pem)))).toMatchObject({
      message: expect.stringContaining('`apiKeyUid`'),
    });
  });
});

const FETCH = 2;

describe('the keys of the provider', () => {
  it('are fetched once for many tokens at the same time', async () => {
    const { ask } = instance();
    const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => sign({ sub })));
    await Promise.all(tokens.map((token) => ask(token)));
    expect(requests).toEqual([
      'https://login.example.com/realm/.well-known/openid-configuration',
      'https://login.example.com/keys',
    ]);
  });

  it('are fetched again for an unknown key, at most every 30 seconds', async () => {
    const { ask } = instance();
    await ask(await sign());
    published = [first.jwk, second.jwk];
    const rotated = await sign({}, second);
    expect(await refusal(() => ask(rotated))).toMatchObject({
      message: expect.stringContaining('`kid`'),
    });
    expect(requests).toHaveLength(FETCH);
    clockMs = 30_000;
    expect((await ask(rotated)).keyUid).toBe('oidc:user-17');
    expect(requests).toHaveLength(2 * FETCH);
    for (const kid of ['x', 'y', 'z'])
      await refusal(async () => ask(await sign({}, first, { kid })));
    expect(requests).toHaveLength(2 * FETCH);
  });

  it('are renewed in the background, after which tokens of removed keys end', async () => {
    const { ask } = instance();
    const token = await sign({ exp: NOW_S + 7200 });
    await ask(token);
    published = [second.jwk];
    clockMs = 10 * MINUTE_MS;
    expect(ask(token)).not.toBeInstanceOf(Promise);
    await expect.poll(() => requests.length).toBe(2 * FETCH);
    await expect
      .poll(async () => (await refusal(() => ask(token)).catch(() => null))?.code)
      .toBe('invalid_api_key');
  });

  it('stay valid for an hour while the provider does not answer', async () => {
    const { ask } = instance();
    const token = await sign({ exp: NOW_S + 7200 });
    await ask(token);
    answers = 'nothing';
    clockMs = 59 * MINUTE_MS;
    expect((await ask(token)).keyUid).toBe('oidc:user-17');
    expect((await ask(await sign({ exp: NOW_S + 7200, sub: 'x' }))).keyUid).toBe('oidc:x');
    clockMs = 61 * MINUTE_MS;
    expect(await refusal(() => ask(token))).toMatchObject({
      code: 'identity_provider_unavailable',
      status: 503,
      retryAfterMs: 30_000,
    });
    answers = 'keys';
    expect((await refusal(() => ask(token))).code).toBe('identity_provider_unavailable');
    clockMs += 30_000;
    expect((await ask(token)).keyUid).toBe('oidc:user-17');
  });

  it.each(['nothing', 'otherIssuer', 'plainUrl', 'noList', 'status'] as const)(
    'are not taken from an answer with %s, which is reported',
    async (answer) => {
      answers = answer;
      const { ask } = instance();
      const token = await sign();
      expect((await refusal(() => ask(token))).code).toBe('identity_provider_unavailable');
      expect(failures).toHaveLength(1);
      expect(String(failures[0])).not.toContain(token);
    },
  );

  it('are never symmetric, nor more than 100', async () => {
    published = [{ kty: 'oct', kid: 'first', k: encode('secret') }];
    const token = await sign();
    expect((await refusal(() => instance().ask(token))).code).toBe('invalid_api_key');
    published = Array.from({ length: 101 }, () => first.jwk);
    expect((await refusal(() => instance().ask(token))).code).toBe('identity_provider_unavailable');
  });
});
