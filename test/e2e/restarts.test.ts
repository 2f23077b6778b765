/**
 * State of one server that uses every feature with state: after kill -9, in a dump and a snapshot, and
 * after a stop. Other files test the features themselves: they share these starts here, because each
 * takes one to two seconds of processor time.
 */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Key } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FEATURES } from '../../src/model/features.ts';
import { codeOf } from '../support/error-code.ts';
import { sendJson } from '../support/http-request.ts';
import { MASTER_KEY } from '../support/shared-server.ts';
import { checkIndex, cleanUp, clientOf, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const OTHER_MASTER_KEY = 'another master key, much longer';
const RELEVANCE = {
  matchingStrategy: 'any',
  inflections: ['eng'],
  rankingRules: ['relevance', 'words', 'typo'],
  searchableAttributes: ['title', 'text'],
};
const LAMPS = [
  { id: 'shop', title: 'Lamp repair', text: 'a workshop for old lights', _vectors: { own: null } },
  { id: 'sale', title: 'Lamps for sale', text: 'new lights', _vectors: { own: [0, 1] } },
  { id: 'glow', title: 'Candles', text: 'light without a plug', _vectors: { own: [1, 0] } },
];
const QUESTION = 'where could somebody have lamps repaired ';
const MEANING = { vector: [1, 0], hybrid: { embedder: 'own', semanticRatio: 0.5 } };
const FILMS = Array.from({ length: 12 }, (_, id) => ({ id, title: `film ${id}`, year: 1990 + id }));
const SEARCHES: readonly (readonly [string, string, object?])[] = [
  ['lamps', QUESTION],
  ['lamps', QUESTION, { matchingStrategy: 'last' }],
  ['lamps', QUESTION, { showRankingScoreDetails: true }],
  ['lamps', QUESTION, { showRankingScore: true, rankingScoreThreshold: 0.2 }],
  ['lamps', QUESTION, { ...MEANING, showRankingScore: true }],
  ['films', 'film 3', { showRankingScore: true }],
  ['films', '', { filter: 'year > 1995', facets: ['year'] }],
  ['films', 'flim', { sort: ['year:desc'] }],
];

const dbPath = join(freshFolder(), 'data');
const backups = freshFolder();
const FLAGS = [
  ...['--audit-log', '--search-analytics'],
  ...['--dump-dir', backups, '--snapshot-dir', backups],
];
let server: TestServer;
let auditBefore: readonly unknown[];
let workspace: unknown;
let lasting: Key;
let deleted: Key;
let editUid: number;

const start = (masterKey: string, ...more: readonly string[]): Promise<TestServer> =>
  TestServer.start({ dbPath, masterKey, flags: [...FLAGS, ...more] });

const json = async (path: string): Promise<Record<string, unknown>> =>
  (await server.call('GET', path)).json as Record<string, unknown>;

const auditLines = async (): Promise<readonly unknown[]> =>
  (await json('/audit-log?limit=1000'))['results'] as unknown[];

const idsOf = async (uid: string, { client }: TestServer): Promise<unknown[]> =>
  (await client.index(uid).search('', { limit: 3 })).hits.map(({ id }) => id);

/** Without what differs between two requests. */
async function answersOf({ client }: TestServer): Promise<unknown[]> {
  const answers = SEARCHES.map(([uid, q, options]) => client.index(uid).search(q, options));
  return (await Promise.all(answers)).map((answer) => ({
    ...answer,
    processingTimeMs: 0,
    requestUid: '',
  }));
}

beforeAll(async () => {
  server = await start(
    MASTER_KEY,
    '--experimental-contains-filter',
    '--experimental-legacy-search-default',
  );
  const { client } = server;
  await client.updateExperimentalFeatures({
    chatCompletions: true,
    dynamicSearchRules: true,
    editDocumentsByFunction: true,
  });
  const attributes = { filterableAttributes: ['title', 'year'], sortableAttributes: ['year'] };
  await client.index('films').updateSettings(attributes);
  await client.index('films').addDocuments(FILMS).waitTask();
  await server.call('PUT', '/aliases/cinema', sendJson({ indexUid: 'films' }));
  const selector = { indexUid: 'films', id: '9' };
  const actions = [{ selector, action: { type: 'pin' as const, position: 0 } }];
  await client.updateDynamicSearchRule('first', { actions }).waitTask();
  const embedders = { own: { source: 'userProvided' as const, dimensions: 2 } };
  await client.index('lamps').updateSettings({ ...RELEVANCE, embedders });
  await client.index('lamps').addDocuments(LAMPS, { primaryKey: 'id' }).waitTask();
  await client.index('films').search('before the crash');
  await json('/analytics/counts');
  await client
    .chat('shop')
    .update({ source: 'vLlm', baseUrl: 'http://127.0.0.1:9', apiKey: 'sk-1' });
  workspace = await client.chat('shop').get();
  await client
    .index('numbers')
    .addDocuments([{ id: 1 }, { id: 2 }])
    .waitTask();
});
afterAll(cleanUp);

it('features may be on from the start by an option', async () => {
  const { client } = server;
  expect(await client.getExperimentalFeatures()).toMatchObject({
    containsFilter: true,
    legacySearch: true,
  });
  await client.index('numbers').updatePagination({ maxTotalHits: 1 }).waitTask();
  expect(await client.index('numbers').search('')).toMatchObject({ estimatedTotalHits: 1 });
  const { hits } = await client.index('films').search('', { filter: 'title CONTAINS "m 3"' });
  expect(hits.map(({ id }) => id)).toEqual([3]);
});

describe('after kill -9 a server has', () => {
  beforeAll(async () => {
    const { client } = server;
    const draft = { actions: ['search' as const], indexes: ['*'], expiresAt: null };
    deleted = await client.createKey(draft);
    await client.deleteKey(deleted.uid);
    auditBefore = await auditLines();
    const edited = await client
      .index('numbers')
      .updateDocumentsByFunction({ function: 'doc.next = doc.id + 1' });
    editUid = edited.taskUid;
    lasting = await client.createKey({ ...draft, name: 'lasting' });
    await server.killAll();
    server = await start(MASTER_KEY);
  });

  it('its features, without those of options', async () => {
    expect(await server.client.getExperimentalFeatures()).toEqual({
      ...NO_FEATURES,
      chatCompletions: true,
      dynamicSearchRules: true,
      editDocumentsByFunction: true,
    });
  });

  it('its tasks that waited', async () => {
    expect(await server.client.tasks.waitForTask(editUid)).toMatchObject({ status: 'succeeded' });
    const { results } = await server.client.index('numbers').getDocuments({ fields: ['next'] });
    expect(results).toEqual([{ next: 2 }, { next: 3 }]);
  });

  it('its chat workspaces', async () => {
    expect(await server.client.chat('shop').get()).toEqual(workspace);
  });

  it('its aliases and its search rules', async () => {
    expect(await idsOf('cinema', server)).toEqual([9, 0, 1]);
  });

  it('the keys of the last answers, without the deleted ones', async () => {
    expect((await server.client.getKeys()).total).toBe(5);
    expect(await server.client.getKey(lasting.uid)).toEqual(lasting);
    const searched = (key: string) => codeOf(clientOf(server.url, key).index('none').search(''));
    expect(await searched(deleted.key)).toBe('invalid_api_key');
    expect(await searched(lasting.key)).toBe('index_not_found');
  });

  it('its audit log, which goes on', async () => {
    const { length } = auditBefore;
    expect((await auditLines()).slice(-length)).toEqual(auditBefore);
    await server.client.createIndex('more').waitTask();
    await until('the new line', async () => {
      const [last] = (await auditLines()) as { route?: string }[];
      return last?.route === '/indexes';
    });
  });

  it('its search analytics', async () => {
    const { results } = await json('/analytics/queries?limit=100');
    expect(results).toContainEqual(expect.objectContaining({ query: 'before the crash' }));
  });
});

describe('a dump and a snapshot', () => {
  const snapshot = join(backups, 'data.snapshot');
  let dump: string;
  let restored: readonly TestServer[];
  beforeAll(async () => {
    const { details } = await server.client.createDump().waitTask();
    dump = join(backups, `${details?.dumpUid}.dump`);
    await server.client.createSnapshot().waitTask();
    const flags = [
      ['--import-dump', dump],
      ['--import-snapshot', snapshot],
    ];
    const started = flags.map((each) => TestServer.start({ masterKey: MASTER_KEY, flags: each }));
    restored = await Promise.all(started);
  });

  it('keep settings and answers', async () => {
    const expected = await answersOf(server);
    for (const each of restored) {
      expect(await each.client.index('lamps').getSettings()).toMatchObject(RELEVANCE);
      expect(await answersOf(each)).toEqual(expected);
    }
  });

  it('keep aliases', async () => {
    for (const each of restored) {
      const { json: aliases } = await each.call('GET', '/aliases');
      expect(aliases).toMatchObject({ results: [{ name: 'cinema', indexUid: 'films' }] });
      expect(await idsOf('cinema', each)).toHaveLength(3);
    }
  });

  it('make sound folders, in which another import is refused', async () => {
    await Promise.all(restored.map((each) => each.stop()));
    for (const each of restored) expect(await checkIndex(each.dbPath)).toMatchObject({ code: 0 });
    const [{ port, dbPath: filled } = server] = restored;
    const again = new TestServer(port, filled, { flags: ['--import-dump', dump] });
    const { code, stderr } = await again.exited;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/already has data/)]);
  });
});

