/** Real processes: `TaskId` and `DryRun` of requests that enqueue a task. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

afterAll(cleanUp);

const JSON_TYPE = { 'content-type': 'application/json' };

const addDocument = async (
  server: SharedServer,
  id: number,
  headers: Record<string, string>,
  uid = 'films',
) => {
  const { status, json } = await server.call('POST', `/indexes/${uid}/documents?primaryKey=id`, {
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify([{ id }]),
  });
  return { status, answer: json as { taskUid?: number; code?: string } };
};

describe('with --experimental-replication-parameters', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ flags: ['--experimental-replication-parameters'] });
  });
  afterAll(() => server.stop());

  it('a task has the uid of its header, later ones have greater uids', async () => {
    const uids: (number | undefined)[] = [];
    for (const headers of [{ TaskId: '25' }, {}, { TaskId: '40' }, {}] as const)
      uids.push((await addDocument(server, uids.length, headers)).answer.taskUid);
    expect(uids).toEqual([25, 26, 40, 41]);
    await server.client.tasks.waitForTask(41);
    expect((await server.client.tasks.getTasks()).results.map(({ uid }) => uid)).toEqual([
      41, 40, 26, 25,
    ]);
    const settings = await server.call('PUT', '/indexes/films/settings/stop-words', {
      headers: { ...JSON_TYPE, TaskId: '60' },
      body: '["the"]',
    });
    expect(settings.json).toMatchObject({ taskUid: 60, type: 'settingsUpdate' });
    await server.client.tasks.waitForTask(60);
  });

  it('refuses a uid that may be taken, and values that are no uid or flag', async () => {
    for (const headers of [
      { TaskId: '5' },
      { TaskId: '-1' },
      { TaskId: 'x' },
      { TaskId: '4294967296' },
      { DryRun: 'yes' },
    ] as Record<string, string>[])
      expect(await addDocument(server, 1, headers), JSON.stringify(headers)).toMatchObject({
        status: 400,
        answer: { code: 'bad_request' },
      });
  });

  it('a dry run answers as the write would, checks it, and stores nothing', async () => {
    const before = await server.client.tasks.getTasks();
    const dry = await addDocument(server, 99, { DryRun: 'true' });
    expect(dry).toMatchObject({
      status: 202,
      answer: { taskUid: 61, indexUid: 'films', status: 'enqueued' },
    });
    expect(await addDocument(server, 99, { DryRun: 'true', TaskId: '3' })).toMatchObject({
      status: 400,
    });
    const large = JSON.stringify([{ id: 7, text: 'x'.repeat(200_000) }]);
    const spooled = await server.call('POST', '/indexes/films/documents', {
      headers: { ...JSON_TYPE, DryRun: 'true' },
      body: large,
    });
    expect(spooled.status).toBe(202);
    const broken = await server.call('POST', '/indexes/films/documents', {
      headers: { ...JSON_TYPE, DryRun: 'true' },
      body: '[{',
    });
    expect(broken.json).toMatchObject({ code: 'malformed_payload' });
    expect(await server.client.tasks.getTasks()).toEqual(before);
    const real = await addDocument(server, 99, { DryRun: 'false' });
    expect(real.answer.taskUid).toBe(61);
    await server.client.tasks.waitForTask(61);
    expect((await server.client.index('films').getDocuments()).total).toBe(5);
  });
});

it('the headers have no effect without the option', async () => {
  const server = await sharedServer();
  const films = freshUid('films');
  const given = { TaskId: '4000000000', DryRun: 'true' };
  const { status, answer } = await addDocument(server, 1, given, films);
  expect([status, answer.taskUid]).toEqual([202, expect.any(Number)]);
  expect(answer.taskUid).not.toBe(4_000_000_000);
  await server.client.tasks.waitForTask(answer.taskUid as number);
  expect((await server.client.index(films).getDocuments()).total).toBe(1);
});
