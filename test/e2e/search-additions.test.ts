/**
 * Groups, diversity and aggregations on real processes: by body and by query string, in
 * multi-searches, under tenant tokens. What they compute: test/integration/search.
 */
import { generateTenantToken } from 'meilisearch/token';
import { beforeAll, expect, test } from 'vitest';
import { call, settled } from '../support/json-requests.ts';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';

const [SHOP, STORE] = [freshUid('shop'), freshUid('store')];
let server: SharedServer;
/** Searches the documents of shop a. */
let token: string;

interface Hit {
  readonly id: number;
  readonly _group?: { readonly value: string; readonly count: number; readonly hits: Hit[] };
}
type Json = Readonly<Record<string, unknown>>;
const hitsOf = (json: Json) => json['hits'] as readonly Hit[];
const idsOf = (json: Json) => hitsOf(json).map(({ id }) => id);
const groupsOf = (json: Json) =>
  hitsOf(json).map(({ id, _group }) => [
    ...[id, _group?.value, _group?.count],
    _group?.hits.map((hit) => hit.id),
  ]);

beforeAll(async () => {
  server = await sharedServer();
  const settings = { filterableAttributes: ['brand', 'shop', 'price'] };
  const lamp = (id: number, brand: string, shop: string, price: number) => {
    return { id, title: 'red lamp', brand, shop, price };
  };
  for (const [uid, documents] of [
    [SHOP, [lamp(1, 'Anker', 'a', 3), lamp(2, 'Anker', 'b', 5), lamp(3, 'Anker', 'a', 9)]],
    [STORE, [lamp(1, 'anker', 'a', 2), lamp(2, 'Dell', 'b', 4)]],
  ] as const) {
    await settled(server, 'PATCH', `/indexes/${uid}/settings`, settings);
    await settled(server, 'POST', `/indexes/${uid}/documents?primaryKey=id`, documents);
  }
  await settled(server, 'POST', `/indexes/${SHOP}/documents`, [lamp(4, 'Bosch', 'a', 1)]);
  const draft = { actions: ['search'], indexes: ['*'], expiresAt: null };
  const { key, uid } = (await call(server, 'POST', '/keys', draft)).json as Record<string, string>;
  const filter = { filter: 'shop = a' };
  token = await generateTenantToken({
    apiKey: key as string,
    apiKeyUid: uid as string,
    searchRules: { [SHOP]: filter, [STORE]: filter },
  });
});

const total = { total: { type: 'sum', attribute: 'price' } };

test.each([
  {
    addition: { groupBy: 'brand', groupSize: 2 },
    found: groupsOf,
    all: [
      [1, 'Anker', 3, [2]],
      [4, 'Bosch', 1, []],
    ],
    allowed: [
      [1, 'Anker', 2, [3]],
      [4, 'Bosch', 1, []],
    ],
  },
  {
    addition: { diversity: { attribute: 'brand', strength: 0.5 } },
    found: idsOf,
    all: [1, 4, 2, 3],
    allowed: [1, 4, 3],
  },
  {
    addition: { aggregations: total },
    found: (json: Json) => json['aggregations'],
    all: { total: { value: 18 } },
    allowed: { total: { value: 13 } },
  },
])('$addition', async ({ addition, found, all, allowed }) => {
  const path = `/indexes/${SHOP}/search`;
  const query = { q: 'red lamp', ...addition };
  // The second answer is a cached one.
  for (let i = 0; i < 2; i++)
    expect(found((await call(server, 'POST', path, query)).json)).toEqual(all);
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  const byText = `${path}?${new URLSearchParams(parameters)}`;
  expect(found((await call(server, 'GET', byText)).json)).toEqual(all);
  expect(found((await call(server, 'POST', path, query, token)).json)).toEqual(allowed);
  const queries = [
    { indexUid: SHOP, ...query },
    { indexUid: SHOP, q: 'red lamp' },
  ];
  const { json } = await call(server, 'POST', '/multi-search', { queries });
  const [added, plain] = json['results'] as [Json, Json];
  expect(found(added)).toEqual(all);
  expect(idsOf(plain)).toEqual([1, 2, 3, 4]);
  expect(plain).not.toHaveProperty('aggregations');
  expect(plain).not.toHaveProperty('totalGroups');
});

test('groups of several indexes have only the documents that the token allows', async () => {
  const queries = [SHOP, STORE].map((indexUid) => ({ indexUid, q: 'lamp' }));
  const body = { queries, federation: { groupBy: 'brand' } };
  const { json } = await call(server, 'POST', '/multi-search', body);
  expect(json).toMatchObject({ totalGroups: 3, totalDocuments: 6 });
  const filtered = await call(server, 'POST', '/multi-search', body, token);
  expect(filtered.json).toMatchObject({ totalGroups: 2, totalDocuments: 4 });
});
