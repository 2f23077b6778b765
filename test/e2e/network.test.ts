/** Searches over two real servers of a network: order, weights, facets, faults, filters of tokens. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maskSecret } from '../../src/core/mask-secret.ts';
import { sendJson } from '../support/http-request.ts';
import { call, settled } from '../support/json-requests.ts';
import { isLongRun } from '../support/run-length.ts';
import {
  emptiedServer,
  LOCAL_TARGETS,
  MASTER_KEY,
  type SharedServer,
} from '../support/shared-server.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

const auth = { authorization: `Bearer ${MASTER_KEY}` };

let near: TestServer;
/** The network is a setting of `near` alone. */
let far: SharedServer;
let searchKey = '';
let searchKeyUid = '';

async function fill(server: SharedServer, documents: readonly object[]): Promise<void> {
  await call(server, 'PATCH', '/experimental-features', { network: true });
  await settled(server, 'PATCH', '/indexes/films/settings', {
    filterableAttributes: ['genre', 'owner', 'series'],
    sortableAttributes: ['year'],
    faceting: { sortFacetValuesBy: { genre: 'count' } },
    // A search that is cut short on a busy machine has another order.
    searchCutoffMs: 60_000,
  });
  await settled(server, 'POST', '/indexes/films/documents', documents);
}

const NEAR = [
  { id: 1, title: 'carol', genre: 'drama', year: 2015, owner: 'a', series: 's' },
  { id: 2, title: 'the carol of the bells', genre: 'music', year: 1999, owner: 'b' },
];
const FAR = [
  { id: 3, title: 'carol', genre: 'drama', year: 2020, owner: 'b', series: 's', exact: 1.0 },
  { id: 4, title: 'caroll', genre: 'drama', year: 2001, owner: 'a' },
];

beforeAll(async () => {
  [near, far] = await Promise.all([
    TestServer.start({
      masterKey: MASTER_KEY,
      flags: [...LOCAL_TARGETS, '--experimental-remote-search-timeout-seconds', '10'],
    }),
    emptiedServer(),
  ]);
  await Promise.all([fill(near, NEAR), fill(far, FAR)]);
  await settled(near, 'POST', '/indexes/all/documents', [...NEAR, ...FAR]);
  const { json } = await call(far, 'GET', '/keys');
  const keys = json['results'] as { name: string; key: string; uid: string }[];
  searchKey = keys.find(({ name }) => name === 'Default Search API Key')?.key ?? '';
  const { json: own } = await call(near, 'POST', '/keys', {
    actions: ['search'],
    indexes: ['*'],
    expiresAt: null,
  });
  searchKeyUid = own['uid'] as string;
  const { status } = await call(near, 'PATCH', '/network', {
    self: 'near',
    remotes: { near: { url: near.url }, far: { url: far.url, searchApiKey: searchKey } },
  });
  expect(status).toBe(200);
});
afterAll(async () => {
  await call(far, 'PATCH', '/experimental-features', { network: false });
  await near.stop();
  await cleanUp();
});

interface Hit {
  readonly id: number;
  readonly _federation: { readonly remote?: string; readonly queriesPosition: number };
}
const placesOf = (hits: unknown) =>
  (hits as Hit[]).map(({ id, _federation }) => `${id} ${_federation.remote}`);

