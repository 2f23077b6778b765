/**
 * Tasks from enqueueing to their records, on a real database in a temporary folder; index writers
 * are fakes.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { fileNamesOf, NO_CONTENT } from '../../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS, isAddedSetting } from '../../../src/model/settings.ts';
import type { TaskDraft } from '../../../src/model/task.ts';
import { DirectoryStore } from '../../../src/storage/object-store/directory-store.ts';
import { ObjectStoreError } from '../../../src/storage/object-store/object-store.ts';
import { StoredFiles } from '../../../src/storage/object-store/stored-files.ts';
import { PayloadStore } from '../../../src/storage/payload-store.ts';
import { FakeIndexes } from '../../support/fake-index-writer.ts';
import { Gate } from '../../support/gate.ts';
import {
  drafts,
  type Harness,
  type HarnessOptions,
  harnessOfTest,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';

const { add, remove, clear, settings, create, update, drop, swap, cancel, forget } = drafts;
const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Its tasks wait until `service.start()`. */
const startLater = harnessOfTest;

async function start(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await harnessOfTest(options);
  harness.service.start();
  return harness;
}

/** Enqueues all, then lets the scheduler see them at once. */
async function runTogether(harness: Harness, ...list: readonly TaskDraft[]) {
  const uids = await harness.send(...list);
  harness.service.start();
  return harness.wait(uids);
}

/** No merge is written until the gate is released. */
function holdMerges({ fakes }: Harness): Gate {
  const gate = new Gate();
  fakes.before = (work) => (work === 'merge' ? gate.pass() : undefined);
  return gate;
}

const codes = (tasks: readonly { error: { code: string } | null }[]) =>
  tasks.map(({ error }) => error?.code ?? null);
const details = (tasks: readonly { details?: object }[]) => tasks.map((task) => task.details);
const batches = (tasks: readonly { batchUid: number | null }[]) =>
  tasks.map(({ batchUid }) => batchUid);

