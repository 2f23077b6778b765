/** The official client, unchanged, against real processes: indexes, documents, search, instance. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { films } from '../support/films.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ isWarmedUp: true });
});
afterAll(async () => {
  const exit = await server.stop();
  await cleanUp();
  expect(exit.code).toBe(0);
});

const COUNT = 2000;
const sample = films(COUNT);

describe('films', () => {
  test.skipIf(sample === null)(
    'thousands of films are added and found as they are typed (needs ../shared)',
    async () => {
      const docs = sample ?? [];
      const { client } = server;
      await client.createIndex('films', { primaryKey: 'id' }).waitTask();
      const task = await client
        .index('films')
        .addDocuments([...docs])
        .waitTask();
      expect(task).toMatchObject({
        status: 'succeeded',
        type: 'documentAdditionOrUpdate',
        details: { receivedDocuments: COUNT, indexedDocuments: COUNT },
      });
      await client
        .index('films')
        .updateSearchableAttributes(['title', 'cast', 'genres'])
        .waitTask();
      const film = docs.find(
        ({ title }) => title.split(' ').length >= 4 && /^[A-Za-z ]+$/.test(title),
      );
      const title = film?.title ?? '';
      for (const length of [title.length, title.length - 2]) {
        const { hits } = await client.index('films').search(title.slice(0, length), { limit: 10 });
        expect(hits.map(({ id }) => id)).toContain(film?.id);
      }
      const got = await client.index('films').searchGet(`"${title}"`);
      expect(got.hits.map(({ id }) => id)).toContain(film?.id);
      expect((await client.index('films').getStats()).numberOfDocuments).toBe(COUNT);
    },
  );
});

describe('search', () => {
  beforeAll(async () => {
    const docs = [
      { id: 1, title: 'The quick brown fox', text: 'jumps over the lazy dog' },
      { id: 2, title: 'Brown bread', text: 'a quick recipe' },
      { id: 3, title: 'Foxes of the north', text: 'brown and white' },
      { id: 4, title: 'Something else', text: 'nothing of it' },
    ];
    await server.client.index('search').addDocuments(docs, { primaryKey: 'id' }).waitTask();
  });

  const ids = async (query: string, options = {}) =>
    (await server.client.index('search').search(query, options)).hits.map(({ id }) => id);

  test('words, typos, prefixes, phrases and negative words find what they name', async () => {
    expect(await ids('quick brown fox')).toEqual([1, 2]);
    expect(await ids('quikc brown', { matchingStrategy: 'all' })).toEqual([1, 2]);
    expect(await ids('nor')).toEqual([3]);
    expect(await ids('"lazy dog"')).toEqual([1]);
    expect((await ids('brown -bread')).sort()).toEqual([1, 3]);
    expect(await ids('zzzzzz')).toEqual([]);
    expect((await ids('')).length).toBe(4);
  });

  test('limits, pages, scores and attributes are as asked for', async () => {
    const index = server.client.index('search');
    expect((await index.search('brown', { limit: 1, offset: 1 })).hits).toHaveLength(1);
    expect(await index.search('brown', { page: 2, hitsPerPage: 2 })).toMatchObject({
      page: 2,
      hitsPerPage: 2,
      totalHits: 3,
      totalPages: 2,
    });
    const { hits } = await index.search('brown', {
      attributesToRetrieve: ['title'],
      showRankingScore: true,
      showRankingScoreDetails: true,
    });
    expect(Object.keys(hits[0] ?? {}).sort()).toEqual([
      '_rankingScore',
      '_rankingScoreDetails',
      'title',
    ]);
    expect(await ids('brown', { rankingScoreThreshold: 0.999 })).toEqual([]);
    expect(await ids('brown', { attributesToSearchOn: ['title'] })).not.toContain(3);
  });

  test('an abort signal ends a search in the client and harms nothing', async () => {
    const controller = new AbortController();
    const answer = server.client.index('search').search('brown', {}, { signal: controller.signal });
    controller.abort();
    await expect(answer).rejects.toThrow();
    expect((await ids('brown')).length).toBe(3);
  });
});

describe('documents', () => {
  test('documents are added, replaced, merged, read, listed and deleted', async () => {
    const index = server.client.index<{ id: number; a?: unknown; b?: unknown }>('documents');
    const all = async () => (await index.getDocuments({ limit: 100 })).results;
    await index
      .addDocuments(
        [
          { id: 1, a: 'one' },
          { id: 2, a: { deep: [1, 2] } },
        ],
        { primaryKey: 'id' },
      )
      .waitTask();
    await index.updateDocuments([{ id: 1, b: 'more' }]).waitTask();
    expect(await index.getDocument(1)).toEqual({ id: 1, a: 'one', b: 'more' });
    await index.addDocuments([{ id: 1, b: 'only' }]).waitTask();
    expect(await index.getDocument(1)).toEqual({ id: 1, b: 'only' });
    expect(await index.getDocument(2, { fields: ['a'] })).toEqual({ a: { deep: [1, 2] } });
    await Promise.all(
      index
        .addDocumentsInBatches(
          Array.from({ length: 25 }, (_, i) => ({ id: 10 + i, a: `row ${i}` })),
          10,
        )
        .map((task) => task.waitTask()),
    );
    expect(await index.getDocuments({ limit: 3, offset: 1, fields: ['id'] })).toMatchObject({
      total: 27,
      limit: 3,
    });
    expect(await index.deleteDocument(10).waitTask()).toMatchObject({
      details: { deletedDocuments: 1 },
    });
    const batch = await index.deleteDocuments([11, 12, 999]).waitTask();
    expect(batch).toMatchObject({ details: { providedIds: 3, deletedDocuments: 2 } });
    expect((await all()).length).toBe(24);
    expect(await index.deleteAllDocuments().waitTask()).toMatchObject({
      details: { deletedDocuments: 24 },
    });
    expect(await all()).toEqual([]);
  });

  test('NDJSON and CSV are taken as text', async () => {
    const index = server.client.index('texts');
    const ndjson = '{"id":1,"a":"x"}\n{"id":2,"a":"y"}\n';
    await index
      .addDocumentsFromString(ndjson, 'application/x-ndjson', { primaryKey: 'id' })
      .waitTask();
    await index
      .addDocumentsFromString('id;a:number\n3;4.5\n', 'text/csv', { csvDelimiter: ';' })
      .waitTask();
    await index.updateDocumentsFromString('id,b\n1,merged\n', 'text/csv').waitTask();
    const { results } = await index.getDocuments();
    expect(results).toHaveLength(3);
    expect(await index.getDocument(1)).toMatchObject({ a: 'x', b: 'merged' });
    expect(await index.getDocument(3)).toMatchObject({ a: 4.5 });
  });

  test('one bad document fails its task and leaves the others of the batch', async () => {
    const index = server.client.index('atomic');
    const tasks = [
      index.addDocuments([{ id: 1 }], { primaryKey: 'id' }),
      index.addDocuments([{ id: 2 }, { id: 'not valid' }, { id: 3 }]),
      index.addDocuments([{ id: 4 }]),
    ];
    const [first, bad, last] = await Promise.all(tasks.map((task) => task.waitTask()));
    expect([first?.status, bad?.status, last?.status]).toEqual([
      'succeeded',
      'failed',
      'succeeded',
    ]);
    expect(bad).toMatchObject({
      error: { code: 'invalid_document_id' },
      details: { indexedDocuments: 0 },
    });
    expect(
      (await index.getDocuments({ fields: ['id'] })).results.map(({ id }) => id).sort(),
    ).toEqual([1, 4]);
  });
});

describe('indexes', () => {
  test('an index is created, listed, given a key, renamed and deleted', async () => {
    const { client } = server;
    await client.createIndex('first').waitTask();
    expect(await client.getRawIndex('first')).toMatchObject({ uid: 'first', primaryKey: null });
    await client.updateIndex('first', { primaryKey: 'key' }).waitTask();
    expect(await client.index('first').fetchPrimaryKey()).toBe('key');
    await client.updateIndex('first', { uid: 'second' }).waitTask();
    const { results } = await client.getRawIndexes({ limit: 100 });
    expect(results.map(({ uid }) => uid)).toContain('second');
    expect(results.map(({ uid }) => uid)).not.toContain('first');
    expect(await client.createIndex('second').waitTask()).toMatchObject({
      status: 'failed',
      error: { code: 'index_already_exists' },
    });
    expect((await client.deleteIndex('second').waitTask()).status).toBe('succeeded');
    expect(await codeOf(client.getRawIndex('second'))).toBe('index_not_found');
  });

  test('two indexes are swapped, documents, settings and tasks', async () => {
    const { client } = server;
    await client
      .index('here')
      .addDocuments([{ id: 1, from: 'here' }], { primaryKey: 'id' })
      .waitTask();
    await client
      .index('there')
      .addDocuments([{ id: 1, from: 'there' }], { primaryKey: 'id' })
      .waitTask();
    await client.index('there').updateStopWords(['the']).waitTask();
    await client.swapIndexes([{ indexes: ['here', 'there'], rename: false }]).waitTask();
    expect(await client.index('here').getDocument(1)).toMatchObject({ from: 'there' });
    expect(await client.index('there').getDocument(1)).toMatchObject({ from: 'here' });
    expect(await client.index('here').getStopWords()).toEqual(['the']);
    const settings = await client.tasks.getTasks({
      types: ['settingsUpdate'],
      indexUids: ['here'],
    });
    expect(settings.total).toBe(1);
  });
});

describe('instance', () => {
  test('health, version and stats are served', async () => {
    const { client } = server;
    expect(await client.health()).toEqual({ status: 'available' });
    expect(await client.isHealthy()).toBe(true);
    expect((await client.getVersion()).pkgVersion).toMatch(/^\d+\.\d+\.\d+/);
    await client
      .index('counted')
      .addDocuments([{ id: 1, b: 1 }, { id: 2 }], { primaryKey: 'id' })
      .waitTask();
    const stats = await client.getStats();
    expect(stats.databaseSize).toBeGreaterThan(0);
    expect(stats.lastUpdate).not.toBeNull();
    expect(stats.indexes['counted']).toMatchObject({
      numberOfDocuments: 2,
      isIndexing: false,
      fieldDistribution: { id: 2, b: 1 },
    });
  });

  test('what is missing is named by a typed error', async () => {
    const { client } = server;
    const missing = client.index('missing');
    expect(await codeOf(client.getRawIndex('missing'))).toBe('index_not_found');
    expect(await codeOf(missing.search('x'))).toBe('index_not_found');
    expect(await codeOf(missing.getDocuments())).toBe('index_not_found');
    expect(await codeOf(missing.getDocument(1))).toBe('index_not_found');
    expect(await codeOf(missing.getSettings())).toBe('index_not_found');
    expect(await codeOf(missing.getStopWords())).toBe('index_not_found');
    expect(await codeOf(missing.getStats())).toBe('index_not_found');
    expect(await codeOf(client.tasks.getTask(1_000_000))).toBe('task_not_found');
    expect(await codeOf(client.batches.getBatch(1_000_000))).toBe('batch_not_found');
    expect(await codeOf(client.createIndex('not valid'))).toBe('invalid_index_uid');
    expect(await codeOf(client.tasks.cancelTasks({}))).toBe('missing_task_filters');
    expect(await codeOf(client.swapIndexes([{ indexes: ['a'] as never, rename: false }]))).toBe(
      'invalid_swap_indexes',
    );
    for (const task of [
      missing.delete(),
      missing.deleteDocument(1),
      missing.deleteAllDocuments(),
      missing.resetSettings(),
    ]) {
      expect((await task.waitTask()).error?.code).toBe('index_not_found');
    }
    await client.createIndex('empty', { primaryKey: 'id' }).waitTask();
    expect(await codeOf(client.index('empty').getDocument(1))).toBe('document_not_found');
    expect(await codeOf(client.index('empty').search('x', { limit: -1 }))).toBe(
      'invalid_search_limit',
    );
  });
});
