/**
 * API keys and tenant tokens with the official client against real processes: created, used,
 * refused, expired, kept.
 */
import { createHmac } from 'node:crypto';
import type { Meilisearch } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { freePort } from '../support/free-port.ts';
import { cleanUp, clientOf, ServerProcess, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const MASTER_KEY = 'the master key of these tests';
const DAY_MS = 86_400_000;
let server: TestServer;
let master: Meilisearch;

const as = (apiKey: string, url = server.url) => clientOf(url, apiKey);

beforeAll(async () => {
  server = await TestServer.start({ env: { SVC_MASTER_KEY: MASTER_KEY } });
  master = as(MASTER_KEY);
  const documents = [
    { id: 1, title: 'Blue notebook', tenant: 1, year: 1990, kind: 'book' },
    { id: 2, title: 'Blue pen', tenant: 1, year: 2000, kind: 'tool' },
    { id: 3, title: 'Blue paper', tenant: 2, year: 2000, kind: 'tool' },
  ];
  for (const uid of ['notes', 'films']) {
    await master.index(uid).updateFilterableAttributes(['tenant', 'year', 'kind']).waitTask();
    await master.index(uid).addDocuments(documents).waitTask();
  }
});
afterAll(async () => {
  const exit = await server.stop();
  await cleanUp();
  expect(exit.code).toBe(0);
  expect(exit.stdout + exit.stderr).not.toContain(MASTER_KEY);
});

describe('default keys', () => {
  test('are there from the first start, in the usual order, and open what their names say', async () => {
    const { results } = await master.getKeys();
    expect(results.map(({ name }) => name)).toEqual([
      'Default Search API Key',
      'Default Admin API Key',
      'Default Read-Only Admin API Key',
      'Default Chat API Key',
    ]);
    for (const { uid, key } of results) {
      expect(key).toBe(createHmac('sha256', MASTER_KEY).update(uid).digest('hex'));
    }
    const [search = '', admin = '', reader = ''] = results.map(({ key }) => key);
    expect((await as(search).index('notes').search('blue')).hits).toHaveLength(3);
    expect(await codeOf(as(search).index('notes').getDocuments())).toBe('invalid_api_key');
    expect((await as(reader).getKeys()).total).toBe(4);
    expect(await codeOf(as(reader).createIndex('x'))).toBe('invalid_api_key');
    expect((await as(admin).createIndex('made_by_admin').waitTask()).status).toBe('succeeded');
    expect(await codeOf(as('').getKeys())).toBe('missing_authorization_header');
  });
});

describe('a key', () => {
  test('is created, used, changed and deleted, and opens nothing from the deletion on', async () => {
    const key = await master.createKey({
      name: 'n',
      actions: ['search'],
      indexes: ['notes'],
      expiresAt: null,
    });
    const holder = as(key.key);
    expect((await holder.index('notes').search('blue')).hits).toHaveLength(3);
    expect(await codeOf(holder.index('films').search('blue'))).toBe('invalid_api_key');
    expect(await codeOf(holder.index('notes').addDocuments([{ id: 9 }]))).toBe('invalid_api_key');
    expect(await codeOf(holder.getKeys())).toBe('invalid_api_key');
    expect(await master.updateKey(key.uid, { description: 'd' })).toMatchObject({
      name: 'n',
      description: 'd',
    });
    expect(await master.getKey(key.key)).toMatchObject({ uid: key.uid, description: 'd' });
    await master.deleteKey(key.key);
    expect(await codeOf(holder.index('notes').search('blue'))).toBe('invalid_api_key');
    expect(await codeOf(master.getKey(key.uid))).toBe('api_key_not_found');
  });

  test('opens nothing once it has expired', async () => {
    const draft = { actions: ['search'], indexes: ['*'] };
    const lasting = await master.createKey({ ...draft, expiresAt: new Date(Date.now() + DAY_MS) });
    expect((await as(lasting.key).index('notes').search('blue')).hits).toHaveLength(3);
    // A date that has passed when the request is read is refused.
    const { key } = await until('a key that expires soon', () =>
      master.createKey({ ...draft, expiresAt: new Date(Date.now() + 1000) }).catch(() => null),
    );
    const search = () => as(key).index('notes').search('blue');
    const code = await until('the key has expired', () =>
      search().then(
        () => null,
        () => codeOf(search()),
      ),
    );
    expect(code).toBe('invalid_api_key');
  });

  test('for some indexes sees these in lists, their tasks, and may not create others by writing', async () => {
    const actions = ['indexes.get', 'tasks.get', 'stats.get', 'documents.add'];
    const { key } = await master.createKey({ actions, indexes: ['note*'], expiresAt: null });
    const holder = as(key);
    expect((await holder.getRawIndexes()).results.map(({ uid }) => uid)).toEqual(['notes']);
    expect(Object.keys((await holder.getStats()).indexes)).toEqual(['notes']);
    const tasks = await holder.tasks.getTasks();
    expect([...new Set(tasks.results.map(({ indexUid }) => indexUid))]).toEqual(['notes']);
    const batches = await holder.batches.getBatches();
    expect(batches.results.flatMap(({ stats }) => Object.keys(stats.indexUids))).toEqual([
      'notes',
      'notes',
    ]);
    expect((await master.tasks.getTasks()).total).toBeGreaterThan(tasks.total);
    const task = await holder
      .index('note_new')
      .addDocuments([{ id: 1 }])
      .waitTask();
    expect(task).toMatchObject({ status: 'failed', error: { code: 'index_not_found' } });
  });
});

describe('tenant tokens of the official helper', () => {
  const sign = async (searchRules: object, more: object = {}) => {
    const parent = await master.createKey({ actions: ['search'], indexes: ['*'], expiresAt: null });
    const apiKey = parent.key;
    return {
      parent,
      token: await generateTenantToken({
        apiKey,
        apiKeyUid: parent.uid,
        searchRules,
        ...more,
      } as never),
    };
  };
  const ids = async (token: string, options = {}, uid = 'notes') =>
    (await as(token).index(uid).search('blue', options)).hits.map(({ id }) => id).sort();

  test.each(['HS256', 'HS384', 'HS512'])(
    'with %s add their filter to that of the search',
    async (algorithm) => {
      const { token } = await sign({ notes: { filter: 'tenant = 1' } }, { algorithm });
      expect(await ids(token)).toEqual([1, 2]);
      expect(await ids(token, { filter: 'year = 2000' })).toEqual([2]);
      expect(await ids(token, { filter: 'tenant = 2 OR tenant = 1' })).toEqual([1, 2]);
      expect(await codeOf(ids(token, {}, 'films'))).toBe('invalid_api_key');
      const { results } = await as(token).multiSearch({
        queries: [{ indexUid: 'notes', q: 'paper' }],
      });
      expect(results[0]?.hits).toEqual([]);
      const federated = await as(token).multiSearch({
        federation: {},
        queries: [{ indexUid: 'notes', q: 'blue' }],
      });
      expect(federated.hits.map(({ id }) => id).sort()).toEqual([1, 2]);
      const facets = await as(token)
        .index('notes')
        .searchForFacetValues({ facetName: 'kind', facetQuery: 'to' });
      expect(facets.facetHits).toEqual([{ value: 'tool', count: 1 }]);
      expect(await codeOf(as(token).index('notes').getDocuments())).toBe('invalid_api_key');
    },
  );

  test('expire, and end with their key', async () => {
    const { token: expired } = await sign(['*'], { expiresAt: new Date(Date.now() - 2000) });
    expect(await codeOf(ids(expired))).toBe('invalid_api_key');
    const { parent, token } = await sign(['*'], { expiresAt: new Date(Date.now() + 60_000) });
    expect(await ids(token)).toEqual([1, 2, 3]);
    await master.deleteKey(parent.uid);
    expect(await codeOf(ids(token))).toBe('invalid_api_key');
  });

  test('with a filter that does not parse fail the search', async () => {
    const { token } = await sign({ notes: { filter: 'tenant = ' } });
    expect(await codeOf(ids(token))).toBe('invalid_search_filter');
  });
});

describe('launch options of keys', () => {
  const loose = [
    { notes: { filters: 'tenant = 1' } },
    { notes: { filter: '' } },
    { notes: null, '*tes': null },
  ];

  /** A token for each of the rules. */
  async function looseTokens(client: Meilisearch): Promise<string[]> {
    const { key, uid } = await client.createKey({
      actions: ['search'],
      indexes: ['*'],
      expiresAt: null,
    });
    const signed = loose.map((searchRules) =>
      generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules } as never),
    );
    return Promise.all(signed);
  }

  let hardened: TestServer;
  const WRONG_KEYS_MAX = 5;
  const draft = { indexes: ['*'], expiresAt: null };

  beforeAll(async () => {
    hardened = await TestServer.start({
      flags: [
        ...['--wrong-keys-per-minute', String(WRONG_KEYS_MAX)],
        ...['--mask-stronger-keys', '--allow-loose-tenant-rules'],
      ],
      env: { SVC_MASTER_KEY: MASTER_KEY },
    });
  });
  afterAll(() => hardened.stop());

  test('limit wrong keys of an address, not the right ones of other clients behind it', async () => {
    const of = (key: string) => as(key, hardened.url);
    const { key, uid } = await of(MASTER_KEY).createKey({ ...draft, actions: ['search'] });
    const token = await generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules: ['*'] });
    for (let i = 0; i < WRONG_KEYS_MAX; i++)
      expect(await codeOf(of(`guess ${i}`).getKeys())).toBe('invalid_api_key');
    const startMs = performance.now();
    expect(await codeOf(of('guess').getKeys())).toBe('too_many_requests');
    expect(performance.now() - startMs).toBeGreaterThan(900);
    const manyStartMs = performance.now();
    const guesses = Array.from({ length: 20 }, (_, i) => codeOf(of(`late ${i}`).getKeys()));
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(['too_many_requests']));
    expect(performance.now() - manyStartMs).toBeGreaterThan(1_100);
    expect((await of(MASTER_KEY).getKeys()).total).toBeGreaterThan(0);
    for (const right of [key, token])
      expect(await codeOf(of(right).index('none').search(''))).toBe('index_not_found');
  });

  test('mask the values of keys that allow more than the key that reads them', async () => {
    const of = (key: string) => as(key, hardened.url);
    const { results } = await of(MASTER_KEY).getKeys();
    const admin = results.find(({ name }) => name === 'Default Admin API Key');
    const reader = results.find(({ name }) => name === 'Default Read-Only Admin API Key');
    const { key: same } = await of(MASTER_KEY).createKey({ ...draft, actions: ['*.get'] });
    const seen = (await of(reader?.key ?? '').getKeys()).results.map(({ key }) => key);
    expect(seen).not.toContain(admin?.key);
    expect(seen).toEqual(expect.arrayContaining([reader?.key, same]));
    const masked = `${admin?.key.slice(0, 5)}XXXXXX...`;
    expect(seen).toContain(masked);
    expect((await of(reader?.key ?? '').getKey(admin?.uid ?? '')).key).toBe(masked);
    expect(results.map(({ key }) => key)).toContain(admin?.key);
  });

  test('accept loose rules of tenant tokens, which are refused without the option', async () => {
    for (const token of await looseTokens(master))
      expect(await codeOf(as(token).index('notes').search('blue'))).toBe('invalid_api_key');
    for (const token of await looseTokens(as(MASTER_KEY, hardened.url))) {
      const search = as(token, hardened.url).index('notes').search('blue');
      expect(await codeOf(search)).toBe('index_not_found');
    }
  });
});

describe('keys of two fronts', () => {
  test('are acted by in every front as soon as one has answered', async () => {
    const { dbPath } = server;
    const port = await freePort();
    const flags = ['--role', 'front', '--db-path', dbPath, '--http-addr', `127.0.0.1:${port}`];
    const front = new ServerProcess(flags, { env: { SVC_MASTER_KEY: MASTER_KEY } });
    await front.ready();
    const beside = `http://127.0.0.1:${port}`;
    for (let round = 0; round < 20; round++) {
      const { key, uid } = await master.createKey({
        actions: ['search'],
        indexes: ['*'],
        expiresAt: null,
      });
      expect(await codeOf(as(key, beside).index('x').search(''))).toBe('index_not_found');
      await master.deleteKey(uid);
      expect(await codeOf(as(key, beside).index('x').search(''))).toBe('invalid_api_key');
    }
    expect((await front.stop()).code).toBe(0);
  });
});