describe('documents', () => {
  it('creates the index, infers the key and shows complete records', async () => {
    const { run, manifest, documents, service } = await start();
    const [task] = await run(
      add('films', [{ id: 1 }, { id: 2 }, { id: 1, a: 1 }], { customMetadata: 'mine' }),
    );
    expect(task).toMatchObject({
      uid: 0,
      batchUid: 0,
      indexUid: 'films',
      status: 'succeeded',
      type: 'documentAdditionOrUpdate',
      canceledBy: null,
      details: { receivedDocuments: 3, indexedDocuments: 2 },
      error: null,
      customMetadata: 'mine',
    });
    for (const date of [task!.enqueuedAt, task!.startedAt, task!.finishedAt])
      expect(date).toMatch(DATE);
    expect(task!.duration).toMatch(/^PT\d+(\.\d{3,6})?S$/);
    expect(manifest('films')).toMatchObject({ primaryKey: 'id', generation: 1 });
    expect(documents('films')).toEqual([{ id: 1, a: 1 }, { id: 2 }]);
    expect(await service.handlers.getBatch({ uid: 0 })).toMatchObject({
      uid: 0,
      progress: null,
      details: { receivedDocuments: 3, indexedDocuments: 2 },
      stats: {
        totalNbTasks: 1,
        status: { succeeded: 1 },
        types: { documentAdditionOrUpdate: 1 },
        indexUids: { films: 1 },
      },
      batchStrategy: 'took all enqueued tasks of the index',
    });
  });

  it('merges consecutive tasks of an index into one batch over tasks of others, in their order', async () => {
    const harness = await startLater();
    const tasks = await runTogether(
      harness,
      add('a', [{ id: 1, v: 1 }]),
      add('b', [{ id: 9 }]),
      add('a', [{ id: 1, v: 2 }, { id: 2 }]),
      remove('a', ['2', '2', '7']),
      add('a', [{ id: 1, w: 3 }], { method: 'update' }),
    );
    expect(batches(tasks)).toEqual([0, 1, 0, 0, 0]);
    expect(harness.documents('a')).toEqual([{ id: 1, v: 2, w: 3 }]);
    expect(tasks[3]?.details).toEqual({
      providedIds: 3,
      deletedDocuments: 2,
      originalFilter: null,
    });
    expect((await harness.service.handlers.getBatch({ uid: 0 }))?.details).toEqual({
      receivedDocuments: 4,
      indexedDocuments: 4,
      providedIds: 3,
      deletedDocuments: 2,
    });
  });

  it('counts really removed documents when a deletion is not batched with additions', async () => {
    const { run, documents } = await start();
    await run(add('a', [{ id: 1 }, { id: 2 }]));
    const [task] = await run(remove('a', ['1', '5']));
    expect(task?.details).toEqual({ providedIds: 2, deletedDocuments: 1, originalFilter: null });
    expect(documents('a')).toEqual([{ id: 2 }]);
  });

  it('lets a bad payload fail its own task and no other of the batch', async () => {
    const harness = await startLater();
    const tasks = await runTogether(
      harness,
      add('a', [{ id: 1 }]),
      add('a', [{ id: 2 }, { x: 1 }]),
      add('a', [{ id: 3 }]),
    );
    expect(batches(tasks)).toEqual([0, 0, 0]);
    expect(codes(tasks)).toEqual([null, 'missing_document_id', null]);
    expect(tasks[1]).toMatchObject({
      status: 'failed',
      details: { receivedDocuments: 2, indexedDocuments: 0 },
    });
    expect(Object.keys(tasks[1]?.error ?? {}).sort()).toEqual(['code', 'link', 'message', 'type']);
    expect(harness.documents('a')).toEqual([{ id: 1 }, { id: 3 }]);
  });

  it('fails deletions, clears and additions without the right on a missing index', async () => {
    const { run, manifest } = await start();
    const tasks = await run(
      remove('a', ['1']),
      clear('b'),
      add('c', [{ id: 1 }], { allowIndexCreation: false }),
    );
    expect(codes(tasks)).toEqual(['index_not_found', 'index_not_found', 'index_not_found']);
    expect(details(tasks)).toEqual([
      { providedIds: 1, deletedDocuments: 0, originalFilter: null },
      { deletedDocuments: 0 },
      { receivedDocuments: 1, indexedDocuments: 0 },
    ]);
    for (const uid of ['a', 'b', 'c']) expect(manifest(uid)).toBeNull();
  });

  it('clears an index; what the clear absorbed counts nothing', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }, { id: 2 }]));
    await harness.service.drain();
    const again = await startLater({ dataDir: harness.dataDir, fakes: harness.fakes });
    const tasks = await runTogether(
      again,
      add('a', [{ id: 3 }]),
      remove('a', ['1']),
      clear('a'),
      clear('a'),
    );
    expect(new Set(batches(tasks)).size).toBe(1);
    expect(details(tasks)).toEqual([
      { receivedDocuments: 1, indexedDocuments: null },
      { providedIds: 1, deletedDocuments: null, originalFilter: null },
      { deletedDocuments: 2 },
      { deletedDocuments: 0 },
    ]);
    expect(again.manifest('a')).toMatchObject({ segments: [], primaryKey: 'id' });
    await again.run(add('a', [{ id: 4 }]));
    expect(again.documents('a')).toEqual([{ id: 4 }]);
  });

  it('clears nothing where the settings that came with it fail for the machine', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]));
    await harness.service.drain();
    const { dataDir, fakes } = harness;
    const openWriter = () => {
      throw new ApiError('no_space_left_on_device', 'full');
    };
    const again = await startLater({ dataDir, fakes, openWriter });
    const own = { source: 'userProvided', dimensions: 2 };
    const tasks = await runTogether(
      again,
      settings('a', { embedders: { own } } as never),
      clear('a'),
    );
    expect(codes(tasks)).toEqual(['no_space_left_on_device', 'no_space_left_on_device']);
    expect(new Set(batches(tasks)).size).toBe(1);
    expect(again.documents('a')).toEqual([{ id: 1 }]);
  });

  it('reads spool files, removes them afterwards, and refuses names that are not there', async () => {
    const { run, documents, dataDir, service } = await start();
    const spool = path.join(dataDir, 'spool');
    const writer = new PayloadStore(spool).create();
    writer.write(Buffer.from('[{"id":1},'));
    writer.write(Buffer.from('{"id":2}]'));
    const payload = { kind: 'file', ...(await writer.finish()) };
    expect(payload.bytes).toBe(19);
    const [task] = await run(add('a', [], { payload, documentCount: 2 }));
    expect(task).toMatchObject({
      status: 'succeeded',
      details: { receivedDocuments: 2, indexedDocuments: 2 },
    });
    expect(documents('a')).toHaveLength(2);
    expect(fs.readdirSync(spool)).toEqual([]);
    await expect(service.handlers.enqueue(add('a', [], { payload }))).rejects.toThrow(
      'has no bytes',
    );
    const outside = { kind: 'file', name: '../VERSION', bytes: 2 };
    await expect(service.handlers.enqueue(add('a', [], { payload: outside }))).rejects.toThrow(
      'not a name of a payload',
    );
  });

  it('accepts no task while the object store does not take its payload', async () => {
    const dataDir = temporaryFolder();
    const spool = path.join(dataDir, 'spool');
    const objects = DirectoryStore.open(temporaryFolder(), Date.now());
    objects.put = () => Promise.reject(new ObjectStoreError('PUT payload: answered 500'));
    const folders = { indexes: path.join(dataDir, 'indexes'), spool };
    const log = { info: () => undefined, warn: () => undefined };
    const stored = new StoredFiles({ objects, ...folders, log });
    const { service, list } = await start({ dataDir, stored });
    const writer = new PayloadStore(spool).create();
    writer.write(Buffer.from('[{"id":1}]'));
    const payload = { kind: 'file', ...(await writer.finish()) };
    const sent = service.handlers.enqueue(add('a', [], { payload, documentCount: 1 }));
    await expect(sent).rejects.toMatchObject({
      code: 'writer_unavailable',
      message: expect.stringContaining('nothing was changed'),
    });
    expect((await list()).total).toBe(0);
  });

  it('fails a task whose spool file vanished, and goes on', async () => {
    const harness = await startLater();
    const spool = path.join(harness.dataDir, 'spool');
    const writer = new PayloadStore(spool).create();
    writer.write(Buffer.from('[{"id":1}]'));
    const payload = { kind: 'file', ...(await writer.finish()) };
    const sent = await harness.send(add('a', [], { payload, documentCount: 1 }));
    fs.rmSync(path.join(spool, payload.name));
    harness.service.start();
    expect(codes(await harness.wait(sent))).toEqual(['internal']);
    expect(codes(await harness.run(add('a', [{ id: 2 }])))).toEqual([null]);
  });

  it('turns an error of the writer into the error of the tasks and works on with a new writer', async () => {
    const { run, fakes, documents, logged } = await start();
    await run(add('a', [{ id: 1 }]));
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
    });
    fakes.before = () => {
      throw full;
    };
    expect(codes(await run(add('a', [{ id: 2 }])))).toEqual(['no_space_left_on_device']);
    fakes.before = () => {
      throw new TypeError('a bug');
    };
    const [task] = await run(add('a', [{ id: 2 }]));
    expect(task).toMatchObject({ status: 'failed', error: { code: 'internal', message: 'a bug' } });
    expect(logged).toContain('batch 2 failed');
    fakes.before = () => undefined;
    expect(codes(await run(add('a', [{ id: 3 }])))).toEqual([null]);
    expect(documents('a')).toEqual([{ id: 1 }, { id: 3 }]);
    expect(fakes.opened).toEqual(['a', 'a', 'a']);
  });
});

