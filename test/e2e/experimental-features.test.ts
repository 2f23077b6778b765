/** The official client against real processes: experimental features and what they gate. */
import { MeilisearchApiError } from 'meilisearch';
import { beforeAll, expect, test } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { emptiedServer, MASTER_KEY, type SharedServer } from '../support/shared-server.ts';
import { StreamedLines } from '../support/streamed-lines.ts';
import { until } from '../support/until.ts';

let server: SharedServer;

beforeAll(async () => {
  server = await emptiedServer();
  const index = server.client.index('films');
  await index.updateFilterableAttributes(['title']).waitTask();
  await index
    .addDocuments(
      [
        { id: 1, title: 'Carol' },
        { id: 2, title: 'Caramel' },
        { id: 3, title: 'Oscar' },
      ],
      { primaryKey: 'id' },
    )
    .waitTask();
});
const CONTAINS = 'title CONTAINS car';

/** Every route that takes a filter. */
const filtering: readonly (readonly [string, (filter: string) => PromiseLike<unknown>])[] = [
  ['search', (filter) => server.client.index('films').search('', { filter })],
  ['search by GET', (filter) => server.client.index('films').searchGet('', { filter })],
  [
    'multi-search',
    (filter) => server.client.multiSearch({ queries: [{ indexUid: 'films', filter }] }),
  ],
  [
    'federated search',
    (filter) =>
      server.client.multiSearch({ queries: [{ indexUid: 'films', filter }], federation: {} }),
  ],
  [
    'facet search',
    (filter) => server.client.index('films').searchForFacetValues({ facetName: 'title', filter }),
  ],
  ['documents', (filter) => server.client.index('films').getDocuments({ filter })],
  [
    'documents by GET',
    async (filter) => {
      const { json } = await server.call(
        'GET',
        `/indexes/films/documents?filter=${encodeURIComponent(filter)}`,
      );
      const { code } = json as { code?: string };
      if (code !== undefined) throw new MeilisearchApiError(new Response(), json as never);
    },
  ],
  [
    'deletion',
    (filter) =>
      server.client
        .index('films')
        .deleteDocuments({ filter: `${filter} AND title = nobody` })
        .waitTask(),
  ],
];

test('CONTAINS is refused by every route while it is off, and taken by the next request once it is on', async () => {
  for (const [name, run] of filtering)
    expect([name, await codeOf(run(CONTAINS))]).toEqual([name, 'feature_not_enabled']);
  await server.client.updateExperimentalFeatures({ containsFilter: true });
  for (const [name, run] of filtering)
    expect([name, await codeOf(run(CONTAINS))]).toEqual([name, 'accepted']);
  const { hits } = await server.client.index('films').search('', { filter: CONTAINS });
  expect(hits.map(({ id }) => id)).toEqual([1, 2, 3]);
  await server.client.updateExperimentalFeatures({ containsFilter: false });
  for (const [name, run] of filtering)
    expect([name, await codeOf(run(CONTAINS))]).toEqual([name, 'feature_not_enabled']);
});

test('the log can be streamed to one client at a time, and its levels changed', async () => {
  const post = (path: string, value: object) =>
    server.call('POST', path, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
  expect((await post('/logs/stream', {})).json).toMatchObject({ code: 'feature_not_enabled' });
  await server.client.updateExperimentalFeatures({ logsRoute: true });
  const streamed = await fetch(`${server.url}/logs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` },
    body: JSON.stringify({ target: 'info,http=debug', mode: 'json' }),
  });
  expect(streamed.status).toBe(200);
  expect(streamed.headers.get('x-accel-buffering')).toBe('no');
  expect((await post('/logs/stream', {})).json).toMatchObject({ code: 'bad_request' });
  expect((await post('/logs/stream', { target: '' })).json).toMatchObject({ code: 'bad_request' });
  expect((await post('/logs/stream', { mode: 'profile' })).status).toBe(400);
  await server.client.index('films').search('carol');
  await server.client
    .index('films')
    .addDocuments([{ id: 3, title: 'Oscar' }])
    .waitTask();
  const stream = new StreamedLines(streamed);
  const shown = (lines: readonly string[]) =>
    lines
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { target: string; fields: { message: string } })
      .map(({ target, fields: { message } }) => `${target}: ${message}`);
  // Lines follow what they tell of.
  await stream.until((lines) =>
    ['front/http: request', 'indexer: batch finished'].every((line) => shown(lines).includes(line)),
  );
  expect((await server.call('DELETE', '/logs/stream')).status).toBe(204);
  await stream.rest();
  expect((await post('/logs/stderr', { target: 'http=debug' })).status).toBe(204);
  await server.call('GET', '/version');
  expect((await post('/logs/stderr', { target: 'loud' })).status).toBe(400);
  expect((await post('/logs/stderr', {})).status).toBe(204);
  await server.client.updateExperimentalFeatures({ logsRoute: false });
});