function tenantToken(searchRules: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({
    apiKeyUid: searchKeyUid,
    searchRules,
  })}`;
  const key = createHmac('sha256', MASTER_KEY).update(searchKeyUid).digest('hex');
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
}

const both = (query: object) => [
  { indexUid: 'films', ...query },
  { indexUid: 'films', ...query, federationOptions: { remote: 'far' } },
];
const federated = (queries: unknown, federation: object = {}, token?: string) =>
  call(near, 'POST', '/multi-search', { queries, federation }, token);

describe('GET and PATCH /network', () => {
  test('show what was set, with the state of remotes', async () => {
    const { json } = await call(near, 'GET', '/network');
    expect(json).toEqual({
      self: 'near',
      remotes: {
        near: { url: near.url, searchApiKey: null, writeApiKey: null, status: 'available' },
        far: {
          url: far.url,
          searchApiKey: maskSecret(searchKey),
          writeApiKey: null,
          status: 'available',
        },
      },
      shards: {},
      leader: null,
      version: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    });
    expect((await call(near, 'PATCH', '/network', { remotes: { x: {} } })).json).toMatchObject({
      code: 'missing_network_url',
    });
  });
});

describe('federated searches over remotes', () => {
  test('put what the rules of each instance pin at its place in the one list', async () => {
    const rule = (id: string, position: number, precedence: number) => ({
      precedence,
      conditions: { query: { words: 'carol' } },
      actions: [{ selector: { indexUid: 'films', id }, action: { type: 'pin', position } }],
    });
    for (const server of [near, far]) {
      await call(server, 'PATCH', '/experimental-features', { dynamicSearchRules: true });
      await settled(server, 'PATCH', '/dynamic-search-rules/top', rule('2', 0, 1));
      await settled(server, 'PATCH', '/dynamic-search-rules/next', rule('4', 0, 2));
    }
    const { json } = await federated(both({ q: 'carol' }));
    expect(placesOf(json['hits'])).toEqual(['2 near', '4 far', '1 near', '3 far']);
    expect(json).toMatchObject({ estimatedTotalHits: 4 });
    const { json: page } = await call(near, 'POST', '/indexes/films/search', {
      q: 'carol',
      useNetwork: true,
      offset: 1,
      limit: 2,
    });
    expect(placesOf(page['hits'])).toEqual(['4 far', '1 near']);
    for (const server of [near, far]) {
      await settled(server, 'DELETE', '/dynamic-search-rules', undefined);
      await call(server, 'PATCH', '/experimental-features', { dynamicSearchRules: false });
    }
  });

  test('merge by the details of the ranking, and say where hits are from', async () => {
    const { json } = await federated(both({ q: 'carol' }));
    expect(placesOf(json['hits'])).toEqual(['1 near', '3 far', '4 far', '2 near']);
    const { json: alone } = await call(near, 'POST', '/indexes/all/search', { q: 'carol' });
    expect((alone['hits'] as Hit[]).map(({ id }) => id)).toEqual([1, 3, 4, 2]);
    expect(json).toMatchObject({ estimatedTotalHits: 4, remoteErrors: {} });
    expect((json['hits'] as object[])[1]).toEqual({
      ...FAR[0],
      _federation: {
        indexUid: 'films',
        queriesPosition: 1,
        remote: 'far',
        weightedRankingScore: expect.any(Number),
      },
    });
  });

  test('keep the bytes of documents, compare sorted values, and cut pages out of the whole', async () => {
    const { text } = await near.call('POST', '/multi-search', {
      ...sendJson({ queries: both({ sort: ['year:desc'] }), federation: { limit: 2, offset: 0 } }),
      headers: { ...auth, 'content-type': 'application/json' },
    });
    expect(placesOf(JSON.parse(text).hits)).toEqual(['3 far', '1 near']);
    const pages = [];
    for (let page = 1; page <= 4; page++) {
      const { json } = await federated(both({ sort: ['year:asc'] }), { page, hitsPerPage: 1 });
      expect(json).toMatchObject({ totalHits: 4, totalPages: 4 });
      pages.push(...placesOf(json['hits']));
    }
    expect(pages).toEqual(['2 near', '4 far', '1 near', '3 far']);
  });

  test('weights count at the other instance', async () => {
    const queries = both({ q: 'carol' }).map((query, i) => ({
      ...query,
      federationOptions: { weight: i === 0 ? 0.1 : 2, ...(i === 1 && { remote: 'far' }) },
    }));
    const { json } = await federated(queries);
    expect(placesOf(json['hits']).slice(0, 2)).toEqual(['3 far', '4 far']);
  });

  test('facets of an index are added up, apart or merged', async () => {
    const facetsByIndex = { films: ['genre', 'year'].slice(0, 1) };
    const apart = await federated(both({}), { facetsByIndex });
    const counts = { genre: { drama: 3, music: 1 } };
    expect(apart.json['facetsByIndex']).toMatchObject({ films: { distribution: counts } });
    const merged = await federated(both({}), { facetsByIndex, mergeFacets: {} });
    expect(merged.json['facetDistribution']).toEqual(counts);
  });

  test('distinct holds across instances', async () => {
    const { json } = await federated(both({ q: 'carol' }), { distinct: 'series' });
    expect(placesOf(json['hits'])).toEqual(['1 near', '4 far', '2 near']);
  });

  test('the filter of a tenant token holds at the other instance', async () => {
    const token = tenantToken({ films: { filter: 'owner = a' } });
    for (const filter of [null, 'owner = b OR owner = a', [['owner = b', 'owner = a']]]) {
      const { json } = await federated(both({ q: 'carol', filter }), {}, token);
      expect(placesOf(json['hits'])).toEqual(['1 near', '4 far']);
    }
    const other = both({ q: 'carol' }).map((query) => ({ ...query, indexUid: 'books' }));
    expect((await federated(other.slice(1), {}, token)).status).toBe(403);
  });

  test('an alias in a query for a remote is an alias of that remote', async () => {
    await settled(far, 'PATCH', '/indexes/archive/settings', { filterableAttributes: ['genre'] });
    await settled(far, 'POST', '/indexes/archive/documents', [
      { id: 9, title: 'carol', genre: 'noir' },
    ]);
    await call(near, 'PUT', '/aliases/live', { indexUid: 'films' });
    await call(far, 'PUT', '/aliases/live', { indexUid: 'archive' });
    const live = both({ q: 'carol' }).map((query) => ({ ...query, indexUid: 'live' }));
    const facetsByIndex = { live: ['genre'] };
    const { json } = await federated(live, { facetsByIndex });
    expect(placesOf(json['hits'])).toEqual(['1 near', '9 far', '2 near']);
    expect(json['facetsByIndex']).toMatchObject({
      films: { distribution: { genre: { drama: 1, music: 1 } } },
      archive: { distribution: { genre: { noir: 1 } } },
    });
    const alone = await federated(live.slice(1), { facetsByIndex });
    expect(placesOf(alone.json['hits'])).toEqual(['9 far']);
    expect(Object.keys(alone.json['facetsByIndex'] as object)).toEqual(['archive']);
    for (const server of [near, far]) await call(server, 'DELETE', '/aliases/live');
  });

  test('an unknown remote is refused', async () => {
    const queries = [{ indexUid: 'films', federationOptions: { remote: 'elsewhere' } }];
    expect((await federated(queries)).json).toMatchObject({ code: 'invalid_multi_search_remote' });
  });
});

describe('useNetwork', () => {
  test('asks all instances, in the form of a plain search', async () => {
    const { json } = await call(near, 'POST', '/indexes/films/search', {
      q: 'carol',
      useNetwork: true,
      facets: ['genre'],
      limit: 3,
    });
    expect(placesOf(json['hits'])).toEqual(['1 near', '3 far', '4 far']);
    expect(json).toMatchObject({
      query: 'carol',
      limit: 3,
      offset: 0,
      estimatedTotalHits: 4,
      remoteErrors: {},
      facetDistribution: { genre: { drama: 3, music: 1 } },
    });
    const apart = await call(near, 'POST', '/multi-search', {
      queries: [{ indexUid: 'films', q: 'carol', useNetwork: true }, { indexUid: 'films' }],
    });
    const [one, two] = apart.json['results'] as { hits: unknown[]; remoteErrors?: object }[];
    expect([one?.hits.length, one?.remoteErrors, two?.hits.length]).toEqual([4, {}, 2]);
  });

  test('facet searches add up', async () => {
    const { json } = await call(near, 'POST', '/indexes/films/facet-search', {
      facetName: 'genre',
      useNetwork: true,
    });
    expect(json).toMatchObject({
      facetHits: [
        { value: 'drama', count: 3 },
        { value: 'music', count: 1 },
      ],
      remoteErrors: {},
    });
  });

  test('one instance a shard is asked', async () => {
    const shards = { one: { remotes: ['near'] }, two: { remotes: ['near', 'far'] } };
    await call(near, 'PATCH', '/network', { shards });
    const search = { q: 'carol', useNetwork: true };
    const { json } = await call(near, 'POST', '/indexes/films/search', search);
    expect(placesOf(json['hits'])).toEqual(['1 near', '2 near']);
    await call(near, 'PATCH', '/network', { shards: null });
  });
});

describe('documents of the network', () => {
  let remoteKey = '';
  const fetched = async (body: object) => {
    const path = '/indexes/films/documents/fetch';
    const { text, status } = await near.call('POST', path, {
      ...sendJson({ useNetwork: true, fields: ['id'], ...body }),
      headers: { ...auth, 'content-type': 'application/json' },
    });
    return { status, text, json: JSON.parse(text) };
  };
  const idsOf = (json: { results: { id: number }[] }) => json.results.map(({ id }) => id);

  beforeAll(async () => {
    const { json } = await call(far, 'POST', '/keys', {
      actions: ['search', 'documents.get'],
      indexes: ['*'],
      expiresAt: null,
    });
    remoteKey = json['key'] as string;
    await call(near, 'PATCH', '/network', { remotes: { far: { searchApiKey: remoteKey } } });
  });
  afterAll(() =>
    call(near, 'PATCH', '/network', { remotes: { far: { searchApiKey: searchKey } } }),
  );

  test('come one instance after the other, page by page, as the bytes they are', async () => {
    const pages: number[] = [];
    for (let offset = 0; offset < 5; offset += 1) {
      const { json } = await fetched({ offset, limit: 1 });
      expect(json).toMatchObject({ offset, limit: 1, total: 4, remoteErrors: {} });
      pages.push(...idsOf(json));
    }
    expect(pages).toEqual([1, 2, 3, 4]);
    expect(idsOf((await fetched({ offset: 1, limit: 2 })).json)).toEqual([2, 3]);
    expect((await fetched({ fields: null })).text).toContain(JSON.stringify(FAR[0]));
  });

  test('may be chosen by filters and ids', async () => {
    const { json } = await fetched({ filter: 'genre = drama' });
    expect([idsOf(json), json.total]).toEqual([[1, 3, 4], 3]);
    expect(idsOf((await fetched({ ids: [4, 2, 99] })).json)).toEqual([2, 4]);
    expect((await fetched({ sort: ['year:asc'] })).json).toMatchObject({
      code: 'invalid_document_use_network',
    });
  });

  test('of an instance that fails are missing, with the reason', async () => {
    const remotes = { far: { searchApiKey: searchKey } };
    await call(near, 'PATCH', '/network', { remotes });
    const { status, json } = await fetched({});
    expect([status, idsOf(json), json.total]).toEqual([200, [1, 2], 2]);
    expect(json.remoteErrors).toMatchObject({ far: { code: 'remote_invalid_api_key' } });
    await call(near, 'PATCH', '/network', { remotes: { far: { searchApiKey: remoteKey } } });
  });
});

describe('groups over remotes', () => {
  const brands = ['Anker', 'bosch', 'Casio', ['Anker', 'Dell'], null];
  const lamp = (id: number) => ({
    id,
    title: id % 3 === 0 ? 'red lamp' : `lamp of ${id % 4 === 0 ? 'red' : 'blue'} glass`,
    brand: brands[(id * 7) % brands.length],
    colour: ['red', 'blue', 'green'][id % 3],
    _vectors: { e: [Math.cos(id), Math.sin(id)] },
  });
  const lamps = Array.from({ length: 24 }, (_, id) => lamp(id));
  const parts = { near: lamps.slice(0, 12), far: lamps.slice(12) };

  beforeAll(async () => {
    for (const [server, uid, documents] of [
      [near, 'lamps', parts.near],
      [far, 'lamps', parts.far],
      [near, 'all-lamps', lamps],
    ] as const) {
      await settled(server, 'PATCH', `/indexes/${uid}/settings`, {
        filterableAttributes: ['brand', 'colour'],
        embedders: { e: { source: 'userProvided', dimensions: 2 } },
      });
      await settled(server, 'POST', `/indexes/${uid}/documents`, documents);
    }
  });

  interface Grouped extends Hit {
    readonly _group: { readonly value: unknown; readonly count: number; readonly hits: Hit[] };
  }
  const groupsOf = (json: Record<string, unknown>) =>
    (json['hits'] as Grouped[]).map(({ id, _group: { value, count, hits } }) => [
      id,
      value,
      count,
      hits.map((hit) => hit.id),
    ]);
  const numbers = ({
    totalGroups,
    totalDocuments,
    facetDistribution,
    facetStats,
  }: object & {
    readonly [member: string]: unknown;
  }) => ({ totalGroups, totalDocuments, facetDistribution, facetStats });

  test.each([
    ['words', { q: 'red lamp' }],
    ['no words', {}],
    ['meaning', { vector: [1, 0], hybrid: { embedder: 'e', semanticRatio: 1 } }],
    ['words and meaning', { q: 'red', vector: [1, 0], hybrid: { embedder: 'e' } }],
  ])('are those of one index with all documents: %s', async (_, query) => {
    const search = { ...query, groupBy: 'brand', groupSize: 4, facets: ['brand', 'colour'] };
    const whole = await call(near, 'POST', '/indexes/all-lamps/search', search);
    const networked = { ...search, useNetwork: true };
    const { json } = await call(near, 'POST', '/indexes/lamps/search', networked);
    expect(json['remoteErrors']).toEqual({});
    expect(groupsOf(json)).toEqual(groupsOf(whole.json));
    expect(numbers(json)).toEqual(numbers(whole.json));
    for (let page = 1; page <= 3; page++) {
      const part = { ...networked, page, hitsPerPage: 2 };
      const { json: paged } = await call(near, 'POST', '/indexes/lamps/search', part);
      expect(groupsOf(paged)).toEqual(groupsOf(whole.json).slice(2 * page - 2, 2 * page));
    }
  });

  test('have the documents that the token allows, of remotes that answer', async () => {
    const queries = both({ q: 'lamp' }).map((query) => ({ ...query, indexUid: 'lamps' }));
    const by = { groupBy: 'brand', limit: 2 };
    const { json } = await federated(queries, by);
    expect(json).toMatchObject({ remoteErrors: {}, totalDocuments: 24 });
    const token = tenantToken({ lamps: { filter: 'colour = red' } });
    const { json: filtered } = await federated(queries, by, token);
    expect(filtered).toMatchObject({ remoteErrors: {}, totalDocuments: 8 });
    await settled(far, 'PATCH', '/indexes/lamps/settings', { filterableAttributes: ['colour'] });
    const { json: alone } = await federated(queries, by);
    expect(alone).toMatchObject({
      totalDocuments: 12,
      remoteErrors: { far: { code: 'remote_bad_request' } },
    });
  });
});

describe('hybrid searches over remotes', () => {
  const embedders = { e: { source: 'userProvided', dimensions: 2 } };
  const withVector = (id: number, title: string, vector: number[]) => ({
    id,
    title,
    _vectors: { e: vector },
  });
  const ids = (hits: unknown) => (hits as Hit[]).map(({ id }) => id);

  beforeAll(async () => {
    const [first, second] = [
      [withVector(1, 'red', [1, 0]), withVector(2, 'green', [0, 1])],
      [withVector(3, 'blue', [0.9, 0.1]), withVector(4, 'red car', [-1, 0])],
    ];
    for (const [server, uid, documents] of [
      [near, 'colours', first],
      [far, 'colours', second],
      [near, 'all-colours', [...first, ...second]],
    ] as const) {
      await settled(server, 'PATCH', `/indexes/${uid}/settings`, { embedders });
      await settled(server, 'POST', `/indexes/${uid}/documents`, documents);
    }
  });

  test.each([0, 0.5, 1])('with the semantic ratio %s order as one index would', async (ratio) => {
    const query = { q: 'red', vector: [1, 0], hybrid: { embedder: 'e', semanticRatio: ratio } };
    const whole = await call(near, 'POST', '/indexes/all-colours/search', query);
    const networked = { ...query, useNetwork: true };
    const { json } = await call(near, 'POST', '/indexes/colours/search', networked);
    expect(json['remoteErrors']).toEqual({});
    expect(ids(json['hits'])).toEqual(ids(whole.json['hits']));
    expect(ids(json['hits']).length).toBe(ratio === 0 ? 2 : 4);
    if (ratio > 0) expect(json['semanticHitCount']).toBe(whole.json['semanticHitCount']);
    const paged: number[] = [];
    for (let page = 1; page <= 4; page++) {
      const part = { ...networked, page, hitsPerPage: 1 };
      paged.push(...ids((await call(near, 'POST', '/indexes/colours/search', part)).json['hits']));
    }
    expect(paged).toEqual(ids(json['hits']));
  });
});

describe('a remote that fails', () => {
  const broken = createServer((request, response) => {
    const [, kind] = (request.url ?? '').split('/');
    if (kind === 'silent') return;
    response.statusCode = kind === 'error' ? 500 : 200;
    response.end(kind === 'nonsense' ? '{"hits":[{}]}' : '{}');
  });
  beforeAll(() => new Promise<void>((done) => broken.listen(0, '127.0.0.1', done)));
  afterAll(() => {
    broken.closeAllConnections();
    broken.close();
  });

  test('is named in remoteErrors while the others answer', async () => {
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const kinds = {
      error: 'remote_remote_error',
      nonsense: 'remote_bad_response',
      // Its time is ten seconds.
      ...(isLongRun && { silent: 'remote_timeout' }),
      forbidden: 'remote_could_not_send_request',
      wrongKey: 'remote_invalid_api_key',
    };
    const remotes = {
      ...Object.fromEntries(
        ['error', 'nonsense', ...(isLongRun ? ['silent'] : [])].map((kind) => [
          kind,
          { url: `${url}/${kind}` },
        ]),
      ),
      forbidden: { url: 'http://10.0.0.1:9' },
      wrongKey: { url: far.url, searchApiKey: 'wrong' },
    };
    await call(near, 'PATCH', '/network', { remotes });
    const queries = [
      { indexUid: 'films', q: 'carol' },
      ...Object.keys(kinds).map((remote) => ({ indexUid: 'films', federationOptions: { remote } })),
    ];
    const { status, json } = await federated(queries);
    expect(status).toBe(200);
    expect(placesOf(json['hits'])).toEqual(['1 near', '2 near']);
    const errors = Object.entries(json['remoteErrors'] as Record<string, { code: string }>);
    expect(Object.fromEntries(errors.map(([name, { code }]) => [name, code]))).toEqual(kinds);
    const network = (await call(near, 'GET', '/network')).json['remotes'] as Record<string, object>;
    expect(network['error']).toMatchObject({ status: 'unavailable' });
    if (isLongRun) expect(network['silent']).toMatchObject({ status: 'unavailable' });
    expect(network['far']).toMatchObject({ status: 'available' });
  });
});