describe('settings', () => {
  it('creates the index, merges updates in order and fails only the one that contradicts itself', async () => {
    const harness = await startLater();
    const tasks = await runTogether(
      harness,
      settings('a', {
        stopWords: ['b', 'a', 'b'],
        typoTolerance: { minWordSizeForTypos: { oneTypo: 3 } },
      }),
      settings('a', { typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } } }),
      settings('a', { rankingRules: null, displayedAttributes: null, searchableAttributes: ['t'] }),
    );
    expect(batches(tasks)).toEqual([0, 0, 0]);
    expect(codes(tasks)).toEqual([null, 'invalid_settings_typo_tolerance', null]);
    expect(details(tasks)).toEqual([
      { stopWords: ['a', 'b'], typoTolerance: { minWordSizeForTypos: { oneTypo: 3 } } },
      { typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } } },
      { rankingRules: null, displayedAttributes: ['*'], searchableAttributes: ['t'] },
    ]);
    expect(harness.manifest('a')?.settings).toMatchObject({
      stopWords: ['a', 'b'],
      searchableAttributes: ['t'],
      typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 9 } },
    });
  });

  it('never creates an index by a reset, and resets every member at once', async () => {
    const { run, manifest } = await start();
    expect(codes(await run(settings('a', {}, true)))).toEqual(['index_not_found']);
    await run(
      settings('a', { dictionary: ['x'], facetSearch: false, pagination: { maxTotalHits: 5 } }),
    );
    const [task] = await run(settings('a', {}, true));
    expect(manifest('a')?.settings).toEqual(DEFAULT_SETTINGS);
    const told = Object.keys(DEFAULT_SETTINGS).filter((name) => !isAddedSetting(name));
    expect(Object.keys(task?.details ?? {}).sort()).toEqual(told.sort());
    expect(task?.details).toMatchObject({
      displayedAttributes: ['*'],
      searchableAttributes: ['*'],
      stopWords: null,
      chat: null,
    });
  });

  it('fails all tasks of the batch when the documents do not fit, and keeps what was stored', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]));
    expect(codes(await harness.run(settings('a', { dictionary: ['impossible'] })))).toEqual([
      'invalid_document_geo_field',
    ]);
    expect(harness.manifest('a')?.settings.dictionary).toEqual([]);
  });

  it('merges a clear with the settings around it', async () => {
    const first = await start();
    await first.run(add('a', [{ id: 1 }]));
    await first.service.drain();
    const harness = await startLater({ dataDir: first.dataDir, fakes: first.fakes });
    const tasks = await runTogether(
      harness,
      settings('a', { stopWords: ['x'] }),
      clear('a'),
      settings('a', { dictionary: ['impossible'] }),
    );
    expect(new Set(batches(tasks)).size).toBe(1);
    expect(codes(tasks)).toEqual([null, null, null]);
    expect(tasks[1]?.details).toEqual({ deletedDocuments: 1 });
    expect(harness.manifest('a')).toMatchObject({
      ...NO_CONTENT,
      settings: { stopWords: ['x'], dictionary: ['impossible'] },
    });
  });
});

