/**
 * Tasks and batches through the official client: lists, filters, pages, waiting, cancelation,
 * deletion.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanUp, TestServer } from '../support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(cleanUp);

test('tasks are listed newest first, filtered and paged', async () => {
  const { client } = server;
  await client.createIndex('one').waitTask();
  await client
    .index('one')
    .addDocuments([{ id: 1 }], { primaryKey: 'id' })
    .waitTask();
  await client.index('two').updateStopWords(['x']).waitTask();
  await client.createIndex('one').waitTask();
  const all = await client.tasks.getTasks();
  expect(all.results.map(({ uid }) => uid)).toEqual([3, 2, 1, 0]);
  expect(all).toMatchObject({ total: 4, limit: 20, from: 3, next: null });
  const first = await client.tasks.getTasks({ limit: 3 });
  expect(first.next).toBe(0);
  expect((await client.tasks.getTasks({ from: 0 })).results.map(({ uid }) => uid)).toEqual([0]);
  expect((await client.tasks.getTasks({ reverse: true, limit: 1 })).results[0]?.uid).toBe(0);
  expect(
    (await client.tasks.getTasks({ statuses: ['failed'] })).results.map(({ uid }) => uid),
  ).toEqual([3]);
  expect(
    (await client.tasks.getTasks({ types: ['indexCreation'], indexUids: ['one'] })).total,
  ).toBe(2);
  expect((await client.tasks.getTasks({ uids: [1, 2], statuses: ['succeeded'] })).total).toBe(2);
  expect(
    (await client.tasks.getTasks({ afterEnqueuedAt: new Date(Date.now() + 60_000).toISOString() }))
      .total,
  ).toBe(0);
  expect(await client.tasks.getTask(3)).toMatchObject({
    status: 'failed',
    indexUid: 'one',
    error: { code: 'index_already_exists', type: 'invalid_request' },
  });
});

test('writes to one index that come together share a batch', async () => {
  const index = server.client.index('batched');
  await index.updateStopWords(['x']).waitTask();
  const tasks = await Promise.all(
    Array.from({ length: 30 }, (_, id) => index.addDocuments([{ id }], { primaryKey: 'id' })).map(
      (task) => task.waitTask(),
    ),
  );
  const batchUids = [...new Set(tasks.map(({ batchUid }) => batchUid))];
  expect(batchUids.length).toBeLessThan(30);
  const batches = await server.client.batches.getBatches({
    batchUids: batchUids as number[],
    limit: 100,
  });
  expect(batches.results.reduce((sum, { stats }) => sum + stats.totalNbTasks, 0)).toBe(30);
  const batch = await server.client.batches.getBatch(batchUids[0] ?? 0);
  expect(batch).toMatchObject({
    progress: null,
    stats: { indexUids: { batched: batch.stats.totalNbTasks } },
  });
  expect((await index.getStats()).numberOfDocuments).toBe(30);
});

test('enqueued tasks are canceled, finished ones are not', async () => {
  const { client } = server;
  const docs = Array.from({ length: 20_000 }, (_, id) => ({ id, text: `word${id} and ${id * 7}` }));
  const busy = await client.index('busy').addDocuments(docs, { primaryKey: 'id' });
  const waiting = await client.index('waiting').addDocuments([{ id: 1 }], { primaryKey: 'id' });
  const cancelation = await client.tasks.cancelTasks({ uids: [0, waiting.taskUid] }).waitTask();
  expect(cancelation).toMatchObject({
    type: 'taskCancelation',
    status: 'succeeded',
    details: { matchedTasks: 2, canceledTasks: 1, originalFilter: `?uids=0%2C${waiting.taskUid}` },
  });
  expect(await client.tasks.getTask(waiting.taskUid)).toMatchObject({
    status: 'canceled',
    canceledBy: cancelation.uid,
  });
  expect((await client.tasks.getTask(0)).status).toBe('succeeded');
  expect((await client.tasks.waitForTask(busy)).status).toBe('succeeded');
});

test('a task that is being processed is canceled and leaves nothing', async () => {
  const { client } = server;
  const docs = Array.from({ length: 30_000 }, (_, id) => ({ id, text: `word${id} and ${id * 7}` }));
  const task = await client.index('stopped').addDocuments(docs, { primaryKey: 'id' });
  const cancelation = await client.tasks.cancelTasks({ indexUids: ['stopped'] }).waitTask();
  expect(cancelation.details).toMatchObject({ canceledTasks: 1 });
  expect(await client.tasks.waitForTask(task)).toMatchObject({
    status: 'canceled',
    details: { indexedDocuments: 0 },
  });
  const { results } = await client.getRawIndexes({ limit: 100 });
  expect(results.map(({ uid }) => uid)).not.toContain('stopped');
});

test('finished tasks are deleted', async () => {
  const { client } = server;
  const before = await client.tasks.getTasks({ statuses: ['failed'] });
  expect(before.total).toBeGreaterThan(0);
  const deletion = await client.tasks.deleteTasks({ statuses: ['failed'] }).waitTask();
  expect(deletion).toMatchObject({
    type: 'taskDeletion',
    details: {
      matchedTasks: before.total,
      deletedTasks: before.total,
      originalFilter: '?statuses=failed',
    },
  });
  expect((await client.tasks.getTasks({ statuses: ['failed'] })).total).toBe(0);
});

test('an index is compacted by a task, and answers as before', async () => {
  const index = server.client.index('compacted');
  for (let round = 0; round < 3; round++) {
    const documents = Array.from({ length: 50 }, (_, id) => ({ id, title: `film ${id} ${round}` }));
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
