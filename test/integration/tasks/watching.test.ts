/** Change feeds of tasks and batches, and payloads that can be read until they are used. */
import { describe, expect, it } from 'vitest';
import type { BatchRecord, TaskRecord } from '../../../src/model/task.ts';
import { Gate } from '../../support/gate.ts';
import { drafts, type Harness, harnessOfTest } from '../../support/indexer-harness.ts';
import { until } from '../../support/until.ts';

const { add, swap, create, cancel } = drafts;

/** All changes that a watcher receives until `isLast`. */
async function watch<T>(
  changesAfter: (place: number | null) => Promise<{ records: readonly T[]; next: number }>,
  isLast: (record: T) => boolean,
): Promise<{ received: Promise<T[]>; sofar: readonly T[] }> {
  let { next } = await changesAfter(null);
  const records: T[] = [];
  const received = async (): Promise<T[]> => {
    while (!records.some(isLast)) {
      const changes = await changesAfter(next);
      records.push(...changes.records);
      next = changes.next;
    }
    return records;
  };
  return { received: received(), sofar: records };
}

const tasksOf =
  ({ service }: Harness, indexScope?: readonly string[]) =>
  async (after: number | null) =>
    service.handlers.watchTasks({ after, ...(indexScope && { indexScope }) });
const batchesOf =
  ({ service }: Harness, indexScope?: readonly string[]) =>
  async (after: number | null) =>
    service.handlers.watchBatches({ after, ...(indexScope && { indexScope }) });
const statuses = (tasks: readonly TaskRecord[]) =>
  tasks.map(({ uid, status }) => `${uid} ${status}`);

describe('a watcher of tasks', () => {
  it('receives each change of status once, with the record at that time', async () => {
    const harness = await harnessOfTest();
    const { received } = await watch(
      tasksOf(harness),
      ({ uid, status }) => uid === 1 && status === 'failed',
    );
    await harness.send(add('a', [{ id: 1 }]), add('a', [{ no: 'id' }]));
    harness.service.start();
    const tasks = await received;
    expect(statuses(tasks)).toEqual([
      '0 enqueued',
      '1 enqueued',
      '0 processing',
      '1 processing',
      '0 succeeded',
      '1 failed',
    ]);
    expect(tasks[0]).toMatchObject({ batchUid: null, details: { indexedDocuments: null } });
    expect(tasks[4]).toMatchObject({ batchUid: 0, details: { indexedDocuments: 1 } });
    expect(tasks[5]?.error?.code).toBe('missing_document_id');
  });

  it('receives the tasks of an aborted batch as enqueued', async () => {
    const harness = await harnessOfTest();
    const { received } = await watch(
      tasksOf(harness),
      ({ uid, status }) => uid === 1 && status === 'succeeded',
    );
    const gate = new Gate();
    harness.fakes.before = gate.pass;
    const [first] = await harness.send(add('a', [{ id: 1 }]));
    harness.service.start();
    await gate.entered;
    const uids = await harness.send(cancel({ uids: [first!] }));
    gate.release();
    await harness.wait(uids);
    expect(statuses(await received)).toEqual([
      '0 enqueued',
      '0 processing',
      '1 enqueued',
      '0 enqueued',
      '1 processing',
      '0 canceled',
      '1 succeeded',
    ]);
  });

  it('with a scope receives tasks of its indexes only, and none without an index', async () => {
    const harness = await harnessOfTest();
    const { received } = await watch(
      tasksOf(harness, ['b*']),
      ({ status }) => status === 'succeeded',
    );
    await harness.send(create('a'), swap(), create('bee'));
    harness.service.start();
    expect(statuses(await received)).toEqual(['2 enqueued', '2 processing', '2 succeeded']);
  });
});

describe('a watcher of batches', () => {
  it('receives their start, progress and end', async () => {
    const harness = await harnessOfTest();
    const isLast = ({ finishedAt }: BatchRecord) => finishedAt !== null;
    const { received, sofar } = await watch(batchesOf(harness), isLast);
    harness.fakes.before = async () => {
      await until('progress is received of', () => sofar.length >= 2);
    };
    await harness.send(add('a', [{ id: 1 }]));
    harness.service.start();
    const batches = await received;
    expect(batches.length).toBeGreaterThanOrEqual(3);
    expect(batches[0]).toMatchObject({ uid: 0, finishedAt: null, progress: { percentage: 0 } });
    expect(batches[1]?.progress?.steps).toEqual([
      { currentStep: 'parsing documents', finished: 1, total: 5 },
      { currentStep: 'documents', finished: 0, total: 1 },
    ]);
    expect(batches.at(-1)).toMatchObject({ progress: null, stats: { status: { succeeded: 1 } } });
    expect(Object.keys(batches.at(-1)?.stats.progressTrace ?? {})).toContain('parsing documents');
  });

  it('with a scope receives no batch with other tasks', async () => {
    const harness = await harnessOfTest();
    const isLast = ({ finishedAt }: BatchRecord) => finishedAt !== null;
    const { received } = await watch(batchesOf(harness, ['b']), isLast);
    await harness.send(create('a'), swap(), create('b'));
    harness.service.start();
    const batches = await received;
    expect(new Set(batches.map(({ uid }) => uid))).toEqual(new Set([2]));
  });
});

describe('the documents of a task', () => {
  it('can be read until it has been processed', async () => {
    const harness = await harnessOfTest();
    const { getPayload } = harness.service.handlers;
    const uids = await harness.send(add('a', [{ id: 1 }]), create('b'));
    const payload = { kind: 'inline', base64: Buffer.from('[{"id":1}]').toString('base64') };
    expect(await getPayload({ uid: 0 })).toEqual({ payload, format: 'json' });
    expect(await getPayload({ uid: 1 })).toBeNull();
    expect(await getPayload({ uid: 9 })).toBeNull();
    harness.service.start();
    await harness.wait(uids);
    expect(await getPayload({ uid: 0 })).toBeNull();
  });
});

describe('a wait for the end of a task', () => {
  it('ends with the task, also of one that comes later, and after its time', async () => {
    const { service } = await harnessOfTest();
    const { waitForTask } = service.handlers;
    expect(await waitForTask({ uid: 1, waitMs: 1 })).toBe(false);
    const ends = [0, 1, 1].map((uid) => waitForTask({ uid, waitMs: 60_000 }));
    await service.handlers.enqueue(create('a'));
    await service.handlers.enqueue(create('b'));
    service.start();
    expect(await Promise.all(ends)).toEqual([true, true, true]);
    expect(await waitForTask({ uid: 0, waitMs: 0 })).toBe(true);
  });
});
