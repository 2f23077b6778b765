/** Searches whose first hits a reranker of the index orders. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type MadeRerankService, makeRerankService } from '../support/made-rerank-service.ts';
import { emptiedServer, type SharedServer } from '../support/shared-server.ts';
import { until } from '../support/until.ts';

const API_KEY = 'a-key-of-the-service-0123456789';
const COUNT = 12;

let cohere: MadeRerankService;
let voyage: MadeRerankService;
let plain: MadeRerankService;
let server: SharedServer;
/** Searches that were not reranked before this file. */
let failedBefore: number;

interface Found {
  readonly hits: readonly { readonly id: number; readonly [member: string]: unknown }[];
  readonly rerankedHitCount?: number;
  readonly rerankError?: { readonly code: string; readonly message: string };
  readonly semanticHitCount?: number;
  readonly [member: string]: unknown;
}

/** Longer for greater ids, except that id 3 is the longest. */
const titleOf = (id: number): string => `sea ${'x'.repeat(id === 3 ? 50 : id)}`;

beforeAll(async () => {
  [cohere, voyage, plain] = await Promise.all([
    makeRerankService(),
    makeRerankService('data'),
    makeRerankService('scores'),
  ]);
  server = await emptiedServer();
  await server.client.updateExperimentalFeatures({ metrics: true });
  failedBefore = await counted('gannet_unreranked_searches_total');
  const index = server.client.index('films');
  const common = { documentTemplate: '{{ doc.title }}', timeoutMs: 20_000 };
  const rest = {
    ...common,
    source: 'rest',
    url: plain.url,
    request: { question: '{{query}}', passages: [{ body: '{{text}}' }, '{{..}}'] },
    response: { scores: ['{{score}}', '{{..}}'] },
  };
  const settings = {
    filterableAttributes: ['maker'],
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
    rerankers: {
      byCohere: { source: 'cohere', url: cohere.url, apiKey: API_KEY, ...common },
      byJina: { source: 'jina', url: cohere.url, ...common },
      byVoyage: { source: 'voyage', url: voyage.url, model: 'made', ...common },
      own: rest,
      impatient: { ...rest, timeoutMs: 500 },
    },
  };
  expect((await index.updateSettings(settings as never).waitTask()).error).toBeNull();
  const documents = Array.from({ length: COUNT }, (_, id) => ({
    id,
    title: titleOf(id),
    maker: id % 4,
    _vectors: { own: [1, id] },
  }));
  expect((await index.addDocuments(documents).waitTask()).error).toBeNull();
});

afterEach(() => {
  for (const service of [cohere, voyage, plain]) service.script = null;
});

afterAll(async () => {
  await server.client.updateExperimentalFeatures({ metrics: false });
  for (const service of [cohere, voyage, plain]) service.close();
});

