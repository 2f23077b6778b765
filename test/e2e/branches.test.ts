/** A branch of an index, its verdict, and its promotion. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runGannet } from '../support/run-gannet.ts';
import {
  emptiedServer,
  freshUid,
  MASTER_KEY,
  type SharedServer,
} from '../support/shared-server.ts';
import { cleanUp, freshFolder } from '../support/test-server.ts';
import { until } from '../support/until.ts';

/** Its recorded queries are of this file. */
const FILMS = freshUid('films');
let server: SharedServer;
let client: Meilisearch;

async function call(method: string, path: string, body?: unknown, key = MASTER_KEY) {
  const { status, json } = await server.call(method, path, {
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status, json: json as Record<string, unknown> };
}

async function run(method: string, path: string, body?: unknown) {
  const { json } = await call(method, path, body);
  return client.tasks.waitForTask(json['taskUid'] as number);
}

beforeAll(async () => {
  server = await emptiedServer();
  client = server.client;
  const documents = [
    { id: 1, title: 'the sea' },
    { id: 2, title: 'the ocean' },
    { id: 3, title: 'the sea and the ocean' },
  ];
  await client.index(FILMS).addDocuments(documents).waitTask();
  await client
    .index(FILMS)
    .updateSettings({ sortableAttributes: ['id'] })
    .waitTask();
});

afterAll(async () => {
  for (const alias of ['pinned', 'live']) await call('DELETE', `/aliases/${alias}`);
  await cleanUp();
});

test('a branch is an index of its own, also after the deletion of its source', async () => {
  await call('POST', `/indexes/${FILMS}/documents`, [{ id: 9, title: 'before its turn' }]);
  const task = await run('POST', `/indexes/${FILMS}/branches`, { uid: 'copy' });
  expect(task).toMatchObject({ status: 'succeeded', type: 'indexBranch', indexUid: 'copy' });
  expect(task.details).toEqual({ source: FILMS, documents: 4 });
  await run('DELETE', `/indexes/${FILMS}/documents/9`);
  await run('POST', `/indexes/${FILMS}/branches`, { uid: 'second' });
  await run('DELETE', '/indexes/second/documents/1');
  await run('POST', '/indexes/second/branches', { uid: 'third' });
  await run('DELETE', '/indexes/second');
  const ids = async (uid: string) => {
    const { json } = await call('POST', `/indexes/${uid}/search`, { q: 'the', sort: ['id:asc'] });
    return (json['hits'] as { id: number }[]).map(({ id }) => id).sort();
  };
  expect(await ids('third')).toEqual([2, 3]);
  expect(await ids(FILMS)).toEqual([1, 2, 3]);
  const failed = await run('POST', `/indexes/${FILMS}/branches`, { uid: 'copy' });
  expect(failed.error?.code).toBe('index_already_exists');
});

test('a branch has the settings of its request when it appears, or does not appear', async () => {
  const settings = {
    synonyms: { film: ['sea'] },
    filterableAttributes: ['id'],
    searchableAttributes: ['title'],
  };
  const task = await run('POST', `/indexes/${FILMS}/branches`, { uid: 'changed', settings });
  expect(task).toMatchObject({ status: 'succeeded', details: { source: FILMS, settings } });
  const found = async (uid: string) =>
    (await call('POST', `/indexes/${uid}/search`, { q: 'film', filter: 'id < 3' })).json;
  expect(await found('changed')).toMatchObject({ hits: [{ id: 1 }] });
  expect(await found(FILMS)).toMatchObject({ code: 'invalid_search_filter' });
  const { json } = await call('GET', '/indexes/changed/settings');
  expect(json).toMatchObject({ ...settings, sortableAttributes: ['id'] });

  const refused = await run('POST', `/indexes/${FILMS}/branches`, {
    uid: 'embedded',
    settings: { embedders: { own: { source: 'userProvided', dimensions: 2 } } },
  });
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'vector_embedding_error' } });
  expect((await call('GET', '/indexes/embedded')).status).toBe(404);
});

test('settings of a branch are checked before its task, and need the action for settings', async () => {
  const invalid = { uid: 'never', settings: { rankingRules: ['best'] } };
  const answer = await call('POST', `/indexes/${FILMS}/branches`, invalid);
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_settings_ranking_rules' } });
  const { key } = await client.createKey({
    actions: ['indexes.create'],
    indexes: ['*'],
    expiresAt: null,
  });
  const body = { uid: 'never', settings: { stopWords: ['the'] } };
  const denied = await call('POST', `/indexes/${FILMS}/branches`, body, key);
  expect(denied).toMatchObject({ status: 403, json: { code: 'invalid_api_key' } });
  expect((await call('GET', '/indexes/never')).status).toBe(404);
});