describe('after a stop and a start with another master key', () => {
  let sums: unknown;
  beforeAll(async () => {
    sums = await json('/indexes/films/fingerprint');
    await server.stop();
    server = await start(OTHER_MASTER_KEY, '--experimental-enable-metrics');
  });

  it('keys have other values', async () => {
    const search = clientOf(server.url, lasting.key).index('none').search('');
    expect(await codeOf(search)).toBe('invalid_api_key');
    expect(await server.client.getKey(lasting.uid)).toMatchObject({
      name: 'lasting',
      key: createHmac('sha256', OTHER_MASTER_KEY).update(lasting.uid).digest('hex'),
    });
  });

  it('a fingerprint is read from the sums of the files that have not changed', async () => {
    const works = async (): Promise<string | undefined> =>
      /gannet_query_work_seconds_count\{kind="fingerprint"\} (\d+)/.exec(
        (await server.call('GET', '/metrics')).text,
      )?.[1];
    expect(await json('/indexes/films/fingerprint')).toEqual(sums);
    expect(await works()).toBeUndefined();
    await server.client
      .index('films')
      .addDocuments([{ id: 1, title: 'another' }])
      .waitTask();
    await json('/indexes/films/fingerprint');
    expect(Number(await works())).toBeGreaterThan(0);
  });

  it('the folder is whole', async () => {
    await server.stop();
    expect(await checkIndex(dbPath)).toMatchObject({ code: 0 });
  });
});
