/** API keys and tenant tokens with the official client against real processes. */
import { createHmac } from 'node:crypto';
import type { Meilisearch } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { freePort } from '../support/free-port.ts';
import { emptiedServer, MASTER_KEY, type SharedServer } from '../support/shared-server.ts';
import { cleanUp, clientOf, ServerProcess, TestServer } from '../support/test-server.ts';

let server: SharedServer;
let master: Meilisearch;

const as = (apiKey: string, url = server.url) => clientOf(url, apiKey);

beforeAll(async () => {
  server = await emptiedServer();
  master = server.client;
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
afterAll(cleanUp);

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

test('a tenant token of the official helper adds its filter to that of every search', async () => {
  const { key, uid } = await master.createKey({
    actions: ['search'],
    indexes: ['*'],
    expiresAt: null,
  });
  const sign = (searchRules: object) =>
    generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules } as never);
  const token = await sign({ notes: { filter: 'tenant = 1' } });
  const notes = as(token).index('notes');
  const ids = async (options = {}) =>
    (await notes.search('blue', options)).hits.map(({ id }) => id).sort();
  expect(await ids()).toEqual([1, 2]);
  expect(await ids({ filter: 'year = 2000' })).toEqual([2]);
  expect(await ids({ filter: 'tenant = 2 OR tenant = 1' })).toEqual([1, 2]);
  expect(await codeOf(as(token).index('films').search('blue'))).toBe('invalid_api_key');
  const queries = [{ indexUid: 'notes', q: 'paper' }];
  expect((await as(token).multiSearch({ queries })).results[0]?.hits).toEqual([]);
  expect((await as(token).multiSearch({ federation: {}, queries })).hits).toEqual([]);
  const facets = await notes.searchForFacetValues({ facetName: 'kind', facetQuery: 'to' });
  expect(facets.facetHits).toEqual([{ value: 'tool', count: 1 }]);
  expect(await codeOf(notes.getDocuments())).toBe('invalid_api_key');
  const unparsable = as(await sign({ notes: { filter: 'tenant = ' } })).index('notes');
  expect(await codeOf(unparsable.search('blue'))).toBe('invalid_search_filter');
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

test('every front sees keys once one has answered, documents once it shows their task', async () => {
  const { dbPath } = server;
  const port = await freePort();
  const flags = ['--role', 'front', '--db-path', dbPath, '--http-addr', `127.0.0.1:${port}`];
  const front = new ServerProcess(flags, { env: { SVC_MASTER_KEY: MASTER_KEY } });
  await front.ready();
  const other = `http://127.0.0.1:${port}`;
  const rows = master.index('rows');
  for (let round = 0; round < 20; round++) {
    const { key, uid } = await master.createKey({
      actions: ['search'],
      indexes: ['*'],
      expiresAt: null,
    });
    const holder = as(key, other);
    expect(await codeOf(holder.index('x').search(''))).toBe('index_not_found');
    const { taskUid } = await rows.addDocuments([{ id: round }], { primaryKey: 'id' });
    await as(MASTER_KEY, other).tasks.waitForTask(taskUid);
    expect((await holder.index('rows').search('')).estimatedTotalHits).toBe(round + 1);
    await master.deleteKey(uid);
    expect(await codeOf(holder.index('x').search(''))).toBe('invalid_api_key');
  }
  await master.deleteIndex('rows').waitTask();
  expect(await codeOf(as(MASTER_KEY, other).index('rows').search(''))).toBe('index_not_found');
  expect((await front.stop()).code).toBe(0);
});