async function counted(name: string): Promise<number> {
  const { text } = await server.call('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

async function search(body: object): Promise<Found> {
  const { status, json } = await server.call('POST', '/indexes/films/search', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as Found;
}

const idsOf = ({ hits }: Found): number[] => hits.map(({ id }) => id);

test.each(['byCohere', 'byJina', 'byVoyage', 'own'])(
  '%s orders the first hits; later ones keep their order',
  async (reranker) => {
    const found = await search({ q: 'sea', rerank: { reranker, topN: 5 }, showRankingScore: true });
    expect(idsOf(found)).toEqual([3, 4, 2, 1, 0, 5, 6, 7, 8, 9, 10, 11]);
    expect(found.rerankedHitCount).toBe(5);
    expect(found).not.toHaveProperty('_rerank');
    expect(found.hits[0]).toMatchObject({
      _rankingScore: expect.any(Number),
      _rerankScore: titleOf(3).length / 1e6,
    });
    expect(found.hits[5]).not.toHaveProperty('_rerankScore');
  },
);

test('the service gets the query and the texts of the template, and its key', async () => {
  const asked = cohere.requests.length;
  await search({ q: 'sea more', rerank: { reranker: 'byCohere', topN: 3 } });
  expect(cohere.requests.length).toBe(asked + 1);
  expect(cohere.requests.at(-1)).toEqual({
    model: 'rerank-v3.5',
    query: 'sea more',
    documents: [0, 1, 2].map(titleOf),
  });
  expect(cohere.headers.at(-1)).toMatchObject({ authorization: `Bearer ${API_KEY}` });
});

test('pages reorder the same first documents, and one that straddles the last is right', async () => {
  const rerank = { reranker: 'own', topN: 5 };
  const pages = await Promise.all(
    [0, 3, 6, 9].map((offset) => search({ q: 'sea', rerank, limit: 3, offset })),
  );
  expect(pages.map(idsOf)).toEqual([
    [3, 4, 2],
    [1, 0, 5],
    [6, 7, 8],
    [9, 10, 11],
  ]);
  expect(pages.map(({ rerankedHitCount }) => rerankedHitCount)).toEqual([3, 2, 0, 0]);
  expect(pages[1]).toMatchObject({ offset: 3, limit: 3, estimatedTotalHits: COUNT });
  const page = await search({ q: 'sea', rerank, page: 2, hitsPerPage: 3 });
  expect(idsOf(page)).toEqual([1, 0, 5]);
  expect(page).toMatchObject({ page: 2, hitsPerPage: 3, totalPages: 4, totalHits: COUNT });
  expect(idsOf(await search({ q: 'sea', rerank, limit: 0 }))).toEqual([]);
});

test('a search without words, and one without rerank, keep their order', async () => {
  const rerank = { reranker: 'own', topN: 5 };
  const asked = plain.requests.length;
  const found = await search({ rerank, limit: 3 });
  expect(idsOf(found)).toEqual([0, 1, 2]);
  expect(found.rerankedHitCount).toBe(0);
  expect(await search({ q: 'sea' })).not.toHaveProperty('rerankedHitCount');
  expect(plain.requests.length).toBe(asked);
});

test('scores are cached by query and text', async () => {
  const asked = plain.requests.length;
  const rerank = { reranker: 'own', topN: 2 };
  await search({ q: 'sea x', rerank });
  await search({ q: 'sea x', rerank, limit: 2 });
  expect(plain.requests.length).toBe(asked + 1);
  await search({ q: 'sea x', rerank: { reranker: 'own', topN: 4 } });
  expect(plain.requests.at(-1)?.documents).toHaveLength(2);
  await search({ q: 'sea xx', rerank });
  expect(plain.requests.length).toBe(asked + 3);
});

test('groups and distinct values come first, and pages count what was found by meaning', async () => {
  const rerank = { reranker: 'own', topN: 4 };
  const distinct = await search({ q: 'sea', rerank, distinct: 'maker' });
  expect(idsOf(distinct)).toEqual([3, 2, 1, 0]);
  const grouped = await search({ q: 'sea', rerank, groupBy: 'maker', groupSize: 2 });
  expect(idsOf(grouped)).toEqual([3, 2, 1, 0]);
  expect(grouped.hits[0]).toMatchObject({ _group: { value: 3, count: 3 } });
  const hybrid = { embedder: 'own', semanticRatio: 1 };
  const byMeaning = await search({ q: 'sea', rerank, hybrid, vector: [1, 0], limit: 2 });
  expect(byMeaning).toMatchObject({ semanticHitCount: 2, rerankedHitCount: 2 });
  expect(idsOf(byMeaning)).toEqual([3, 2]);
});

test('each query of a multi-search by itself', async () => {
  const { client } = server;
  const rerank = { reranker: 'own', topN: 5 };
  const queries = [{ indexUid: 'films', q: 'sea', limit: 2, rerank }];
  const { results } = await client.multiSearch({ queries } as never);
  const [found] = results as unknown as Found[];
  expect(idsOf(found as Found)).toEqual([3, 4]);
  const got = await server.call(
    'GET',
    `/indexes/films/search?q=sea&limit=2&rerank=${encodeURIComponent(JSON.stringify(rerank))}`,
  );
  expect(idsOf(got.json as Found)).toEqual([3, 4]);
});

test('merged hits of several indexes, each scored for its own query', async () => {
  const { client } = server;
  const rerankers = {
    own: ((await client.index('films').getSettings()) as never)['rerankers']['own'],
  };
  await client
    .index('books')
    .updateSettings({ rerankers } as never)
    .waitTask();
  const documents = [20, 21, 22].map((id) => ({ id, title: titleOf(id) }));
  await client.index('books').addDocuments(documents).waitTask();
  const queries = [
    { indexUid: 'films', q: 'sea', showRankingScore: true },
    { indexUid: 'books', q: 'sea x' },
  ];
  const federated = async (federation: object) =>
    (await client.multiSearch({ queries, federation } as never)) as unknown as Found;
  const unordered = idsOf(await federated({ limit: 6 }));
  const rerank = { reranker: 'own', topN: 6 };
  const found = await federated({ limit: 6, rerank });
  const byLength = [...unordered].sort((a, b) => titleOf(b).length - titleOf(a).length);
  expect(idsOf(found)).toEqual(byLength);
  expect(found.rerankedHitCount).toBe(6);
  for (const hit of found.hits)
    expect('_rerankScore' in hit).toBe(
      (hit['_federation'] as { queriesPosition: number }).queriesPosition === 0,
    );
  const pages = await Promise.all(
    [0, 4, 8].map((offset) => federated({ limit: 4, offset, rerank })),
  );
  expect(pages.flatMap(idsOf).slice(0, 6)).toEqual(byLength);
  expect(pages.map(({ rerankedHitCount }) => rerankedHitCount)).toEqual([4, 2, 0]);
  const all = idsOf(await federated({ limit: 12 }));
  expect(pages.flatMap(idsOf).slice(6)).toEqual(all.slice(6));
  expect(plain.requests.at(-1)?.query).toBe('sea x');
  plain.script = { status: 400, body: 'too long' };
  const failed = await federated({ limit: 6, rerank: { reranker: 'own', topN: 12 } });
  expect(idsOf(failed)).toEqual(unordered);
  expect(failed.rerankError?.code).toBe('reranking_error');
});

test('a service that fails leaves the order and the answer says why, without its key', async () => {
  cohere.script = { status: 401, body: `no ${API_KEY}` };
  const rerank = { reranker: 'byCohere', topN: 5 };
  const found = await search({ q: 'sea failing', matchingStrategy: 'last', rerank, limit: 3 });
  expect(idsOf(found)).toEqual([0, 1, 2]);
  expect(found).toMatchObject({ rerankedHitCount: 0, rerankError: { code: 'reranking_error' } });
  expect(found.rerankError?.message).toMatch(/`byCohere` gave no order.*answers 401: no a-keyX/);
  const again = await search({ q: 'sea failing', rerank });
  expect(again.rerankError?.message).toMatch(/failed a moment ago/);
  plain.script = { hangs: true };
  const slow = await search({ q: 'sea hanging', rerank: { reranker: 'impatient' } });
  expect(slow.rerankError?.message).toMatch(/its server did not answer in time/);
  expect(JSON.stringify(slow)).not.toContain('127.0.0.1');
  await until('the line of the search', () =>
    /a search was not reranked.*answers 401/.test(server.stdout + server.stderr),
  );
  expect(server.stdout + server.stderr).not.toContain(API_KEY);
  await expect
    .poll(() => counted('gannet_unreranked_searches_total'))
    .toBeGreaterThanOrEqual(failedBefore + 3);
  expect(await counted('gannet_reranked_searches_total')).toBeGreaterThan(0);
});

test('answers and tasks show the key masked, and an update may repeat it', async () => {
  const url = '/indexes/films/settings/rerankers';
  const { json } = await server.call('GET', url);
  const { byCohere } = json as { byCohere: { apiKey: string; url: string } };
  expect(byCohere).toMatchObject({
    source: 'cohere',
    model: 'rerank-v3.5',
    apiKey: 'a-keyXXXXXX...',
  });
  const headers = { 'content-type': 'application/json' };
  const patch = async (body: object) => {
    const { json } = await server.call('PATCH', url, { headers, body: JSON.stringify(body) });
    return server.client.tasks.waitForTask((json as { taskUid: number }).taskUid);
  };
  expect((await patch({ byCohere, byJina: null })).error).toBeNull();
  const moved = await patch({ byCohere: { url: `${voyage.url}/elsewhere` } });
  expect(JSON.stringify(moved)).toContain('`rerankers.byCohere.apiKey` was dropped');
  const after = (await server.call('GET', url)).json as { byCohere: object };
  expect(after.byCohere).not.toHaveProperty('apiKey');
  expect(after).not.toHaveProperty('byJina');
  expect((await patch({ fresh: { timeoutMs: 5 } })).error?.code).toBe('invalid_settings_rerankers');
});
