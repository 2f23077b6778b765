/**
 * Who may do what: bearer extraction, the master key, API keys, tenant tokens (api.md 2). Every action
 * and route, and forged tokens: test/property/rights.test.ts.
 */

import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthRateLimiter } from '../../../src/auth/auth-rate-limiter.ts';
import { type AuthorizeOptions, bearerToken } from '../../../src/auth/authorize.ts';
import { KeyRates } from '../../../src/auth/key-rates.ts';
import { KeyRing } from '../../../src/auth/key-ring.ts';
import type { Action } from '../../../src/model/actions.ts';
import { NO_ALIASES } from '../../../src/model/alias.ts';
import { apiKey, authorizeAtOnce, signToken } from '../../support/api-keys.ts';

const MASTER_KEY = 'clé maîtresse, with spaces';
const NOW_S = 1_800_000_000;
const NOW = new Date(NOW_S * 1000);

const refused = (code: string) => expect.objectContaining({ code });

describe('bearerToken', () => {
  it('is everything after the first space', () => {
    expect(bearerToken('Bearer a b  c')).toBe('a b  c');
    expect(bearerToken('')).toBeNull();
  });

  it.each([
    ['Basic x', 'missing_authorization_header'],
    ['bearer x', 'missing_authorization_header'],
    ['BearerX', 'missing_authorization_header'],
    [' Bearer x', 'missing_authorization_header'],
    ['Bearer', 'invalid_api_key'],
    ['Bearer ', 'invalid_api_key'],
  ])('refuses %j with %s', (header, code) => {
    expect(() => bearerToken(header)).toThrow(refused(code));
  });
});

let clockMs = 0;
const WRONG_KEYS_MAX = 3;
/** 0 = no guard. */
let wrongKeysMax = 0;

/** Authorization of requests that show nothing of themselves but this header, and an address. */
function authorizeBy(
  options: Pick<AuthorizeOptions, 'masterKey' | 'keys'> & Partial<AuthorizeOptions>,
) {
  const authorize = authorizeAtOnce({
    formerMasterKey: null,
    now: () => NOW.getTime(),
    guard: new AuthRateLimiter(wrongKeysMax, () => clockMs),
    rates: new KeyRates(() => clockMs),
    aliases: () => NO_ALIASES,
    allowLooseTenantRules: false,
    ...options,
  });
  return (header: string, action: Action, indexUid: string | null, address = '192.0.2.1') =>
    authorize({ header, address: () => address }, action, indexUid);
}

const open = (masterKey: string | null) => authorizeBy({ masterKey, keys: new KeyRing(masterKey) });

/** Authorization with these keys, and what their values are. */
function withKeys(...keys: Parameters<typeof apiKey>[0][]) {
  const ring = new KeyRing(MASTER_KEY);
  const records = keys.map(apiKey);
  for (const record of records) ring.publish(record);
  const authorize = authorizeBy({ masterKey: MASTER_KEY, keys: ring });
  return {
    ring,
    uids: records.map(({ uid }) => uid),
    values: records.map(({ uid }) => ring.valueOf(uid)),
    access: (token: string, action: Action = 'search', indexUid: string | null = null) =>
      authorize(`Bearer ${token}`, action, indexUid),
    from: (address: string, token: string) => authorize(`Bearer ${token}`, 'search', null, address),
  };
}

describe('the master key', () => {
  it('alone passes everything when there are no keys', () => {
    const authorize = open(MASTER_KEY);
    expect(authorize(`Bearer ${MASTER_KEY}`, 'keys.create', null).isRestricted).toBe(false);
    expect(() => authorize('', 'search', null)).toThrow(refused('missing_authorization_header'));
    for (const key of ['x', `${MASTER_KEY} `, MASTER_KEY.slice(1), MASTER_KEY.toUpperCase()]) {
      expect(() => authorize(`Bearer ${key}`, 'search', null)).toThrow(refused('invalid_api_key'));
    }
  });

  it('when absent opens everything to well-formed headers, except keys', () => {
    const authorize = open(null);
    for (const header of ['', 'Bearer anything']) {
      expect(authorize(header, 'documents.add', 'films').reaches('films')).toBe(true);
      expect(() => authorize(header, 'keys.get', null)).toThrow(refused('missing_master_key'));
    }
    expect(() => authorize('Basic x', 'search', null)).toThrow(
      refused('missing_authorization_header'),
    );
    expect(() => authorize('Bearer', 'keys.get', null)).toThrow(refused('invalid_api_key'));
  });

  it('never shows a key in a message', () => {
    expect(() => open(MASTER_KEY)('Bearer wrong-secret', 'search', null)).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/wrong-secret|clé/) }),
    );
  });
});

