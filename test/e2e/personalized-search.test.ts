/** Searches whose hits an external service puts into the order that suits a user. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MadeRerankService, makeRerankService } from '../support/made-rerank-service.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const API_KEY = 'a-key-of-the-service-0123456789';
const personalize = { userContext: 'likes long titles' };

let service: MadeRerankService;
let server: TestServer;

beforeAll(async () => {
  service = await makeRerankService();
  server = await TestServer.start({
    flags: [
      ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
      ...['--personalization-url', service.url, '--personalization-model', 'made-model'],
      ...['--personalization-timeout-ms', '6000', '--experimental-enable-metrics', 'true'],
    ],
    env: { SVC_EXPERIMENTAL_PERSONALIZATION_API_KEY: API_KEY },
  });
  const { client } = server;
  const embedders = { own: { source: 'userProvided', dimensions: 2 } } as const;
  for (const [uid, more] of [
    ['films', ''],
    ['books', ' in print'],
  ] as const) {
    const index = client.index(uid);
    await index.updateSettings({ embedders }).waitTask();
    const titles = ['the sea', 'the sea and the shore', 'the sea, the shore and all the ships'];
    const documents = titles.map((title, id) => ({
      id,
      title: title + more,
      _vectors: { own: [1, id] },
    }));
    expect((await index.addDocuments(documents).waitTask()).error).toBeNull();
  }
});

afterAll(async () => {
  await cleanUp();
  service.close();
});

const idsOf = (hits: readonly object[]): unknown[] => hits.map((hit) => (hit as { id: number }).id);

test('pinned documents keep their places, in merged searches too', async () => {
  const { client } = server;
  await client.updateExperimentalFeatures({ dynamicSearchRules: true } as never);
  const rule = await server.call('PATCH', '/dynamic-search-rules/shortest', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      actions: [{ selector: { indexUid: 'films', id: '0' }, action: { type: 'pin', position: 0 } }],
    }),
  });
  await client.tasks.waitForTask((rule.json as { taskUid: number }).taskUid);
  const films = client.index('films');
  expect(idsOf((await films.search('sea', { personalize })).hits)).toEqual([0, 2, 1]);
  const queries = [{ indexUid: 'films', q: 'sea' }];
  const plain = await client.multiSearch({ queries: [{ ...queries[0]!, personalize }] } as never);
  expect(idsOf((plain as { results: { hits: object[] }[] }).results[0]!.hits)).toEqual([0, 2, 1]);
  const merged = await client.multiSearch({ queries, federation: { personalize } as never });
  expect(idsOf((merged as { hits: object[] }).hits)).toEqual([0, 2, 1]);
  const gone = await server.call('DELETE', '/dynamic-search-rules/shortest');
  await client.tasks.waitForTask((gone.json as { taskUid: number }).taskUid);
});

test('all kinds of searches have their page in the order of the service', async () => {
  const films = server.client.index('films');
  const hybrid = { embedder: 'own', semanticRatio: 0.5 };
  const plain = await films.search('sea', { limit: 2 });
  expect(idsOf(plain.hits)).toEqual([0, 1]);
  expect(idsOf((await films.search('sea', { limit: 2, personalize })).hits)).toEqual([1, 0]);
  expect(service.requests.at(-1)).toEqual({
    model: 'made-model',
    query: 'User: likes long titles\nQuery: sea',
    documents: plain.hits.map(({ id, title }) => JSON.stringify({ id, title })),
  });
  expect(service.headers.at(-1)).toMatchObject({ authorization: `Bearer ${API_KEY}` });
  const again = await films.search('sea', { limit: 2 });
  expect(idsOf(again.hits), 'what was kept').toEqual([0, 1]);
  const byMeaning = { hybrid, vector: [1, 0], showRankingScore: true };
  const unordered = await films.search('sea', byMeaning);
  const ordered = await films.search('sea', { ...byMeaning, personalize });
  expect(idsOf(ordered.hits)).toEqual([2, 1, 0]);
  expect(ordered.hits).toEqual(expect.arrayContaining(unordered.hits));
  const got = await server.call('GET', '/indexes/films/search?personalizeUserContext=x');
  expect(idsOf((JSON.parse(got.text) as { hits: object[] }).hits)).toEqual([2, 1, 0]);
});

test('each query of a multi-search by itself, a federated one as a whole', async () => {
  const { client } = server;
  const queries = [
    { indexUid: 'films', q: 'sea' },
    { indexUid: 'books', q: 'sea shore' },
  ];
  const { results } = await client.multiSearch({
    queries: queries.map((query, at) => (at === 0 ? { ...query, personalize } : query)),
  });
  expect(results.map(({ hits }) => idsOf(hits)[0])).toEqual([2, 1]);
  const federated = await client.multiSearch({
    queries,
    federation: { limit: 4, personalize } as never,
  });
  const lengths = federated.hits.map((hit) => String(hit['title']).length);
  expect(lengths).toHaveLength(4);
  expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
  expect(service.requests.at(-1)?.query).toBe(
    'User: likes long titles\nQuery: sea\nQuery: sea shore',
  );
  await expect(
    client.multiSearch({ federation: {}, queries: [{ ...queries[0], personalize }] } as never),
  ).rejects.toMatchObject({ cause: { code: 'invalid_multi_search_query_personalization' } });
});

test('a service that is silent changes nothing but the time, and its key is in no log', async () => {
  service.script = { hangs: true };
  const films = server.client.index('films');
  const asked = service.requests.length;
  for (const _ of [1, 2])
    expect(idsOf((await films.search('sea', { personalize })).hits)).toEqual([0, 1, 2]);
  expect(service.requests.length, 'let alone for a while').toBe(asked + 1);
  await until('the line of the search', () =>
    /a search was not personalized.*did not answer in time/.test(server.stdout + server.stderr),
  );
  expect(server.stdout + server.stderr).not.toContain(API_KEY);
  const text = await until('the searches are counted', async () => {
    const scrape = (await server.call('GET', '/metrics')).text;
    return /^gannet_unpersonalized_searches_total 2$/m.test(scrape) && scrape;
  });
  expect(text).toMatch(/^meilisearch_personalized_search_requests [1-9]/m);
});