describe('indexes', () => {
  it('creates, refuses to create twice, and deletes', async () => {
    const harness = await startLater();
    const { run, manifest, dataDir, fakes } = harness;
    const tasks = await runTogether(
      harness,
      create('a', 'key'),
      create('a'),
      add('a', [{ id: 1 }]),
      drop('a'),
      drop('a'),
    );
    expect(codes(tasks)).toEqual([null, 'index_already_exists', null, null, 'index_not_found']);
    expect(details(tasks)).toEqual([
      { primaryKey: 'key' },
      { primaryKey: null },
      { receivedDocuments: 1, indexedDocuments: 0 },
      { deletedDocuments: 0 },
      { deletedDocuments: 0 },
    ]);
    expect(manifest('a')).toBeNull();
    await run(add('b', [{ id: 1 }, { id: 2 }]));
    const [task] = await run(drop('b'));
    expect(task?.details).toEqual({ deletedDocuments: 2 });
    await expect.poll(() => fs.readdirSync(path.join(dataDir, 'indexes'))).toEqual([]);
    await run(create('b'));
    expect(manifest('b')?.id).toBe(2);
    await run(add('b', [{ id: 1 }]));
    expect(fakes.opened.filter((uid) => uid === 'b')).toHaveLength(2);
  });

  it('deletes an index that an absorbed addition would have created', async () => {
    const harness = await startLater();
    const tasks = await runTogether(harness, add('a', [{ id: 1 }]), clear('a'), drop('a'));
    expect(codes(tasks)).toEqual([null, null, null]);
    expect(details(tasks)).toEqual([
      { receivedDocuments: 1, indexedDocuments: 0 },
      { deletedDocuments: null },
      { deletedDocuments: 0 },
    ]);
    expect(harness.manifest('a')).toBeNull();
    expect(harness.events).toEqual([]);
  });

  it('changes the primary key only while the index is empty', async () => {
    const { run, manifest } = await start();
    await run(create('a'), update('a', 'x'), update('a', 'id'), add('a', [{ id: 1 }]));
    expect(manifest('a')?.primaryKey).toBe('id');
    const tasks = await run(
      update('a', 'other'),
      update('a', 'id'),
      update('a', null),
      update('b', 'id'),
    );
    expect(codes(tasks)).toEqual([
      'index_primary_key_already_exists',
      null,
      null,
      'index_not_found',
    ]);
    expect(details(tasks.slice(0, 2))).toEqual([{ primaryKey: 'other' }, { primaryKey: 'id' }]);
    expect(manifest('a')?.primaryKey).toBe('id');
  });

  it('renames, and exchanges the earlier tasks of the old and the new name', async () => {
    const { run, manifest, documents, list, events } = await start();
    await run(drop('new'));
    await run(create('old', 'id'), add('old', [{ id: 1 }]), create('taken'));
    events.length = 0;
    const [task] = await run(update('old', null, 'new'));
    expect(task).toMatchObject({
      indexUid: 'old',
      details: { newIndexUid: 'new', oldIndexUid: 'old' },
    });
    expect(manifest('old')).toBeNull();
    expect(documents('new')).toEqual([{ id: 1 }]);
    expect((await list({ indexUids: ['new'] })).uids).toEqual([2, 1]);
    expect((await list({ indexUids: ['old'] })).uids).toEqual([4, 0]);
    expect(
      events.map(({ name, data }) => [
        name,
        'uid' in data ? data.uid : JSON.parse('manifest' in data ? data.manifest : '{}').uid,
      ]),
    ).toEqual([
      ['indexPublished', 'new'],
      ['indexRemoved', 'old'],
    ]);
    const refused = [update('new', null, 'taken'), update('new', 'other', 'taken')];
    expect(codes(await run(...refused, update('new', null, 'new')))).toEqual([
      'index_already_exists',
      'index_already_exists',
      null,
    ]);
    expect(codes(await run(add('new', [{ id: 2 }])))).toEqual([null]);
    expect(documents('new')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('swaps contents, settings and tasks of indexes, all pairs or none', async () => {
    const { run, documents, manifest, list, wait } = await start();
    await run(
      add('a', [{ id: 1 }]),
      add('b', [{ id: 2 }]),
      settings('b', { stopWords: ['s'] }),
      create('c'),
    );
    const failing = await run(
      swap(['a', 'b'], ['c', 'missing']),
      swap(['c', 'a', true]),
      swap(['none', 'x', true]),
      swap(['no', 'ne']),
    );
    expect(codes(failing)).toEqual([
      'index_not_found',
      'index_already_exists',
      'index_not_found',
      'index_not_found',
    ]);
    expect(failing[0]).toMatchObject({
      indexUid: null,
      details: {
        swaps: [
          { indexes: ['a', 'b'], rename: false },
          { indexes: ['c', 'missing'], rename: false },
        ],
      },
    });
    expect(documents('a')).toEqual([{ id: 1 }]);
    const tasks = await run(swap(['a', 'b'], ['c', 'd', true]), swap());
    expect(codes(tasks)).toEqual([null, null]);
    expect(documents('a')).toEqual([{ id: 2 }]);
    expect(documents('b')).toEqual([{ id: 1 }]);
    expect(manifest('a')?.settings.stopWords).toEqual(['s']);
    expect(manifest('c')).toBeNull();
    expect((await list({ indexUids: ['a'] })).uids).toEqual([2, 1]);
    expect((await list({ indexUids: ['b'] })).uids).toEqual([0]);
    expect((await list({ indexUids: ['d'] })).uids).toEqual([3]);
    expect((await list({ types: ['indexSwap'] })).total).toBe(6);
    expect(codes(await run(add('a', [{ id: 3 }]), add('b', [{ id: 4 }])))).toEqual([null, null]);
    expect(documents('a')).toEqual([{ id: 2 }, { id: 3 }]);
    await run(update('d', null, 'e'), swap(['b', 'a']));
    expect(await wait([tasks[0]?.uid ?? -1])).toMatchObject([
      {
        details: {
          swaps: [
            { indexes: ['b', 'a'], rename: false },
            { indexes: ['c', 'e'], rename: true },
          ],
        },
      },
    ]);
  });

  it('keeps renamed tasks and swapped contents over a restart', async () => {
    const first = await start();
    await first.run(add('a', [{ id: 1 }]), add('b', [{ id: 2 }]), swap(['a', 'b']));
    await first.service.drain();
    const second = await start({ dataDir: first.dataDir, fakes: first.fakes });
    expect(second.documents('a')).toEqual([{ id: 2 }]);
    expect((await second.list({ indexUids: ['b'] })).uids).toEqual([0]);
    expect(await second.send(create('c'))).toEqual([3]);
  });
});

describe('events', () => {
  it('publishes a commit before any reply shows its task as finished', async () => {
    const harness = await start();
    const seen: boolean[] = [];
    await harness.send(add('a', [{ id: 1 }]));
    for (;;) {
      const record = await harness.service.handlers.getTask({ uid: 0 });
      if (record?.status === 'succeeded') seen.push(harness.events.length > 0);
      if (record?.status === 'succeeded') break;
    }
    expect(seen).toEqual([true]);
    expect(harness.events.filter(({ name }) => name !== 'indexChecked')).toEqual([
      { name: 'indexPublished', data: { manifest: JSON.stringify(harness.manifest('a')) } },
    ]);
  });

  it('grows the generation by one with each commit that touches the index', async () => {
    const { run, manifest } = await start();
    await run(add('a', [{ id: 1 }]));
    await run(add('a', [{ id: 2 }]));
    await run(settings('a', { stopWords: ['x'] }));
    await run(create('b'));
    expect(manifest('a')?.generation).toBe(3);
    const { createdAt, updatedAt } = manifest('a') ?? { createdAt: '', updatedAt: '' };
    expect(updatedAt > createdAt).toBe(true);
  });
});

describe('cancelation', () => {
  it('cancels what its query matched when it came in, with the dates of its own batch', async () => {
    const harness = await startLater();
    const uids = await harness.send(
      add('a', [{ id: 1 }]),
      add('b', [{ id: 2 }]),
      remove('a', ['1']),
      cancel({ indexUids: ['a'] }),
      add('a', [{ id: 9 }]),
    );
    harness.service.start();
    const tasks = await harness.wait(uids);
    expect(tasks.map(({ status }) => status)).toEqual([
      'canceled',
      'succeeded',
      'canceled',
      'succeeded',
      'succeeded',
    ]);
    expect(tasks[3]?.details).toEqual({ matchedTasks: 2, canceledTasks: 2, originalFilter: '?x' });
    expect(tasks[0]).toMatchObject({
      canceledBy: 3,
      error: null,
      batchUid: tasks[3]?.batchUid,
      startedAt: tasks[3]?.startedAt,
      finishedAt: tasks[3]?.finishedAt,
      details: { receivedDocuments: 1, indexedDocuments: 0 },
    });
    expect(tasks[2]?.details).toEqual({
      providedIds: 1,
      deletedDocuments: 0,
      originalFilter: null,
    });
    expect(harness.documents('a')).toEqual([{ id: 9 }]);
    expect((await harness.list({ canceledBy: [3] })).uids).toEqual([2, 0]);
    expect(
      await harness.service.handlers.getBatch({ uid: tasks[3]?.batchUid ?? -1 }),
    ).toMatchObject({
      stats: { totalNbTasks: 3, status: { canceled: 2, succeeded: 1 } },
    });
  });

  it('aborts the running batch: nothing of it is kept, its other tasks run again', async () => {
    const harness = await start();
    const gate = new Gate();
    harness.fakes.before = gate.pass;
    await harness.send(add('a', [{ id: 1 }]));
    await gate.entered;
    const queued = await harness.send(add('a', [{ id: 2 }]), cancel({ uids: [0] }));
    const current = await harness.service.handlers.getTask({ uid: 0 });
    expect(current).toMatchObject({
      status: 'processing',
      batchUid: 0,
      finishedAt: null,
      duration: null,
    });
    const batch = await harness.service.handlers.getBatch({ uid: 0 });
    expect(batch).toMatchObject({
      finishedAt: null,
      stats: { status: { processing: 1 } },
      progress: {
        percentage: 20,
        steps: [
          { currentStep: 'parsing documents', finished: 1, total: 5 },
          { currentStep: 'documents', finished: 0, total: 1 },
        ],
      },
    });
    expect(
      (await harness.service.handlers.listBatches({ limit: 20, from: null, reverse: false }))
        .results,
    ).toMatchObject([{ uid: batch?.uid, finishedAt: null }]);
    expect((await harness.service.handlers.instanceStats({})).indexing).toEqual(['a']);
    gate.release();
    const tasks = await harness.wait([0, ...queued]);
    expect(tasks.map(({ status }) => status)).toEqual(['canceled', 'succeeded', 'succeeded']);
    expect(tasks[2]?.details).toMatchObject({ matchedTasks: 1, canceledTasks: 1 });
    expect(harness.documents('a')).toEqual([{ id: 2 }]);
    const folder = path.join(harness.dataDir, 'indexes');
    const files = fs.readdirSync(folder).flatMap((id) => fs.readdirSync(path.join(folder, id)));
    expect(files).toHaveLength(1);
  });

  it('matches finished tasks without canceling them, and takes the newest cancelation first', async () => {
    const harness = await startLater();
    const uids = await harness.send(
      create('a'),
      cancel({ uids: [0] }),
      cancel({ types: ['indexCreation', 'taskCancelation'] }),
    );
    harness.service.start();
    const tasks = await harness.wait(uids);
    expect(tasks.map(({ status }) => status)).toEqual(['canceled', 'canceled', 'succeeded']);
    const [late] = await harness.run(cancel({ statuses: ['canceled', 'succeeded'] }));
    expect(late?.details).toEqual({ matchedTasks: 3, canceledTasks: 0, originalFilter: '?x' });
  });
});

describe('pages of tasks and batches', () => {
  it('end after 8 MiB of what is stored', async () => {
    const harness = await start();
    for (const letter of ['x', 'y', 'z'])
      await harness.run(settings('a', { dictionary: [letter.repeat(3_000_000)] }));
    expect(await harness.list()).toEqual({ uids: [2, 1], total: 3, from: 2, next: 0 });
    const query = { limit: 20, from: null, reverse: false };
    const batches = await harness.service.handlers.listBatches(query);
    expect({ ...batches, results: batches.results.map(({ uid }) => uid) }).toEqual({
      results: [2, 1],
      total: 3,
      limit: 20,
      from: 2,
      next: 0,
    });
    const rest = await harness.service.handlers.listBatches({ ...query, from: batches.next });
    expect(rest).toMatchObject({ results: [{ uid: 0 }], next: null });
  });
});

describe('deletion of tasks', () => {
  it('deletes finished tasks only, and batches that are left without tasks', async () => {
    const harness = await start();
    await harness.run(create('a'), create('b'));
    const [task] = await harness.run(forget({ uids: [0, 7] }));
    expect(task?.details).toEqual({ matchedTasks: 1, deletedTasks: 1, originalFilter: '?y' });
    expect(await harness.service.handlers.getTask({ uid: 0 })).toBeNull();
    expect(await harness.service.handlers.getBatch({ uid: 0 })).toBeNull();
    expect(await harness.list()).toEqual({ uids: [2, 1], total: 2, from: 2, next: null });
    expect(
      (
        await harness.service.handlers.listBatches({ limit: 20, from: null, reverse: false })
      ).results.map(({ uid }) => uid),
    ).toEqual([2, 1]);
  });

  it('takes all deletions together and counts each task once', async () => {
    const harness = await startLater();
    await harness.send(create('a'), create('b'));
    harness.service.start();
    await harness.wait([0, 1]);
    await harness.service.drain();
    const again = await startLater({ dataDir: harness.dataDir, fakes: harness.fakes });
    const tasks = await runTogether(
      again,
      add('x', [{ id: 1 }]),
      forget({ uids: [0, 2] }),
      forget({ uids: [0, 1] }),
    );
    expect(details(tasks.slice(1))).toEqual([
      { matchedTasks: 2, deletedTasks: 1, originalFilter: '?y' },
      { matchedTasks: 2, deletedTasks: 1, originalFilter: '?y' },
    ]);
    expect(tasks[1]?.batchUid).toBe(tasks[2]?.batchUid);
    expect(tasks[0]?.status).toBe('succeeded');
  });

  it('never gives a uid twice, even when all tasks before were deleted', async () => {
    const first = await start();
    await first.run(create('a'), create('b'));
    await first.run(forget({ statuses: ['succeeded'] }));
    await first.run(forget({ statuses: ['succeeded'] }));
    await first.service.drain();
    const second = await start({ dataDir: first.dataDir, fakes: first.fakes });
    const [task] = await second.run(create('c'));
    expect(task).toMatchObject({ uid: 4, batchUid: 4 });
  });

  it('deletes the oldest finished tasks by itself when too many are stored', async () => {
    const harness = await start({ limits: { storedTasksMax: 20, autoDeletionCount: 10 } });
    for (let i = 0; i < 30; i++) await harness.run(create(`index-${i}`));
    const { total } = await harness.list();
    expect(total).toBeLessThan(25);
    const deletions = await harness.service.handlers.listTasks({
      limit: 5,
      from: null,
      reverse: true,
      types: ['taskDeletion'],
    });
    expect(deletions.results[0]?.details).toEqual({
      matchedTasks: 10,
      deletedTasks: 10,
      originalFilter: '?statuses=succeeded,failed,canceled&limit=10&reverse=true',
    });
  });
});

describe('tasks that ended long ago', () => {
  const DAY_MICROS = 86_400_000_000;

  it('are deleted by a task, and younger ones are kept', async () => {
    let now = 1_700_000_000_000_000;
    const clock = () => now++;
    const limits = { taskAgeMaxMs: 2 * 86_400_000 };
    const first = await start({ clock, limits });
    await first.run(create('a'));
    now += 1.5 * DAY_MICROS;
    await first.run(create('b'));
    await first.service.drain();
    now += DAY_MICROS;
    const harness = await start({ clock, limits, dataDir: first.dataDir, fakes: first.fakes });
    await expect.poll(async () => (await harness.list()).uids).toEqual([2, 1]);
    const [deletion] = await harness.wait([2]);
    expect(deletion).toMatchObject({
      type: 'taskDeletion',
      details: {
        matchedTasks: 1,
        deletedTasks: 1,
        originalFilter: expect.stringMatching(/^\?beforeFinishedAt=2023-11-1\dT.*Z$/),
      },
    });
  });
});

describe('task lists', () => {
  it('pages by cursor in both directions, with totals that ignore the cursor', async () => {
    const harness = await start();
    await harness.run(...Array.from({ length: 7 }, (_, i) => create(`i${i % 2}-${i}`)));
    expect(await harness.list({ limit: 3 })).toEqual({
      uids: [6, 5, 4],
      total: 7,
      from: 6,
      next: 3,
    });
    expect(await harness.list({ limit: 3, from: 3 })).toEqual({
      uids: [3, 2, 1],
      total: 7,
      from: 3,
      next: 0,
    });
    expect(await harness.list({ limit: 3, from: 0 })).toEqual({
      uids: [0],
      total: 7,
      from: 0,
      next: null,
    });
    expect(await harness.list({ limit: 2, reverse: true, from: 5 })).toEqual({
      uids: [5, 6],
      total: 7,
      from: 5,
      next: null,
    });
    expect(await harness.list({ limit: 0 })).toEqual({ uids: [], total: 7, from: null, next: 6 });
    expect(await harness.list({ uids: [9, 2, 2, 4], limit: 1 })).toEqual({
      uids: [4],
      total: 2,
      from: 4,
      next: 2,
    });
    const page = await harness.service.handlers.listBatches({ limit: 2, from: 5, reverse: false });
    expect(page).toMatchObject({ total: 7, limit: 2, from: 5, next: 3 });
    expect(page.results.map(({ uid }) => uid)).toEqual([5, 4]);
  });

  it('combines filters', async () => {
    const harness = await start();
    for (const draft of [create('a'), create('a'), add('b', [{ id: 1 }]), swap()])
      await harness.run(draft);
    expect((await harness.list({ statuses: ['failed'] })).uids).toEqual([1]);
    expect(
      (await harness.list({ statuses: ['failed', 'succeeded'], indexUids: ['a', 'zz'] })).uids,
    ).toEqual([1, 0]);
    expect((await harness.list({ types: ['indexSwap'], indexUids: ['a'] })).total).toBe(0);
    expect((await harness.list({ batchUids: [2] })).uids).toEqual([2]);
    expect((await harness.list({ statuses: ['enqueued'] })).total).toBe(0);
    const tasks = await harness.service.handlers.listTasks({ limit: 9, from: null, reverse: true });
    const at = (i: number) => Date.parse(tasks.results[i]?.startedAt ?? '') * 1000;
    const soon = (Date.now() + 1000) * 1000;
    expect((await harness.list({ beforeStartedAt: at(0) })).total).toBe(0);
    expect((await harness.list({ afterEnqueuedAt: soon })).total).toBe(0);
    expect(
      (await harness.list({ afterFinishedAt: at(0) - 1_000_000, beforeFinishedAt: soon })).total,
    ).toBe(4);
    const batch = await harness.service.handlers.listBatches({
      limit: 9,
      from: null,
      reverse: false,
      statuses: ['failed'],
    });
    expect(batch.results.map(({ uid }) => uid)).toEqual([1]);
  });
});

describe('restart', () => {
  it('goes on with enqueued tasks, and with those of a batch that never ended', async () => {
    const first = await openHarness();
    first.service.start();
    first.fakes.before = () => new Promise(() => undefined);
    await first.send(add('a', [{ id: 1 }]), add('a', [{ id: 2 }]));
    const copy = `${first.dataDir}-copy`;
    fs.cpSync(first.dataDir, copy, { recursive: true });
    const fakes = new FakeIndexes();
    const second = await start({ dataDir: copy, fakes });
    const tasks = await second.wait([0, 1]);
    expect(tasks.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(second.documents('a')).toEqual([{ id: 1 }, { id: 2 }]);
    fs.rmSync(first.dataDir, { recursive: true, force: true });
  });

  it('removes segment files, folders and old payloads that nothing names', async () => {
    const first = await start();
    await first.run(add('a', [{ id: 1 }]));
    await first.service.drain();
    const indexes = path.join(first.dataDir, 'indexes');
    fs.writeFileSync(path.join(indexes, '0', 'left-over.seg'), 'x');
    fs.writeFileSync(path.join(indexes, '0', 'half.seg.tmp'), 'x');
    fs.mkdirSync(path.join(indexes, '77'));
    const spool = path.join(first.dataDir, 'spool');
    for (const [name, ageMs] of [
      ['1', 7_200_000],
      ['2', 1000],
    ] as const) {
      const file = path.join(spool, `0000000${name}-0000-0000-0000-000000000000.payload`);
      fs.writeFileSync(file, '[]');
      fs.utimesSync(file, new Date(), new Date(Date.now() - ageMs));
    }
    const second = await start({ dataDir: first.dataDir, fakes: first.fakes });
    expect(fs.readdirSync(indexes)).toEqual(['0']);
    expect(fs.readdirSync(path.join(indexes, '0'))).toEqual([
      `${second.manifest('a')?.segments[0]?.id}.seg`,
    ]);
    expect(fs.readdirSync(spool)).toEqual(['00000002-0000-0000-0000-000000000000.payload']);
    expect(second.logged).toContain('removed 3 files and folders of indexes that no index names');
    expect(second.documents('a')).toEqual([{ id: 1 }]);
  });

  it('finishes the running batch when drained, and leaves the rest enqueued', async () => {
    const first = await start({ limits: { batchTasksMax: 1 } });
    const gate = new Gate();
    first.fakes.before = gate.pass;
    await first.send(add('a', [{ id: 1 }]), add('a', [{ id: 2 }]));
    await gate.entered;
    const drained = first.service.drain();
    await expect(first.service.handlers.enqueue(create('z'))).rejects.toThrow(
      'The indexer is stopping',
    );
    gate.release();
    await drained;
    const second = await startLater({ dataDir: first.dataDir, fakes: first.fakes });
    expect((await second.list({ statuses: ['succeeded'] })).uids).toEqual([0]);
    expect((await second.list({ statuses: ['enqueued'] })).uids).toEqual([1]);
  });
});

describe('merges', () => {
  it('joins segments in the background and removes the old files', async () => {
    const harness = await start();
    harness.fakes.mergeFrom = 3;
    for (const id of [1, 2, 3]) await harness.run(add('a', [{ id }]));
    await expect.poll(() => harness.manifest('a')?.segments.length).toBe(1);
    expect(harness.documents('a')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    await expect
      .poll(() => fs.readdirSync(path.join(harness.dataDir, 'indexes', '0')).length)
      .toBe(1);
    expect(harness.manifest('a')?.generation).toBe(4);
  });

  it('does not hold up batches, and carries deaths over that came meanwhile', async () => {
    const harness = await start();
    harness.fakes.mergeFrom = 2;
    const gate = holdMerges(harness);
    await harness.run(add('a', [{ id: 1 }, { id: 2 }, { id: 4 }]));
    await harness.run(add('a', [{ id: 3 }]));
    await gate.entered;
    await harness.run(remove('a', ['2']), add('a', [{ id: 1, new: true }]));
    harness.fakes.mergeFrom = Number.POSITIVE_INFINITY;
    gate.release();
    await expect.poll(() => harness.manifest('a')?.segments.length).toBe(2);
    expect(harness.documents('a')).toEqual([{ id: 4 }, { id: 3 }, { id: 1, new: true }]);
    expect(harness.manifest('a')?.segments[0]).toMatchObject({ documentCount: 4, deadCount: 2 });
  });

  it('throws a merge away whose inputs are gone', async () => {
    const harness = await start();
    harness.fakes.mergeFrom = 2;
    const gate = holdMerges(harness);
    await harness.run(add('a', [{ id: 1 }]));
    await harness.run(add('a', [{ id: 2 }]));
    await gate.entered;
    await harness.run(clear('a'));
    gate.release();
    await harness.run(add('a', [{ id: 5 }]));
    expect(harness.documents('a')).toEqual([{ id: 5 }]);
    await expect
      .poll(() => fs.readdirSync(path.join(harness.dataDir, 'indexes', '0')).length)
      .toBe(1);
  });

  it('keeps the file of a merge whose writer was replaced while it ran', async () => {
    const harness = await start();
    harness.fakes.mergeFrom = 2;
    const gate = holdMerges(harness);
    await harness.run(add('a', [{ id: 1 }]));
    await harness.run(add('a', [{ id: 2 }]));
    await gate.entered;
    await harness.run(drafts.update('a', null, 'b'));
    gate.release();
    await expect.poll(() => harness.manifest('b')?.segments.length).toBe(1);
    const named = fileNamesOf(harness.manifest('b')?.segments ?? []);
    await expect
      .poll(() => fs.readdirSync(path.join(harness.dataDir, 'indexes', '0')))
      .toEqual(named);
  });

  it('reports a merge that fails and goes on', async () => {
    const harness = await start();
    harness.fakes.mergeFrom = 2;
    harness.fakes.before = (work) => {
      if (work === 'merge') throw new Error('no');
    };
    for (const id of [1, 2, 3]) await harness.run(add('a', [{ id }]));
    expect(harness.documents('a')).toHaveLength(3);
    expect(harness.logged).toContainEqual(
      expect.stringMatching(/^2 segments of index a are not merged now: /),
    );
  });
});

describe('old files', () => {
  it('stay until every front has switched to a newer generation', async () => {
    let acknowledged = 0;
    const harness = await start({ minimumAcknowledged: () => acknowledged });
    await harness.run(add('a', [{ id: 1 }]));
    const folder = path.join(harness.dataDir, 'indexes', '0');
    const [old] = fs.readdirSync(folder);
    await harness.run(add('a', [{ id: 1, b: 1 }]));
    await harness.run(create('b'));
    expect(fs.readdirSync(folder)).toContain(old);
    acknowledged = 2;
    harness.service.parts.housekeeping.sweepSoon();
    await expect.poll(() => fs.readdirSync(folder).includes(old ?? '')).toBe(false);
  });
});

describe('a burst of tasks', () => {
  it('of many indexes is waited for by none, since no task could join another', async () => {
    let now = 1_800_000_000_000_000;
    // Nothing that waits for time to pass would ever go on.
    const { fakes, send, wait } = await start({ clock: () => now++ });
    const manyOthers = (from: number) =>
      Array.from({ length: 20 }, (_, i) => add(`i${from + i}`, [{ id: i }]));
    const sent: number[] = [];
    let works = 0;
    // The first two batches run while more tasks come.
    fakes.before = async () => {
      if (works++ < 2) sent.push(...(await send(...manyOthers(works * 100))));
    };
    const first = await send(add('i0', [{ id: 0 }]));
    await wait(first);
    const records = await wait([...first, ...sent]);
    expect(records.length).toBeGreaterThan(20);
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  });
});

describe('a wall clock that is set', () => {
  it.each([
    ['back', -DAY_MS],
    ['forward', DAY_MS],
  ])('%s by a day leaves uids and times in order, and the queue goes on', async (_, ms) => {
    const startMs = 1_800_000_000_000 - performance.now();
    let setMs = 0;
    const harness = await start({ clock: systemClock(() => startMs + performance.now() + setMs) });
    const before = await harness.run(add('a', [{ id: 0 }]));
    setMs = ms;
    // More than a burst takes, so that batches wait for its end.
    const drafted = Array.from({ length: 20 }, (_one, id) => add('a', [{ id }]));
    const after = await harness.wait(await harness.send(...drafted));
    const records = [...before, ...after];
    expect(records.map(({ uid }) => uid)).toEqual(records.map((_one, i) => i));
    const times = records.map(({ enqueuedAt }) => enqueuedAt);
    expect(times).toEqual([...times].sort());
    for (const { status, enqueuedAt, startedAt, finishedAt, duration } of records) {
      expect(status).toBe('succeeded');
      const life = [enqueuedAt, String(startedAt), String(finishedAt)];
      expect(life).toEqual([...life].sort());
      expect(duration).toMatch(/^PT[\d.]+S$/);
    }
  });
});

describe('room', () => {
  it('refuses more waiting bytes than the limit', async () => {
    const harness = await startLater({ limits: { waitingBytesMax: 20 } });
    const answers = await Promise.allSettled(
      [1, 2, 3].map((id) => harness.service.handlers.enqueue(add('a', [{ id, text: 'x' }]))),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('removes the spool file of a task that it refuses', async () => {
    const { dataDir, service } = await startLater({ limits: { waitingEnqueuesMax: 0 } });
    const spool = path.join(dataDir, 'spool');
    const writer = new PayloadStore(spool).create();
    writer.write(Buffer.from('[{"id":1}]'));
    const payload = { kind: 'file', ...(await writer.finish()) };
    const sent = service.handlers.enqueue(add('a', [], { payload, documentCount: 1 }));
    await expect(sent).rejects.toMatchObject({ code: 'too_many_search_requests' });
    expect(fs.readdirSync(spool)).toEqual([]);
  });

  it('takes only what makes room once the task database is full', async () => {
    const harness = await startLater({ limits: { taskStoreBytesMax: 1 } });
    await runTogether(harness, create('a'));
    const answer = async () => {
      try {
        return await harness.service.handlers.enqueue(create('b'));
      } catch (error) {
        return (error as ApiError).code;
      }
    };
    await expect.poll(answer).toBe('no_space_left_on_device');
    const [task] = await harness.run(forget({ statuses: ['succeeded'] }));
    expect(task?.status).toBe('succeeded');
  });

  it('keeps API keys, tells fronts of changes before it answers, and finds them again', async () => {
    const { service, dataDir, events } = await startLater();
    const names = (of: Harness['service']) =>
      [...of.parts.keys.all()].map(({ name }) => name).sort();
    const defaults = names(service);
    expect(defaults).toHaveLength(4);
    const { createKey, updateKey, deleteKey } = service.handlers;
    const draft = { description: null, actions: ['search'], indexes: ['*'], expiresAt: null };
    const a = await createKey({ ...draft, uid: 'a', name: 'first' });
    await createKey({ ...draft, uid: 'b', name: 'second' });
    const changed = await updateKey({ uid: 'a', name: 'changed' });
    await deleteKey({ uid: 'b' });
    await expect(async () => deleteKey({ uid: 'b' })).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
    expect(a.createdAt).toMatch(DATE);
    expect(events.slice(-4)).toMatchObject([
      { name: 'keyPublished', data: { uid: 'a', name: 'first' } },
      { name: 'keyPublished', data: { uid: 'b' } },
      { name: 'keyPublished', data: changed },
      { name: 'keyRemoved', data: { uid: 'b' } },
    ]);
    await service.drain();
    const again = await startLater({ dataDir });
    expect(names(again.service)).toEqual([...defaults, 'changed'].sort());
    expect([...again.service.parts.keys.all()].find(({ uid }) => uid === 'a')).toEqual(changed);
  });

  it('gives sizes', async () => {
    const harness = await start();
    expect(await harness.service.handlers.instanceStats({})).toMatchObject({ indexing: [] });
    await harness.run(add('a', [{ id: 1 }]));
    const stats = await harness.service.handlers.instanceStats({});
    expect(stats.databaseSize).toBeGreaterThanOrEqual(stats.usedDatabaseSize);
    expect(stats.usedDatabaseSize).toBeGreaterThan(0);
  });
});