test('the verdict: changed lists, judged ones, and latency of both', async () => {
  await run('POST', `/indexes/${FILMS}/branches`, { uid: 'next' });
  await run('PATCH', '/indexes/next/settings', { synonyms: { sea: ['ocean'] } });
  const queries = [
    { q: 'sea', wanted: ['2', '1', '3'] },
    { q: 'ocean', wanted: { 2: 2 } },
    { q: 'absent' },
  ];
  const { status, json } = await call('POST', `/indexes/${FILMS}/compare`, {
    candidate: 'next',
    queries,
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    queries: 3,
    isComplete: true,
    changedLists: 1,
    changedFirstHits: 0,
    judgedQueries: 2,
    latencyMs: { base: { p50: expect.any(Number) }, candidate: { p95: expect.any(Number) } },
    changes: [{ q: 'sea', base: ['1', '3'] }],
  });
  const { base, candidate } = json['ndcg'] as { base: number; candidate: number };
  expect(candidate).toBeGreaterThan(base);
  const same = await call('POST', `/indexes/${FILMS}/compare`, {
    candidate: 'next',
    queries: [{ q: 'ocean' }],
    search: { filter: null, sort: ['id:desc'] },
    candidateSearch: { sort: ['id:asc'] },
  });
  expect(same.json).toMatchObject({ queries: 1, changedLists: 1, ndcg: null });
});

test('recorded queries are those of the analytics, for keys that may read them', async () => {
  for (const q of ['sea', 'sea', 'ship']) await call('POST', `/indexes/${FILMS}/search`, { q });
  await until('two recorded queries', async () => {
    const { json } = await call('POST', `/indexes/${FILMS}/compare`, { candidate: 'next' });
    return Number(json['queries']) >= 2;
  });
  const { key } = await client.createKey({
    actions: ['search'],
    indexes: [FILMS, 'next'],
    expiresAt: null,
  });
  const refused = await call('POST', `/indexes/${FILMS}/compare`, { candidate: 'next' }, key);
  expect(refused).toMatchObject({ status: 403, json: { code: 'invalid_api_key' } });
  const queries = [{ q: 'sea' }];
  const allowed = await call(
    'POST',
    `/indexes/${FILMS}/compare`,
    { candidate: 'next', queries },
    key,
  );
  expect(allowed.status).toBe(200);
  const other = await call(
    'POST',
    `/indexes/${FILMS}/compare`,
    { candidate: 'third', queries },
    key,
  );
  expect(other.status).toBe(403);
});

test('pinned documents stay pinned in a branch, in its verdict and after its promotion', async () => {
  await call('PATCH', '/experimental-features', { dynamicSearchRules: true });
  const pin = (indexUid: string, id: string, words: string) =>
    run('PATCH', `/dynamic-search-rules/${words}`, {
      conditions: { query: { words } },
      actions: [{ selector: { indexUid, id }, action: { type: 'pin', position: 0 } }],
    });
  await call('PUT', '/aliases/pinned', { indexUid: FILMS });
  await run('POST', `/indexes/${FILMS}/branches`, { uid: 'pinned-next' });
  await run('POST', '/indexes', { uid: 'rebuilt', primaryKey: 'id' });
  const documents = await call('GET', `/indexes/${FILMS}/documents`);
  await run('POST', '/indexes/rebuilt/documents', documents.json['results']);
  await pin(FILMS, '2', 'sea');
  await pin('pinned', '1', 'ocean');
  const verdict = async (candidate: string) => {
    const queries = [{ q: 'sea' }, { q: 'ocean' }];
    const { json } = await call('POST', `/indexes/${FILMS}/compare`, { candidate, queries });
    return (json['changes'] as { q: string }[]).map(({ q }) => q);
  };
  expect(await verdict('pinned-next')).toEqual([]);
  // The rule that names the index is no rule of an index that is no branch.
  expect(await verdict('rebuilt')).toEqual(['sea']);
  await call('PUT', '/aliases/pinned', { indexUid: 'pinned-next' });
  const first = async (q: string) => {
    const { json } = await call('POST', '/indexes/pinned/search', { q });
    return (json['hits'] as { id: number }[])[0]?.id;
  };
  expect([await first('sea'), await first('ocean')]).toEqual([2, 1]);
  await run('DELETE', '/dynamic-search-rules');
  await call('PATCH', '/experimental-features', { dynamicSearchRules: false });
});

