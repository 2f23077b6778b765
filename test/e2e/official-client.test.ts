/** The official client, unchanged, against real processes: indexes, documents, search, instance. */
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { films } from '../support/films.ts';
import { emptiedServer, type SharedServer } from '../support/shared-server.ts';

let server: SharedServer;

beforeAll(async () => {
  server = await emptiedServer();
});

const COUNT = 500;
const sample = films(COUNT);

describe('films', () => {
  test.skipIf(sample === null)(
    'films are added and found as they are typed (needs ../shared)',
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

  test('an index is compacted by a task, and answers as before', async () => {
    const index = server.client.index('compacted');
    for (let round = 0; round < 3; round++) {
      const documents = Array.from({ length: 50 }, (_, id) => ({
        id,
        title: `film ${id} ${round}`,
      }));
      await index.addDocuments(documents, { primaryKey: 'id' }).waitTask();
    }
    await index.deleteDocuments([1, 2, 3]).waitTask();
    const search = () => index.search('film', { limit: 5 });
    const before = await search();
    const answer = await server.call('POST', '/indexes/compacted/compact');
    expect(answer).toMatchObject({ status: 202, json: { type: 'indexCompaction' } });
    const { taskUid } = answer.json as { taskUid: number };
    const task = await server.client.tasks.waitForTask(taskUid);
    expect(task).toMatchObject({ status: 'succeeded', indexUid: 'compacted' });
    expect(Object.keys(task.details ?? {})).toEqual(['preCompactionSize', 'postCompactionSize']);
    expect((await search()).hits).toEqual(before.hits);
    expect((await index.getStats()).numberOfDocuments).toBe(47);
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
});
