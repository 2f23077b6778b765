/** Groups on real processes: by body and by query string, in multi-searches, under tenant tokens. */
import { beforeAll, expect, test } from 'vitest';
import { KeyedServer } from '../support/keyed-server.ts';
import { freshUid } from '../support/shared-server.ts';

const SHOP = freshUid('shop');
const STORE = freshUid('store');
let server: KeyedServer;

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

const documents = [
  { id: 1, title: 'red lamp', brand: 'Anker', shop: 'a' },
  { id: 2, title: 'red lamp', brand: 'Bosch', shop: 'a' },
  { id: 3, title: 'red lamp of steel', brand: 'Anker', shop: 'b' },
  { id: 4, title: 'lamp, red', brand: 'Anker', shop: 'a' },
];

beforeAll(async () => {
  server = await KeyedServer.shared();
  await server.finished('PATCH', `/indexes/${SHOP}/settings`, {
    filterableAttributes: ['brand', 'shop'],
  });
  await server.finished('POST', `/indexes/${SHOP}/documents`, documents);
  await server.finished('PATCH', `/indexes/${STORE}/settings`, {
    filterableAttributes: ['brand', 'shop'],
  });
  await server.finished('POST', `/indexes/${STORE}/documents`, [
    { id: 1, title: 'red lamp of wood', brand: 'anker', shop: 'b' },
    { id: 2, title: 'lamp', brand: ['Dell', 'Bosch'], shop: 'a' },
    { id: 3, title: 'lamp' },
  ]);
});

const EXPECTED = [
  [1, 'Anker', 3, [3]],
  [2, 'Bosch', 1, []],
];

test('a body and a query string group alike, and a repeated search too', async () => {
  const byBody = { q: 'red lamp', groupBy: 'brand', groupSize: 2 };
  for (let i = 0; i < 2; i++) {
    const { status, json } = await server.ask('POST', `/indexes/${SHOP}/search`, byBody);
    expect([status, groupsOf(json)]).toEqual([200, EXPECTED]);
    expect(json).toMatchObject({ totalGroups: 2, totalDocuments: 4, estimatedTotalHits: 2 });
  }
  const text = `/indexes/${SHOP}/search?q=red%20lamp&groupBy=brand&groupSize=2&page=2&hitsPerPage=1`;
  const { json } = await server.ask('GET', text);
  expect(groupsOf(json)).toEqual([EXPECTED[1]]);
  expect(json).toMatchObject({ totalHits: 2, totalPages: 2, totalGroups: 2 });
});

test('queries of a multi-search are grouped apart or together', async () => {
  const query = { indexUid: SHOP, q: 'red lamp' };
  const apart = await server.ask('POST', '/multi-search', {
    queries: [{ ...query, groupBy: 'brand', groupSize: 2 }, query],
  });
  const results = apart.json['results'] as Record<string, unknown>[];
  expect(groupsOf(results[0] ?? {})).toEqual(EXPECTED);
  expect(results[1]).not.toHaveProperty('totalGroups');
  const { json } = await server.ask('POST', '/multi-search', {
    queries: [query, { ...query, q: 'steel' }],
    federation: { groupBy: 'brand', groupSize: 1 },
  });
  expect(groupsOf(json)).toEqual([
    [1, 'Anker', 3, []],
    [2, 'Bosch', 1, []],
  ]);
});

const ofBoth = [SHOP, STORE].map((indexUid) => ({ indexUid, q: 'lamp' }));

test('a federated search makes one list of groups of several indexes', async () => {
  const federation = {
    groupBy: 'brand',
    groupSize: 2,
    facetsByIndex: { [SHOP]: ['brand'], [STORE]: ['brand', 'shop'] },
  };
  const { status, json } = await server.ask('POST', '/multi-search', {
    queries: ofBoth.map((query) => ({ ...query, showRankingScoreDetails: true })),
    federation,
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    estimatedTotalHits: 3,
    totalGroups: 3,
    totalDocuments: 7,
    facetsByIndex: {
      [SHOP]: { distribution: { brand: { Anker: 1, Bosch: 1 } } },
      [STORE]: { distribution: { brand: { anker: 1, Bosch: 1, Dell: 1 }, shop: { a: 1, b: 1 } } },
    },
  });
  const hits = json['hits'] as (GroupedHit & { _federation: { indexUid: string } })[];
  const byCount = hits.map(({ _group: { count, hits: members } }) => [count, members.length]);
  expect(byCount.sort()).toEqual([
    [1, 0],
    [2, 1],
    [4, 1],
  ]);
  for (const { _group, _federation } of hits) {
    expect([SHOP, STORE]).toContain(_federation.indexUid);
    for (const member of _group.hits) {
      expect(member).toMatchObject({ _federation: {}, _rankingScoreDetails: { words: {} } });
      expect(member).not.toHaveProperty('_group');
    }
  }
  const merged = await server.ask('POST', '/multi-search', {
    queries: ofBoth,
    federation: { ...federation, mergeFacets: {}, page: 3, hitsPerPage: 1 },
  });
  expect(merged.json).toMatchObject({
    hits: [{ id: hits[2]?.id }],
    totalHits: 3,
    totalPages: 3,
    facetDistribution: {
      brand: { Anker: 1, anker: 1, Bosch: 1, Dell: 1 },
      shop: { a: 1, b: 1 },
    },
  });
});

test('groups of several indexes have only the indexes and documents that the token allows', async () => {
  const federation = { groupBy: 'brand', groupSize: 3 };
  const body = { queries: ofBoth, federation };
  const filtered = await server.tokenFor({
    [SHOP]: { filter: 'shop = b' },
    [STORE]: { filter: 'shop = b' },
  });
  const { json } = await server.as(filtered, 'POST', '/multi-search', body);
  expect(groupsOf(json)).toMatchObject([[3, 'Anker', 2, [1]]]);
  expect(json).toMatchObject({ totalGroups: 1, totalDocuments: 2 });
  const narrow = await server.tokenFor({ [SHOP]: null });
  const refused = await server.as(narrow, 'POST', '/multi-search', body);
  expect([refused.status, refused.json['code']]).toEqual([403, 'invalid_api_key']);
});

test('groups hold and count only documents that the token allows', async () => {
  const token = await server.tokenFor({ [SHOP]: { filter: 'shop = a' } });
  const { json } = await server.as(token, 'POST', `/indexes/${SHOP}/search`, {
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
    const { status, json } = await server.ask('POST', `/indexes/${SHOP}/search`, body);
    expect([status, json['code']]).toEqual([400, code]);
    expect(json['message']).toContain(part);
  }
});