describe('API keys', () => {
  it('have the HMAC-SHA256 of their uid under the master key as value', () => {
    const { values, uids, ring } = withKeys({});
    const [uid = ''] = uids;
    expect(values[0]).toBe(createHmac('sha256', MASTER_KEY).update(uid).digest('hex'));
    expect(values[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(ring.byUidOrValue(uid.toUpperCase())?.record.uid).toBe(uid);
    expect(ring.byUidOrValue(values[0] ?? '')?.record.uid).toBe(uid);
    expect(ring.byUidOrValue('unknown')).toBeUndefined();
    expect(new KeyRing('another master key').valueOf(uid)).not.toBe(values[0]);
  });

  it('reach the indexes they name, exactly or by a prefix', () => {
    const { access, values } = withKeys({ indexes: ['films', 'books_*'], actions: ['*'] });
    const [value = ''] = values;
    for (const uid of ['films', 'books_', 'books_fr'])
      expect(access(value, 'search', uid).reaches(uid)).toBe(true);
    for (const uid of ['film', 'films2', 'books', 'Films']) {
      expect(() => access(value, 'search', uid)).toThrow(refused('invalid_api_key'));
    }
    const lists = access(value, 'tasks.get');
    expect(lists.isRestricted).toBe(true);
    expect(lists.taskIndexes).toEqual(['films', 'books_*']);
    expect(lists.holds('indexes.create')).toBe(true);
  });

  it('open nothing from their expiry on', () => {
    const at = (seconds: number) => new Date((NOW_S + seconds) * 1000).toISOString();
    const { access, values } = withKeys(
      { expiresAt: at(1) },
      { expiresAt: at(0) },
      { expiresAt: at(-1) },
    );
    expect(access(values[0] ?? '').reaches('films')).toBe(true);
    for (const value of values.slice(1)) expect(() => access(value)).toThrow(/expired at/);
  });

  it('open nothing once they are removed, or not named again by an indexer that came back', () => {
    const { access, values, uids, ring } = withKeys({}, {});
    ring.remove(uids[0] ?? '');
    expect(() => access(values[0] ?? '')).toThrow(refused('invalid_api_key'));
    ring.beginReplay();
    expect(access(values[1] ?? '').reaches('films')).toBe(true);
    ring.endReplay();
    expect(() => access(values[1] ?? '')).toThrow(refused('invalid_api_key'));
  });

  it('are listed newest first', () => {
    const dates = [
      '2026-01-01T00:00:00.000001Z',
      '2026-01-01T00:00:00.000003Z',
      '2026-01-01T00:00:00.000002Z',
    ];
    const { ring } = withKeys(...dates.map((createdAt) => ({ createdAt })));
    expect(ring.list().map(({ record }) => record.createdAt.at(-2))).toEqual(['3', '2', '1']);
  });
});

describe('tenant tokens', () => {
  const keys = withKeys(
    { actions: ['search'] },
    { actions: ['search'], indexes: ['films'] },
    { actions: ['documents.get'] },
    { actions: ['search'], expiresAt: new Date((NOW_S - 1) * 1000).toISOString() },
  );
  const [uid = '', scopedUid = '', otherUid = '', expiredUid = ''] = keys.uids;
  const token = (claims: object, key = 0, alg = 'HS256') =>
    signToken(
      { apiKeyUid: keys.uids[key], searchRules: ['*'], ...claims },
      keys.values[key] ?? '',
      alg,
    );

  it.each(['HS256', 'HS384', 'HS512'])('signed with %s open searches, and nothing else', (alg) => {
    expect(keys.access(token({}, 0, alg), 'search', 'films').isRestricted).toBe(true);
    for (const action of ['documents.get', 'tasks.get', 'keys.get'] as const) {
      expect(() => keys.access(token({}, 0, alg), action)).toThrow(refused('invalid_api_key'));
    }
  });

  it('reach what both they and their key name', () => {
    const access = keys.access(token({ searchRules: ['films', 'books*'] }));
    expect(['films', 'books', 'books2', 'film'].map(access.reaches)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(() => keys.access(token({ searchRules: ['books*'] }), 'search', 'films')).toThrow(
      refused('invalid_api_key'),
    );
    expect(() => keys.access(token({}, 1), 'search', 'books')).toThrow(refused('invalid_api_key'));
    expect(keys.access(token({}, 1), 'search', 'films').reaches('films')).toBe(true);
    expect(keys.access(token({})).taskIndexes).toEqual([]);
    const all = withKeys({ actions: ['*'] });
    const ofAll = signToken({ apiKeyUid: all.uids[0], searchRules: ['*'] }, all.values[0] ?? '');
    const holds = (credential: string) =>
      (['search', 'documents.get'] as const).map(all.access(credential).holds);
    expect(holds(all.values[0] ?? '')).toEqual([true, true]);
    expect(holds(ofAll)).toEqual([true, false]);
  });

  it('bind searches by the rule that names the index closest, and by that alone', () => {
    const searchRules = {
      '*': { filter: 'a = 1' },
      'films*': { filter: ['b = 1', ['c = 1', 'c = 2']] },
      'films_fr*': null,
      films_de: {},
    };
    const { searchFilter } = keys.access(token({ searchRules }));
    expect(['books', 'films', 'films_en', 'films_fr', 'films_de'].map(searchFilter)).toEqual([
      'a = 1',
      ['b = 1', ['c = 1', 'c = 2']],
      ['b = 1', ['c = 1', 'c = 2']],
      null,
      null,
    ]);
  });

  it('expire after their second', () => {
    for (const exp of [NOW_S, NOW_S + 1, null])
      expect(keys.access(token({ exp })).reaches('films')).toBe(true);
    for (const exp of [NOW_S - 1, 0, -5])
      expect(() => keys.access(token({ exp }))).toThrow(/token expired/);
    for (const exp of [NOW_S + 0.5, '2090-01-01', true])
      expect(() => keys.access(token({ exp }))).toThrow(/`exp`/);
  });

  it('fail when they are meant for another service', () => {
    for (const aud of ['shop', ['shop'], null])
      expect(() => keys.access(token({ aud }))).toThrow(/`aud`/);
  });

  it('fail when their key is expired, unknown or may not search', () => {
    expect(() => keys.access(token({}, 3))).toThrow(/signed the tenant token expired/);
    expect(() => keys.access(token({}, 2))).toThrow(/does not have the action/);
    const unknown = '11111111-1111-4111-8111-111111111111';
    expect(() => keys.access(token({ apiKeyUid: unknown }))).toThrow(/must be signed/);
    expect(new Set([uid, scopedUid, otherUid, expiredUid]).size).toBe(4);
  });

  it.each([
    [{ searchRules: undefined }, /searchRules/],
    [{ searchRules: null }, /searchRules/],
    [{ searchRules: 'films' }, /searchRules/],
    [{ searchRules: [1] }, /searchRules/],
    [{ searchRules: ['bad uid'] }, /searchRules/],
    [{ searchRules: ['*films'] }, /searchRules/],
    [{ searchRules: { films: 'a = 1' } }, /searchRules/],
    [{ searchRules: { films: ['a = 1'] } }, /searchRules/],
    [{ searchRules: { films: { filters: 'a = 1' } } }, /unknown member "filters"/],
    [{ searchRules: { films: { filter: 'a = 1', Filter: 'b = 1' } } }, /unknown member "Filter"/],
    [{ searchRules: { films: { filter: null } } }, /is empty/],
    [{ searchRules: { films: { filter: ' ' } } }, /is empty/],
    [{ searchRules: { films: { filter: [] } } }, /is empty/],
    [{ searchRules: { films: { filter: ['a = 1', ''] } } }, /is empty/],
    [{ searchRules: { films: { filter: ['a = 1', []] } } }, /is empty/],
    [{ searchRules: { films: { filter: [['', 'a = 1']] } } }, /is empty/],
    [{ apiKeyUid: undefined }, /apiKeyUid/],
    [{ apiKeyUid: 'x' }, /apiKeyUid/],
    [{ apiKeyUid: 7 }, /apiKeyUid/],
  ])('fail with the claims %j', (claims, message) => {
    expect(() => keys.access(token(claims))).toThrow(message);
    expect(() => keys.access(token(claims))).toThrow(refused('invalid_api_key'));
  });
});

describe('wrong keys', () => {
  beforeEach(() => {
    wrongKeysMax = WRONG_KEYS_MAX;
  });
  afterEach(() => {
    wrongKeysMax = 0;
  });

  const tooMany = expect.objectContaining({ code: 'too_many_requests' });

  it('are limited for a minute, by address; right keys from there are always accepted', () => {
    const { from, values, uids } = withKeys({});
    const [value = ''] = values;
    for (let i = 0; i < WRONG_KEYS_MAX; i++)
      expect(() => from('192.0.2.1', `guess ${i}`)).toThrow(refused('invalid_api_key'));
    expect(() => from('192.0.2.1', 'guess')).toThrow(tooMany);
    expect(from('192.0.2.1', MASTER_KEY).keyUid).toBe(null);
    expect(from('192.0.2.1', value).keyUid).toBe(uids[0]);
    const token = signToken({ apiKeyUid: uids[0], searchRules: ['*'] }, value);
    expect(from('192.0.2.1', token).keyUid).toBe(uids[0]);
    expect(() => from('192.0.2.2', 'guess')).toThrow(refused('invalid_api_key'));
    clockMs += 60_000;
    expect(() => from('192.0.2.1', 'guess')).toThrow(refused('invalid_api_key'));
  });

  it('of forged tokens count, keys that may not do what is asked do not', () => {
    const { from, access, values, uids } = withKeys({}, { expiresAt: '2020-01-01T00:00:00Z' });
    for (let i = 0; i < 10; i++) {
      expect(() => access(values[0] ?? '', 'documents.add')).toThrow(refused('invalid_api_key'));
      expect(() => access(values[1] ?? '')).toThrow(refused('invalid_api_key'));
    }
    const forged = signToken({ apiKeyUid: uids[0], searchRules: ['*'] }, 'another value');
    for (let i = 0; i < WRONG_KEYS_MAX; i++)
      expect(() => from('192.0.2.1', forged)).toThrow(refused('invalid_api_key'));
    expect(() => from('192.0.2.1', forged)).toThrow(tooMany);
  });

  it('of one IPv6 network count together, mapped IPv4 addresses by themselves', () => {
    const { from } = withKeys({});
    for (let i = 0; i < WRONG_KEYS_MAX; i++) {
      expect(() => from(`2001:db8:0:1::${i}`, 'x')).toThrow(refused('invalid_api_key'));
      expect(() => from(`::ffff:192.0.2.${i}`, 'x')).toThrow(refused('invalid_api_key'));
    }
    expect(() => from('2001:db8:0:1:2:3:4:5', 'x')).toThrow(tooMany);
    expect(() => from('::ffff:192.0.2.1', 'x')).toThrow(refused('invalid_api_key'));
    expect(() => from('2001:db8:0:2::', 'x')).toThrow(refused('invalid_api_key'));
  });

  it('of many addresses take no more memory than of some thousands', () => {
    const guard = new AuthRateLimiter(1, () => 0);
    for (let i = 0; i < 20_000; i++) guard.note(`10.0.${i >> 8}.${i & 255}`);
    expect(guard.limitedMs('10.0.0.0')).toBe(0);
    expect(guard.limitedMs(`10.0.${19_999 >> 8}.${19_999 & 255}`)).toBe(60_000);
  });
});

describe('a former master key', () => {
  it('is valid together with the new one, and so are its keys and tokens', () => {
    const keys = new KeyRing('new master key', MASTER_KEY);
    const record = apiKey({});
    keys.publish(record);
    const authorize = authorizeBy({
      masterKey: 'new master key',
      formerMasterKey: MASTER_KEY,
      keys,
    });
    const former = createHmac('sha256', MASTER_KEY).update(record.uid).digest('hex');
    const claims = { apiKeyUid: record.uid, searchRules: ['*'] };
    for (const key of [former, keys.valueOf(record.uid)]) {
      expect(authorize(`Bearer ${key}`, 'search', null).keyUid).toBe(record.uid);
      expect(authorize(`Bearer ${signToken(claims, key)}`, 'search', null).keyUid).toBe(record.uid);
    }
    for (const key of [MASTER_KEY, 'new master key'])
      expect(authorize(`Bearer ${key}`, 'keys.get', null).keyUid).toBe(null);
    keys.remove(record.uid);
    expect(() => authorize(`Bearer ${former}`, 'search', null)).toThrow(refused('invalid_api_key'));
  });
});

describe('the limit of a key', () => {
  it('is filled evenly and holds one second', () => {
    const { access, values } = withKeys({ requestsPerSecond: 2 }, {});
    const [limited = '', free = ''] = values;
    access(limited);
    access(limited);
    expect(() => access(limited)).toThrow(
      expect.objectContaining({ code: 'too_many_requests', retryAfterMs: 500 }),
    );
    for (let i = 0; i < 100; i++) access(free);
    clockMs += 500;
    access(limited);
    expect(() => access(limited)).toThrow(expect.objectContaining({ retryAfterMs: 500 }));
    clockMs += 60_000;
    access(limited);
    access(limited);
    expect(() => access(limited)).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
  });

  it('binds the tokens that the key has signed', () => {
    const { access, values, uids } = withKeys({ requestsPerSecond: 1 });
    access(signToken({ apiKeyUid: uids[0], searchRules: ['*'] }, values[0] ?? ''));
    expect(() => access(values[0] ?? '')).toThrow(
      expect.objectContaining({ code: 'too_many_requests' }),
    );
  });
});
