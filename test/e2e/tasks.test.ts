/**
 * Tasks and batches through the official client: lists, filters, pages, waiting, cancelation,
 * deletion.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Gate } from '../support/gate.ts';
import { makeProvider } from '../support/made-provider.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ flags: ['--experimental-allowed-ip-networks', '127.0.0.1'] });
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
  const gate = new Gate();
  const provider = await makeProvider(async () => {
    await gate.pass();
    return undefined;
  });
  onTestFinished(provider.close);
  const index = client.index('busy');
  const embedder = {
    source: 'rest' as const,
    url: provider.url,
    request: { input: ['{{text}}', '{{..}}'] },
    response: { data: [{ embedding: '{{embedding}}' }, '{{..}}'] },
    documentTemplate: '{{doc.text}}',
    dimensions: 2,
  };
  expect((await index.updateEmbedders({ e: embedder }).waitTask()).error).toBeNull();
  const busy = await index.addDocuments([{ id: 1, text: 'one' }], { primaryKey: 'id' });
  await gate.entered;
  const waiting = await index.addDocuments([{ id: 2, text: 'two' }]);
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
  gate.release();
  expect((await client.tasks.waitForTask(busy)).status).toBe('succeeded');
  expect((await index.getDocuments()).results.map(({ id }) => id)).toEqual([1]);
});

test('a task that is being processed is canceled and leaves nothing', async () => {
  const { client } = server;
  let count = 5000;
  const stopped = await until('a task that has not ended when it is canceled', async () => {
    count *= 2;
    const uid = `stopped-${count}`;
    const docs = Array.from({ length: count }, (_, id) => ({
      id,
      text: `word${id} and ${id * 7}`,
    }));
    const { taskUid } = await client.index(uid).addDocuments(docs, { primaryKey: 'id' });
    await until('the task begins', async () => {
      return (await client.tasks.getTask(taskUid)).status !== 'enqueued';
    });
    const { details } = await client.tasks.cancelTasks({ uids: [taskUid] }).waitTask();
    return details?.canceledTasks === 1 ? { uid, taskUid } : null;
  });
  expect(await client.tasks.waitForTask(stopped.taskUid)).toMatchObject({
    status: 'canceled',
    details: { indexedDocuments: 0 },
  });
  const { results } = await client.getRawIndexes({ limit: 100 });
  expect(results.map(({ uid }) => uid)).not.toContain(stopped.uid);
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