/** Type and labels of each metric that the specification names, without its prefix. */
const SPECIFIED_METRICS: Readonly<Record<string, readonly [type: string, ...labels: string[]]>> = {
  http_requests_total: ['counter', 'method', 'path', 'status'],
  http_response_time_seconds: ['histogram', 'method', 'path'],
  degraded_search_requests: ['gauge'],
  db_size_bytes: ['gauge'],
  used_db_size_bytes: ['gauge'],
  index_count: ['gauge'],
  index_docs_count: ['gauge', 'index'],
  nb_tasks: ['gauge', 'kind', 'value'],
  last_update: ['gauge'],
  is_indexing: ['gauge'],
  search_queue_size: ['gauge'],
  searches_running: ['gauge'],
  searches_waiting_to_be_processed: ['gauge'],
  task_queue_latency_seconds: ['gauge'],
  task_queue_max_size: ['gauge'],
  task_queue_used_size: ['gauge'],
  task_queue_size_until_stop_registering: ['gauge'],
  last_finished_batches_progress_trace_ms: ['gauge', 'batch_uid', 'step_name'],
  last_indexed_documents_count: ['gauge', 'batch_uid', 'index'],
  last_indexed_documents_duration_ms: ['gauge', 'batch_uid', 'index'],
};

/** As a scrape has it: the type, then the labels of the first sample. */
function metricIn(text: string, name: string): readonly string[] {
  const type = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(text)?.[1];
  const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(text);
  const labels = [...(sample?.[1] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label as string);
  return [sample === null ? 'no sample' : (type ?? 'no type'), ...labels];
}

test('metrics add up what all processes and threads have counted', async () => {
  const metrics = () => server.call('GET', '/metrics');
  expect((await metrics()).json).toMatchObject({ code: 'feature_not_enabled' });
  await server.client.updateExperimentalFeatures({ metrics: true });
  await server.client.index('films').search('carol');
  await server.client
    .index('films')
    .addDocuments([{ id: 4, title: 'Ida' }])
    .waitTask();
  // Requests are counted, and searches end, behind their answers.
  const counted =
    'http_requests_total{method="POST",path="/indexes/{index_uid}/search",status="200"}';
  const { status, headers, text } = await until('the search is counted', async () => {
    const scrape = await metrics();
    const isAtRest = ['searches_running', 'is_indexing'].every((name) =>
      new RegExp(`^meilisearch_${name} 0$`, 'm').test(scrape.text),
    );
    const hasStages = scrape.text.includes('stage="search > rank"');
    return isAtRest && hasStages && scrape.text.includes(counted) && scrape;
  });
  await server.client.updateExperimentalFeatures({ metrics: false });
  expect([status, headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  for (const [name, described] of Object.entries(SPECIFIED_METRICS))
    expect([name, ...metricIn(text, `meilisearch_${name}`)]).toEqual([name, ...described]);
  expect(text).toContain('# TYPE meilisearch_batch_running_progress_trace gauge\n');
  const value = (sample: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
    return Number(line?.slice(sample.length) ?? Number.NaN);
  };
  const search = 'method="POST",path="/indexes/{index_uid}/search"';
  expect(value(`meilisearch_http_requests_total{${search},status="200"}`)).toBeGreaterThan(0);
  expect(value(`meilisearch_http_response_time_seconds_count{${search}}`)).toBeGreaterThan(0);
  expect(value('gannet_search_stage_seconds_count{stage="search > rank"}')).toBeGreaterThan(0);
  expect(value('meilisearch_index_docs_count{index="films"}')).toBe(4);
  expect(value('meilisearch_index_count')).toBe(1);
  expect(value('meilisearch_nb_tasks{kind="indexes",value="films"}')).toBeGreaterThan(1);
  expect(value('meilisearch_nb_tasks{kind="statuses",value="enqueued"}')).toBe(0);
  expect(value('meilisearch_db_size_bytes')).toBeGreaterThan(
    value('meilisearch_used_db_size_bytes') / 2,
  );
  expect(value('meilisearch_is_indexing')).toBe(0);
  expect(value('meilisearch_searches_running')).toBe(0);
  expect(Math.abs(value('meilisearch_last_update') - Date.now() / 1000)).toBeLessThan(600);
  expect(text).toMatch(
    /^meilisearch_last_indexed_documents_count\{batch_uid="\d+",index="films"\} 1$/m,
  );
  expect(text).toMatch(
    /^meilisearch_last_finished_batches_progress_trace_ms\{batch_uid="\d+",step_name="committing"\} /m,
  );
  expect(value('gannet_processes{process="front"}')).toBe(1);
  expect(value('gannet_processes{process="indexer"}')).toBe(1);
  expect(value('gannet_query_heap_bytes')).toBeGreaterThan(1e6);
});
