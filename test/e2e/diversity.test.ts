/** Diversity on real processes: by body and by query string, in multi-searches, and refusals. */
import { beforeAll, expect, test } from 'vitest';
import { KeyedServer } from '../support/keyed-server.ts';
import { freshUid } from '../support/shared-server.ts';

const SHOP = freshUid('shop');
let server: KeyedServer;

const idsOf = (json: Record<string, unknown>) =>
  (json['hits'] as { id: number }[]).map(({ id }) => id);

const documents = [
  { id: 1, title: 'red lamp', brand: 'Anker', _vectors: { e: [1, 0] } },
  { id: 2, title: 'red lamp', brand: 'Anker', _vectors: { e: [0.9, 0.1] } },
  { id: 3, title: 'red lamp', brand: 'Bosch', _vectors: { e: [0, 1] } },
  { id: 4, title: 'red lamp', brand: ['Anker', 'Bosch'], _vectors: { e: [1, 0.1] } },
];
const byBrand = { attribute: 'brand', strength: 0.5 };

beforeAll(async () => {
  server = await KeyedServer.shared();
  await server.finished('PATCH', `/indexes/${SHOP}/settings`, {
    filterableAttributes: ['brand'],
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  });
  await server.finished('POST', `/indexes/${SHOP}/documents`, documents);
});

test('a body and a query string reorder alike, on every page, and a repeated search too', async () => {
  for (let i = 0; i < 2; i++) {
    const { json } = await server.ask('POST', `/indexes/${SHOP}/search`, {
      q: 'red',
      diversity: byBrand,
    });
    expect(idsOf(json)).toEqual([1, 3, 4, 2]);
    expect(json).toMatchObject({ estimatedTotalHits: 4 });
  }
  const text = `/indexes/${SHOP}/search?q=red&diversity=${encodeURIComponent(JSON.stringify(byBrand))}`;
  expect(idsOf((await server.ask('GET', text)).json)).toEqual([1, 3, 4, 2]);
  const { json } = await server.ask('GET', `${text}&page=2&hitsPerPage=2`);
  expect(idsOf(json)).toEqual([4, 2]);
  expect(json).toMatchObject({ totalHits: 4, totalPages: 2 });
});

test('documents differ by the vectors of an embedder, also in a hybrid search', async () => {
  const diversity = { embedder: 'e', strength: 0.9 };
  const { json } = await server.ask('POST', `/indexes/${SHOP}/search`, {
    q: 'red lamp',
    hybrid: { embedder: 'e', semanticRatio: 0.5 },
    vector: [1, 0],
    diversity,
    showRankingScore: true,
  });
  expect(idsOf(json).slice(0, 2)).toEqual([1, 3]);
  const plain = await server.ask('POST', `/indexes/${SHOP}/search`, { q: 'red lamp', diversity });
  expect(idsOf(plain.json)).toEqual([1, 3, 2, 4]);
});

test('each query of a multi-search has its own diversity', async () => {
  const query = { indexUid: SHOP, q: 'red' };
  const { json } = await server.ask('POST', '/multi-search', {
    queries: [{ ...query, diversity: byBrand }, query],
  });
  const results = json['results'] as Record<string, unknown>[];
  expect(results.map(idsOf)).toEqual([
    [1, 3, 4, 2],
    [1, 2, 3, 4],
  ]);
});

test('refusals name the value, the parameter and what is allowed', async () => {
  const refusals = [
    [{ diversity: { attribute: 'title' } }, '`title`', '`brand`'],
    [{ diversity: { embedder: 'f' } }, '`f`', '`e`'],
    [{ diversity: { attribute: 'brand', embedder: 'e' } }, '`brand`', 'one of'],
    [{ diversity: {} }, 'neither', 'one of'],
    [{ diversity: { ...byBrand, limit: 201 } }, '201', '1 to 200'],
    [{ diversity: byBrand, groupBy: 'brand' }, '`groupBy` (`brand`)', '`distinct`'],
  ] as const;
  for (const [body, ...parts] of refusals) {
    const { status, json } = await server.ask('POST', `/indexes/${SHOP}/search`, body);
    expect([status, json['code']]).toEqual([400, 'invalid_search_diversity']);
    for (const part of parts) expect(json['message']).toContain(part);
  }
  const federated = await server.ask('POST', '/multi-search', {
    queries: [{ indexUid: SHOP, diversity: byBrand }],
    federation: {},
  });
  expect(federated).toMatchObject({
    status: 400,
    json: { code: 'invalid_multi_search_query_diversity' },
  });
  await server.ask('PATCH', '/experimental-features', { network: true });
  const body = { diversity: byBrand, useNetwork: true };
  const { json } = await server.ask('POST', `/indexes/${SHOP}/search`, body);
  expect(json).toMatchObject({ code: 'invalid_search_diversity' });
});
