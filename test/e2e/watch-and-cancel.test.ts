/** Batches under way, against real processes: watched through streams, and canceled in time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { processorMs } from '../support/processes.ts';
import { checkIndex, cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const dbPath = freshFolder();
let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ dbPath });
  await server.client.updateExperimentalFeatures({ editDocumentsByFunction: true });
  await server.call(
    'PATCH',
    '/experimental-features',
    sendJson({ tasksStreamingRoute: true, getTaskDocumentsRoute: true }),
  );
});
afterAll(cleanUp);

interface Watched {
  readonly uid: number;
  readonly status?: string;
  readonly finishedAt: string | null;
  readonly progress?: { readonly steps: readonly { readonly currentStep: string }[] } | null;
}

/** Collects the records of a stream until `isLast`. */
async function watch(path: string, isLast: (record: Watched) => boolean) {
  const stop = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { signal: stop.signal });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('the answer has no body');
  let text = (await reader.read()).value ?? '';
  const records = async (): Promise<Watched[]> => {
    for (;;) {
      const events = text.split('\n\n').slice(0, -1);
      const found = events
        .filter((event) => event.startsWith('data: '))
        .map((event) => JSON.parse(event.slice(6)) as Watched);
      if (found.some(isLast)) {
        stop.abort();
        return found;
      }
      text += (await reader.read()).value ?? '';
    }
  };
  return { records: records() };
}

const DOCUMENTS = 20_000;
/** Processor time of the indexer: other than time, it is the same on a busy machine. */
const spentMs = () => processorMs(server.pidOf('indexer') ?? 0);
/** Milliseconds to add this many documents. */
let wholeMs = 0;

const words = (id: number) => `word${id % 97} word${id % 89} text of the document number ${id}`;
const documents = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, title: words(id), body: words(id * 7) }));

describe('streams', () => {
  test('tell of a task at each change of its status', async () => {
    const { records } = await watch('/tasks/stream', ({ status }) => status === 'succeeded');
    const { uid } = await server.client.index('watched').addDocuments(documents(10)).waitTask();
    expect((await records).map((task) => [task.uid, task.status])).toEqual([
      [uid, 'enqueued'],
      [uid, 'processing'],
      [uid, 'succeeded'],
    ]);
  });

  test('tell of a batch as it goes on, step by step', async () => {
    const { records } = await watch('/batches/stream', ({ finishedAt }) => finishedAt !== null);
    const beganMs = spentMs();
    await server.client.index('watched').addDocuments(documents(DOCUMENTS)).waitTask();
    wholeMs = spentMs() - beganMs;
    const steps = (await records).flatMap(({ progress }) => progress?.steps[0]?.currentStep ?? []);
    expect(steps).toContain('building segments');
    const { results } = await server.client.batches.getBatches({ limit: 1 });
    const trace = Object.keys(results[0]?.stats.progressTrace ?? {});
    expect(trace).toEqual(expect.arrayContaining(['parsing documents', 'building segments']));
  });
});

describe('a running batch is aborted soon after its cancelation', () => {
  /** Cancels the task when its batch has come to the step. @returns what the rest of it took */
  async function cancelDuring(step: string, taskUid: number): Promise<number> {
    await until(`the step ${step}`, async () => {
      const { results } = await server.client.batches.getBatches({ uids: [taskUid], limit: 1 });
      return results[0]?.progress?.steps[0]?.currentStep === step ? true : null;
    });
    const startMs = spentMs();
    await server.client.tasks.cancelTasks({ uids: [taskUid] }).waitTask({ interval: 10 });
    return spentMs() - startMs;
  }

  test('while it adds documents, of which none is left', async () => {
    const index = server.client.index('canceled');
    await index.addDocuments([{ id: 1 }], { primaryKey: 'id' }).waitTask();
    const { taskUid } = await index.addDocuments(documents(DOCUMENTS));
    expect(await cancelDuring('building segments', taskUid)).toBeLessThan(wholeMs / 2);
    expect(await server.client.tasks.getTask(taskUid)).toMatchObject({ status: 'canceled' });
    expect((await index.getStats()).numberOfDocuments).toBe(1);
  });

  test('while a function edits documents, of which none is changed', async () => {
    const index = server.client.index('watched');
    const { taskUid } = await index.updateDocumentsByFunction({
      // Half an hour's work.
      function: 'let n = 0; while n < 100000 { n += 1 } doc.title = n',
    });
    await cancelDuring('editing documents', taskUid);
    expect(await server.client.tasks.getTask(taskUid)).toMatchObject({ status: 'canceled' });
    expect(await index.getDocument(3)).toMatchObject({ title: words(3) });
  });
});

test('an aborted batch leaves nothing on disk', async () => {
  await server.stop();
  const { code, report } = await checkIndex(dbPath);
  expect(code, report).toBe(0);
  expect(report).not.toContain('interrupted');
});
