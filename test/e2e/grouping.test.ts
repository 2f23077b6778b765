/** Groups on real processes: by body and by query string, in multi-searches, under tenant tokens. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const KEY = 'a master key of some length';
let server: TestServer;

const as = async (key: string, method: string, path: string, body?: unknown) => {
  const options = body === undefined ? { headers: {} } : sendJson(body);
  const headers = { ...options.headers, authorization: `Bearer ${key}` };
  const { status, json } = await server.call(method, path, { ...options, headers });
  return { status, json: json as Record<string, unknown> };
};
const ask = (method: string, path: string, body?: unknown) => as(KEY, method, path, body);

async function finished(method: string, path: string, body: unknown): Promise<void> {
  const { taskUid } = (await ask(method, path, body)).json;
  await until(`end of task ${taskUid}`, async () => {
    const { json } = await ask('GET', `/tasks/${taskUid}`);
    return json['finishedAt'] === null ? null : json;
  });
}

interface GroupedHit {
  readonly id: number;
  readonly _group: {
    readonly value: unknown;
    readonly count: number;
    readonly hits: { id: number }[];
  };
}
const groupsOf = (json: Record<string, unknown>) =>
  (json['hits'] as GroupedHit[]).map(({ id, _group: { value, count, hits } }) => [
    id,
    value,
    count,
    hits.map((hit) => hit.id),
  ]);

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
async function tokenFor(searchRules: object): Promise<string> {
  const { json } = await ask('POST', '/keys', {
    indexes: ['*'],
    actions: ['search'],
    expiresAt: null,
  });
  const { uid, key } = json as { uid: string; key: string };
  const unsigned = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64({ apiKeyUid: uid, searchRules })}`;
  return `${unsigned}.${createHmac('sha256', key).update(unsigned).digest('base64url')}`;
}

const documents = [
  { id: 1, title: 'red lamp', brand: 'Anker', shop: 'a' },
  { id: 2, title: 'red lamp', brand: 'Bosch', shop: 'a' },
  { id: 3, title: 'red lamp of steel', brand: 'Anker', shop: 'b' },
  { id: 4, title: 'lamp, red', brand: 'Anker', shop: 'a' },
];

beforeAll(async () => {
  server = await TestServer.start({ dbPath: freshFolder(), flags: ['--master-key', KEY] });
  await finished('PATCH', '/indexes/shop/settings', { filterableAttributes: ['brand', 'shop'] });
  await finished('POST', '/indexes/shop/documents', documents);
});
afterAll(cleanUp);

const EXPECTED = [
  [1, 'Anker', 3, [3]],
  [2, 'Bosch', 1, []],
];

test('a body and a query string group alike, and a repeated search too', async () => {
  const byBody = { q: 'red lamp', groupBy: 'brand', groupSize: 2 };
  for (let i = 0; i < 2; i++) {
    const { status, json } = await ask('POST', '/indexes/shop/search', byBody);
    expect([status, groupsOf(json)]).toEqual([200, EXPECTED]);
    expect(json).toMatchObject({ totalGroups: 2, totalDocuments: 4, estimatedTotalHits: 2 });
  }
  const text = '/indexes/shop/search?q=red%20lamp&groupBy=brand&groupSize=2&page=2&hitsPerPage=1';
  const { json } = await ask('GET', text);
  expect(groupsOf(json)).toEqual([EXPECTED[1]]);
  expect(json).toMatchObject({ totalHits: 2, totalPages: 2, totalGroups: 2 });
});

test('queries of a multi-search are grouped apart or together', async () => {
  const query = { indexUid: 'shop', q: 'red lamp' };
  const apart = await ask('POST', '/multi-search', {
    queries: [{ ...query, groupBy: 'brand', groupSize: 2 }, query],
  });
  const results = apart.json['results'] as Record<string, unknown>[];
  expect(groupsOf(results[0] ?? {})).toEqual(EXPECTED);
  expect(results[1]).not.toHaveProperty('totalGroups');
  const { json } = await ask('POST', '/multi-search', {
    queries: [query, { ...query, q: 'steel' }],
    federation: { groupBy: 'brand', groupSize: 1 },
  });
  expect(groupsOf(json)).toEqual([
    [1, 'Anker', 3, []],
    [2, 'Bosch', 1, []],
  ]);
});

test('groups hold and count only documents that the token allows', async () => {
  const token = await tokenFor({ shop: { filter: 'shop = a' } });
  const { json } = await as(token, 'POST', '/indexes/shop/search', {
    q: 'red lamp',
    groupBy: 'brand',
  });
  expect(groupsOf(json)).toEqual([
    [1, 'Anker', 2, [4]],
    [2, 'Bosch', 1, []],
  ]);
});

test('refusals name the value, the parameter and what is allowed', async () => {
  const refusals = [
    [{ groupBy: 'title' }, 'invalid_search_group_by', '`brand`, `shop`'],
    [{ groupBy: 'brand', groupSize: 101 }, 'invalid_search_group_size', '1 to 100'],
    [{ groupBy: 'brand', distinct: 'shop' }, 'invalid_search_group_by', '`distinct` (`shop`)'],
  ] as const;
  for (const [body, code, part] of refusals) {
    const { status, json } = await ask('POST', '/indexes/shop/search', body);
    expect([status, json['code']]).toEqual([400, code]);
    expect(json['message']).toContain(part);
  }
  await ask('PATCH', '/experimental-features', { network: true });
  const { json } = await ask('POST', '/indexes/shop/search', {
    groupBy: 'brand',
    useNetwork: true,
  });
  expect(json).toMatchObject({ code: 'invalid_search_group_by' });
});