test('recorded queries are replayed with their filters, those that an index refuses are counted', async () => {
  const filterable = (uid: string) =>
    run('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['id'] });
  await filterable(FILMS);
  await call('POST', `/indexes/${FILMS}/search`, { q: 'sea', filter: ['id = 2'] });
  await call('POST', `/indexes/${FILMS}/search`, { q: 'sea', filter: 'id > 0' });
  await call('POST', `/indexes/${FILMS}/search`, { q: 'sea', filter: `id > 0 ${' '.repeat(512)}` });
  const compared = { candidate: 'next' };
  const verdict = async () => (await call('POST', `/indexes/${FILMS}/compare`, compared)).json;
  await until('two recorded filters', async () => (await verdict())['refusedQueries'] === 2);
  const { queries } = await verdict();
  await filterable('next');
  expect(await verdict()).toMatchObject({
    queries: Number(queries) + 2,
    refusedQueries: 0,
    changes: expect.arrayContaining([
      { q: 'sea', filter: ['id = 2'], overlap: 0, base: [], candidate: ['2'] },
      expect.objectContaining({ q: 'sea', filter: 'id > 0', base: ['1', '3'] }),
    ]),
  });
});

test('documents are compared by a primary key below another field', async () => {
  await run('POST', '/indexes', { uid: 'nested', primaryKey: 'about.id' });
  await run('POST', '/indexes/nested/documents', [{ about: { id: 5 }, title: 'The sea' }]);
  await run('POST', '/indexes/nested/branches', { uid: 'nested-next' });
  const compared = { candidate: 'nested-next', queries: [{ q: 'sea', wanted: ['5'] }] };
  const { status, json } = await call('POST', '/indexes/nested/compare', compared);
  expect(status).toBe(200);
  expect(json).toMatchObject({ changedLists: 0, judgedQueries: 1, ndcg: { base: 1 } });
});

test('a file of queries is compared in parts, and the whole report is saved', async () => {
  const folder = freshFolder();
  const file = join(folder, 'queries.ndjson');
  const saved = join(folder, 'report.json');
  const changed = Array.from({ length: 230 }, () => 'sea');
  const more = [
    'absent',
    '{"q":"sea","filter":"id = 2","wanted":["2"]}',
    '{"q":"sea","filter":"unknown = 2"}',
  ];
  writeFileSync(file, [...changed, ...more].join('\n'));
  const args = ['compare', file, '--index', FILMS, '--candidate', 'next'];
  const asked = ['--url', server.url, '--key', MASTER_KEY];
  const { code, values } = await runGannet([...args, ...asked, '--json', '--save', saved]);
  expect(code).toBe(0);
  expect(values).toMatchObject([
    {
      queries: 232,
      refusedQueries: 1,
      changedLists: 231,
      changedFirstHits: 1,
      judgedQueries: 1,
      ndcg: { base: 0, candidate: 1 },
    },
  ]);
  const report = JSON.parse(readFileSync(saved, 'utf8')) as { changes: unknown[] };
  expect([report]).toEqual(values);
  expect(report.changes).toHaveLength(231);
  const { out } = await runGannet([...args, ...asked]);
  expect(out.split('\n')).toEqual(
    expect.arrayContaining([
      '232 queries: 231 with other hits, 1 with another first hit, overlap 0.665',
      '1 query left out, whose filter an index refuses',
      'nDCG@10 0.0000 -> 1.0000 (1 judged)',
      'overlap  nDCG  first hit  query',
      '0.67           1 -> 1     sea',
      'and 211 more',
    ]),
  );
  const without = await runGannet(['compare', file, '--index', FILMS, ...asked]);
  expect(without).toMatchObject({ code: 2, err: expect.stringContaining('usage: gannet compare') });
  writeFileSync(file, '\n');
  const empty = await runGannet([...args, ...asked]);
  expect(empty).toMatchObject({ code: 2, err: expect.stringContaining('has no queries') });
});

test('recorded queries are compared with their filters by the command, as many as it says', async () => {
  const args = ['compare', '--index', FILMS, '--candidate', 'next', '--json'];
  const asked = ['--url', server.url, '--key', MASTER_KEY];
  const reportOf = async (...more: string[]) => {
    const { code, values } = await runGannet([...args, ...asked, ...more]);
    expect(code).toBe(0);
    return values[0] as { queries: number; changes: { q: string; filter?: unknown }[] };
  };
  const all = await reportOf();
  const { json } = await call('POST', `/indexes/${FILMS}/compare`, { candidate: 'next' });
  expect(all).toMatchObject({
    queries: json['queries'],
    refusedQueries: 0,
    changes: json['changes'],
  });
  expect(all.changes.map(({ filter }) => filter)).toContainEqual(['id = 2']);
  expect((await reportOf('--recorded', '2')).queries).toBe(2);
  const none = await runGannet(['compare', '--index', 'next', '--candidate', FILMS, ...asked]);
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('have no queries of next') });
});

test('a branch is promoted by an alias', async () => {
  await call('PUT', '/aliases/live', { indexUid: FILMS });
  const hits = async () =>
    (await call('POST', '/indexes/live/search', { q: 'sea' })).json['hits'] as unknown[];
  expect(await hits()).toHaveLength(2);
  await call('PUT', '/aliases/live', { indexUid: 'next' });
  expect(await hits()).toHaveLength(3);
});
