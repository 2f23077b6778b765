/**
 * Rights: every route with every action of API keys and every kind of index pattern, and thousands
 * of forged, expired and malformed tokens, all refused.
 */

import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/api/contract/route.ts';
import { routes } from '../../src/api/routes/index.ts';
import type { Access } from '../../src/auth/access.ts';
import { AuthRateLimiter } from '../../src/auth/auth-rate-limiter.ts';
import { KeyRates } from '../../src/auth/key-rates.ts';
import { KeyRing } from '../../src/auth/key-ring.ts';
import { ApiError } from '../../src/core/errors.ts';
import { type Action, KEY_ACTIONS } from '../../src/model/actions.ts';
import { NO_ALIASES } from '../../src/model/alias.ts';
import type { ApiKey } from '../../src/model/api-key.ts';
import { apiKey, authorizeAtOnce, signToken } from '../support/api-keys.ts';
import { amount } from '../support/run-length.ts';

const MASTER_KEY = 'a master key of some length';
const NOW_MS = Date.parse('2026-06-01T00:00:00Z');

function instance(...keys: readonly ApiKey[]) {
  const ring = new KeyRing(MASTER_KEY);
  for (const key of keys) ring.publish(key);
  const authorize = authorizeAtOnce({
    masterKey: MASTER_KEY,
    formerMasterKey: null,
    keys: ring,
    now: () => NOW_MS,
    guard: new AuthRateLimiter(0, () => 0),
    rates: new KeyRates(() => 0),
    aliases: () => NO_ALIASES,
    allowLooseTenantRules: false,
  });
  const ask = (token: string, action: Action, indexUid: string | null): Access | string => {
    try {
      const header = `Bearer ${token}`;
      return authorize({ header, address: () => '192.0.2.1' }, action, indexUid);
    } catch (error) {
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  };
  return { ring, ask, keyOf: (uid: string) => ring.valueOf(uid) };
}

/** Second copy of the table of api.md 2.5: the routes that each action allows. */
const READS = [
  ...['search', 'documents.get', 'indexes.get', 'tasks.get', 'settings.get', 'stats.get'],
  ...['metrics.get', 'version', 'experimental.get', 'export', 'network.get', 'webhooks.get'],
  ...['chats.get', 'chatsSettings.get', 'fields.post', 'dynamicSearchRules.get'],
  'telemetry.get',
];
const GLOBAL = [
  ...['tasks.compact', 'metrics.get', 'dumps.create', 'snapshots.create', 'version', 'keys.get'],
  ...['backups.get', 'audit.get'],
  ...['keys.create', 'keys.update', 'keys.delete', 'experimental.get', 'experimental.update'],
  ...['export', 'network.get', 'network.update', 'webhooks.get', 'webhooks.create'],
  ...['webhooks.update', 'webhooks.delete', 'telemetry.get'],
  ...['chats.get', 'chats.delete', 'chatsSettings.get', 'chatsSettings.update'],
  ...['dynamicSearchRules.get', 'dynamicSearchRules.create'],
  ...['dynamicSearchRules.update', 'dynamicSearchRules.delete'],
];
const opens = (name: string, action: string, isRestricted: boolean): boolean => {
  if (isRestricted && GLOBAL.includes(action)) return false;
  if (name === '*') return true;
  if (name === '*.get') return READS.includes(action);
  if (name === action) return true;
  const isMember = name.endsWith('.*') && action.startsWith(name.slice(0, -1));
  return isMember && action !== 'documents.edit';
};

const PATTERNS: readonly (readonly [
  patterns: readonly string[],
  reaches: (uid: string) => boolean,
])[] = [
  [['*'], () => true],
  [['films'], (uid) => uid === 'films'],
  [['film*'], (uid) => uid.startsWith('film')],
  [['books', 'films_*'], (uid) => uid === 'books' || uid.startsWith('films_')],
  [[], () => false],
];
const UIDS = ['films', 'films_en', 'books', 'Films'];

const guarded = routes.filter(
  (route): route is Route & { action: Action } => route.action !== null,
);
const hasIndex = ({ path }: Route): boolean => path.includes(':indexUid');

describe('the rights matrix', () => {
  it.each(PATTERNS)('of keys for %j matches the table', (patterns, reaches) => {
    const keys = KEY_ACTIONS.map((name) => apiKey({ actions: [name], indexes: [...patterns] }));
    const { ask, keyOf } = instance(...keys);
    const isRestricted = !patterns.includes('*');
    const faults: string[] = [];
    let looks = 0;
    for (const [i, name] of KEY_ACTIONS.entries()) {
      const key = keyOf(keys[i]?.uid ?? '');
      for (const route of guarded) {
        for (const uid of hasIndex(route) ? UIDS : [null]) {
          const isOpen =
            patterns.length > 0 &&
            opens(name, route.action, isRestricted) &&
            (uid === null || reaches(uid));
          const given = ask(key, route.action, uid);
          const reachesMore =
            typeof given === 'object' &&
            UIDS.some((other) => given.reaches(other) !== reaches(other));
          if ((typeof given === 'object') !== isOpen || reachesMore)
            faults.push(`${name} for ${patterns} at ${route.id} of ${uid}`);
          looks++;
        }
      }
    }
    expect(faults).toEqual([]);
    expect(looks).toBeGreaterThan(10_000);
  });

  it('leaves only routes without data public', () => {
    const open = routes.filter(({ action }) => action === null).map(({ path }) => path);
    expect(open.sort()).toEqual([
      '/',
      '/docs',
      '/docs/:page',
      '/docs/search',
      '/health',
      '/livez',
      '/openapi.json',
      '/readyz',
      '/search-page/:file',
    ]);
  });
});

const SEARCHER = apiKey({ actions: ['search'] });
const EXPIRED = apiKey({ actions: ['search'], expiresAt: '2026-01-01T00:00:00Z' });
const WRITER = apiKey({ actions: ['documents.*'] });

describe('forged, expired and malformed tokens', () => {
  const { ask, keyOf } = instance(SEARCHER, EXPIRED, WRITER);
  const value = keyOf(SEARCHER.uid);
  const claims = { apiKeyUid: SEARCHER.uid, searchRules: ['*'] };
  const good = signToken(claims, value);
  const encode = (part: unknown) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  const signed = (head: unknown, body: unknown, key = value, hash = 'sha256') => {
    const text = `${encode(head)}.${encode(body)}`;
    return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
  };
  const head = { alg: 'HS256', typ: 'JWT' };

  function* tokens(): Generator<string> {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rs = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
    yield `${rs}.${sign('sha256', Buffer.from(rs), privateKey).toString('base64url')}`;
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const alg of [
      'HS256',
      'RS256',
      'none',
      'None',
      'NONE',
      'hs256',
      '',
      null,
      'HS1',
      ['HS256'],
    ])
      for (const key of ['', pem, MASTER_KEY, SEARCHER.uid, keyOf(WRITER.uid), keyOf(EXPIRED.uid)])
        yield signed({ alg, typ: 'JWT' }, claims, key);
    yield `${encode({ alg: 'none' })}.${encode(claims)}.`;
    yield `${encode({ alg: 'none' })}.${encode(claims)}.x`;
    for (const kid of ['../../dev/null', "' OR 1=1", '/etc/passwd', SEARCHER.uid])
      yield signed({ ...head, kid, jku: 'https://evil.example/keys' }, claims, '');
    for (const exp of [0, 1, -1, NOW_MS / 1000 - 1, 1.5, '9999999999', true, {}, [], 1e300])
      yield signed(head, { ...claims, exp });
    for (const apiKeyUid of [
      null,
      1,
      '',
      'x',
      randomUUID(),
      {},
      [SEARCHER.uid],
      EXPIRED.uid,
      WRITER.uid,
    ])
      yield signed(head, { ...claims, apiKeyUid });
    for (const apiKeyUid of [EXPIRED.uid, WRITER.uid])
      yield signed(head, { ...claims, apiKeyUid }, keyOf(apiKeyUid));
    for (const searchRules of [
      null,
      undefined,
      1,
      'films',
      true,
      [1],
      [null],
      [''],
      ['a b'],
      ['*a'],
      { films: 1 },
      { films: [] },
      { films: 'x' },
    ])
      yield signed(head, { apiKeyUid: SEARCHER.uid, searchRules });
    for (const body of ['', '{', 'null', '[]', '1', '"x"', '{}', '\u0000'])
      yield signed(head, body);
    for (const text of [
      '',
      '.',
      '..',
      '...',
      'a.b',
      'a.b.c.d',
      good.slice(1),
      `${good}.x`,
      ` ${good}`,
      `${good} `,
      good.replace('.', '..'),
    ])
      yield text;
    for (let i = 0; i < good.length; i++) yield flipped(good, i);
    for (let i = 0; i < good.length; i++) yield good.slice(0, i);
    for (let i = 0; i < 5000; i++) yield random(i);
  }

  /** Replaces one character; the last one of a base64 text may be unused, so its used bits change. */
  function flipped(text: string, at: number): string {
    const other = text[at] === 'A' ? 'z' : 'A';
    return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
  }

  /** Parts of valid and invalid tokens, combined by the digits of a number. */
  function random(seed: number): string {
    const [h = '', b = '', s = ''] = good.split('.');
    const others = [h, b, s, '', 'e30', encode(head), encode({ ...claims, n: seed }), encode(seed)];
    const pick = (n: number) => others[n % others.length] ?? '';
    const parts = [pick(seed), pick(seed >> 3), pick((seed >> 6) + (seed >> 9))];
    return parts.join('.') === good ? `${good}x` : parts.join('.');
  }

  it('are never accepted, and the valid one is', () => {
    expect(ask(good, 'search', 'films')).toMatchObject({ keyUid: SEARCHER.uid });
    const taken: string[] = [];
    let looks = 0;
    for (const token of tokens()) {
      if (token === good) continue;
      if (ask(token, 'search', 'films') !== 'invalid_api_key') taken.push(token);
      looks++;
    }
    expect(taken).toEqual([]);
    expect(looks).toBeGreaterThan(5000);
  });

  it('that are signed with random claims open exactly what their rules name, if anything', () => {
    const uid = fc.constant<unknown>(SEARCHER.uid);
    const random = fc.record({
      apiKeyUid: fc.oneof({ weight: 5, arbitrary: uid }, fc.jsonValue()),
      searchRules: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.constantFrom('films', 'fil*', '*', 'books', 'books*')),
        fc.dictionary(
          fc.constantFrom('films', 'fil*', '*', 'books'),
          fc.constantFrom(null, {}, { filter: 'a = 1' }),
        ),
      ),
      exp: fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(undefined) }, fc.jsonValue()),
    });
    fc.assert(
      fc.property(random, (given) => {
        if (typeof ask(signToken(given, value), 'search', 'films') === 'string') return;
        const { searchRules, apiKeyUid } = given;
        const names = Array.isArray(searchRules) ? searchRules : Object.keys(searchRules as object);
        expect(apiKeyUid).toBe(SEARCHER.uid);
        expect(names.some((name) => ['films', 'fil*', '*'].includes(String(name)))).toBe(true);
      }),
      { numRuns: amount(300, 4000) },
    );
  });

  it('allow only searches even when they are valid', () => {
    for (const { action } of guarded) {
      const given = ask(good, action, null);
      expect([action, typeof given === 'object']).toEqual([action, action === 'search']);
    }
  });
});
