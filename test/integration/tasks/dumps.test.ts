/** Dumps that this server makes: what is in them, of which moment, and what goes on meanwhile. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { inProcessPool } from '../../../load-tests/bench/in-process-pool.ts';
import { OutgoingError } from '../../../src/http-client/outgoing-error.ts';
import type { SendRequest } from '../../../src/http-client/outgoing-http.ts';
import type { IndexingTaskName } from '../../../src/indexing/indexing-tasks.ts';
import { liveDocumentCount } from '../../../src/model/index-manifest.ts';
import type { TaskDraft, TaskRecord } from '../../../src/model/task.ts';
import { Gate } from '../../support/gate.ts';
import { filesOf, importedFolder } from '../../support/imported-folder.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import {
  drafts,
  type Harness,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { MemoryDisk, MemoryStore } from '../../support/memory-store.ts';
import { until } from '../../support/until.ts';

const DUMP: TaskDraft = { type: 'dumpCreation' };

const open: Harness[] = [];
afterEach(async () => {
  for (const { service } of open.splice(0)) await service.drain();
});

async function start(
  options: {
    dataDir?: string;
    dumpFolder?: string;
    store?: MemoryStore;
    send?: SendRequest;
  } = {},
  afterTask?: (name: IndexingTaskName) => Promise<void> | void,
) {
  const dumpFolder = options.dumpFolder ?? path.join(temporaryFolder(), 'dumps');
  const { run } = inProcessPool(1, afterTask);
  const harness = await openHarness({
    ...options,
    openWriter: inProcessWriters(),
    readOut: (task) => run('readOut', task),
    backupPlaces: {
      dumpFolder,
      snapshotFolder: dumpFolder,
      snapshotName: 'data.ms',
      snapshotsKept: 1,
    },
  });
  open.push(harness);
  return { ...harness, dumpFolder };
}

type Started = Awaited<ReturnType<typeof start>>;

async function dumped({ run, dumpFolder }: Started) {
  const [task] = await run(DUMP);
  expect(task).toMatchObject({ status: 'succeeded', error: null });
  const dumpUid = uidOf(task);
  const file = path.join(dumpFolder, `${dumpUid}.dump`);
  return { task, dumpUid, file, files: await filesOf(file) };
}

const uidOf = (task: TaskRecord | undefined): string => String(task?.details?.['dumpUid']);

const linesOf = (files: ReadonlyMap<string, string>, name: string): Record<string, unknown>[] =>
  (files.get(name) ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const COLOURS = { own: { source: 'userProvided', dimensions: 2 } };

/** Two indexes with everything that a dump can tell of them. */
async function filled(harness: Started): Promise<void> {
  harness.service.start();
  await harness.run(
    drafts.settings('films', { stopWords: ['the'], filterableAttributes: ['year'] }),
    drafts.add('films', [
      { id: 1, title: 'Heat', year: 1995 },
      { id: 2, title: 'Carol' },
    ]),
    drafts.add('films', [{ id: 3, price: 1.0, big: 12345678901234567890n.toString() }]),
    drafts.remove('films', ['2']),
    drafts.settings('colours', { embedders: COLOURS }),
    drafts.add('colours', [
      { id: 'red', _vectors: { own: [1, 0.5] } },
      {
        id: 'green',
        _vectors: {
          own: [
            [0.25, 1],
            [0, 1],
          ],
          other: [7],
        },
      },
      { id: 'none', _vectors: { own: null } },
    ]),
    drafts.create('empty', 'key'),
    drafts.remove('missing', ['1']),
  );
}

describe('a dump', () => {
  it('has search rules as documents of an index that a new server does not show', async () => {
    const harness = await start();
    const pin = { selector: { id: '1' }, action: { type: 'pin', position: 2 } } as const;
    const actions = [pin, { selector: { id: '2' }, action: { type: 'hide' } }] as const;
    harness.service.start();
    await harness.run({
      type: 'dsrUpdate',
      indexUid: '.meili_dsr',
      uid: 'first',
      update: {
        precedence: 4,
        conditions: { filter: { values: { year: [1, 2], title: 'a' } } },
        actions: [...actions],
      },
    });
    const { file, files } = await dumped(harness);
    const [rule] = [...harness.service.parts.searchRules.all()];
    const filter = { ...rule?.conditions.filter, nbConstraints: 3 };
    expect(linesOf(files, 'indexes/.meili_dsr/documents.jsonl')).toEqual([
      { ...rule, conditions: { filter }, actions: [pin], allActions: actions },
    ]);
    const [task] = linesOf(files, 'tasks/queue.jsonl');
    expect(JSON.stringify(task).replace(/"allActions":\[.*?\}\}\]/g, '')).not.toContain('hide');
    expect(JSON.parse(files.get('indexes/.meili_dsr/metadata.json') ?? '')).toMatchObject({
      uid: '.meili_dsr',
      primaryKey: 'uid',
    });
    const { dbPath } = await importedFolder(file);
    const again = await start({ dataDir: dbPath });
    expect([...again.service.parts.searchRules.all()]).toEqual([rule]);
    expect(again.service.parts.catalog.indexCount).toBe(0);
    const [read] = await again.wait([0]);
    expect(read?.details?.['rule']).toMatchObject({ actions });
  });

  it('has the files of the layout, with what they are to hold', async () => {
    const harness = await start();
    await filled(harness);
    const { task, dumpUid, files } = await dumped(harness);
    expect(dumpUid).toMatch(/^\d{8}-\d{9}$/);
    expect([...files.keys()].sort()).toEqual([
      'batches/queue.jsonl',
      'experimental-features.json',
      'indexes/colours/documents.jsonl',
      'indexes/colours/metadata.json',
      'indexes/colours/settings.json',
      'indexes/empty/documents.jsonl',
      'indexes/empty/metadata.json',
      'indexes/empty/settings.json',
      'indexes/films/documents.jsonl',
      'indexes/films/metadata.json',
      'indexes/films/settings.json',
      'instance_uid.uuid',
      'keys.jsonl',
      'metadata.json',
      'tasks/queue.jsonl',
    ]);
    const json = (name: string) => JSON.parse(files.get(name) ?? '');
    expect(json('metadata.json')).toEqual({
      dumpVersion: 'V6',
      dbVersion: '1.50.0',
      dumpDate: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(files.get('instance_uid.uuid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(json('indexes/empty/metadata.json')).toMatchObject({ uid: 'empty', primaryKey: 'key' });
    expect(json('indexes/films/settings.json')).toMatchObject({
      stopWords: ['the'],
      filterableAttributes: ['year'],
    });
    for (const absent of ['searchCutoffMs', 'matchingStrategy', 'inflections', 'chat'])
      expect(json('indexes/films/settings.json')).not.toHaveProperty(absent);
    expect(files.get('indexes/films/documents.jsonl')).toBe(
      '{"id":1,"title":"Heat","year":1995}\n{"id":3,"price":1,"big":"12345678901234567890"}\n',
    );
    expect(linesOf(files, 'indexes/colours/documents.jsonl')).toEqual([
      { id: 'red', _vectors: { own: { embeddings: [[1, 0.5]], regenerate: false } } },
      {
        id: 'green',
        _vectors: {
          other: [7],
          own: {
            embeddings: [
              [0.25, 1],
              [0, 1],
            ],
            regenerate: false,
          },
        },
      },
      { id: 'none', _vectors: { own: null } },
    ]);
    const [key] = linesOf(files, 'keys.jsonl');
    expect(Object.keys(key ?? {}).sort()).toEqual([
      ...['actions', 'created_at', 'description', 'expires_at'],
      ...['indexes', 'name', 'uid', 'updated_at'],
    ]);
    const tasks = linesOf(files, 'tasks/queue.jsonl');
    expect(tasks.at(-1)).toMatchObject({
      uid: task?.uid,
      status: 'succeeded',
      type: { dumpCreation: { instance_uid: files.get('instance_uid.uuid') } },
      details: { Dump: { dump_uid: dumpUid } },
    });
    expect(
      tasks.map(({ type }) => (typeof type === 'string' ? type : Object.keys(type as object)[0])),
    ).toEqual([
      ...['settings', 'documentImport', 'documentImport', 'documentDeletion', 'settings'],
      ...['documentImport', 'indexCreation', 'documentDeletion', 'dumpCreation'],
    ]);
    expect(tasks[3]).toMatchObject({
      details: { DocumentDeletion: { provided_ids: 1, deleted_documents: 1 } },
    });
    expect(tasks.at(-2)).toMatchObject({ status: 'failed', error: { code: 'index_not_found' } });
    expect(linesOf(files, 'batches/queue.jsonl')[0]).toMatchObject({
      uid: 0,
      stats: { totalNbTasks: 1 },
      stopReason: expect.any(String),
    });
  });

  it('becomes the same instance elsewhere, whose dump is the same', async () => {
    const first = await start();
    await filled(first);
    const { file, files } = await dumped(first);
    const { dbPath, logged } = await importedFolder(file);
    expect(logged.filter((line) => /left out|unknown|lose/.test(line))).toEqual([]);
    const second = await start({ dataDir: dbPath });
    second.service.start();
    const again = (await dumped(second)).files;
    const own = [...files.keys()].filter(
      (name) => !['metadata.json', 'tasks/queue.jsonl', 'batches/queue.jsonl'].includes(name),
    );
    for (const name of own) expect(again.get(name), name).toBe(files.get(name));
    const tasks = (of: ReadonlyMap<string, string>) =>
      linesOf(of, 'tasks/queue.jsonl').slice(0, -1);
    expect(tasks(again).slice(0, tasks(files).length)).toEqual(tasks(files));
    const batches = linesOf(files, 'batches/queue.jsonl');
    expect(linesOf(again, 'batches/queue.jsonl').slice(0, batches.length)).toEqual(batches);
  });

  it('has the vectors of several embedders, and names of the indexes before a branch', async () => {
    const first = await start();
    first.service.start();
    const embedders = {
      short: { source: 'userProvided', dimensions: 2 },
      long: { source: 'userProvided', dimensions: 3 },
    };
    await first.run(
      drafts.settings('films', { embedders }),
      drafts.add('films', [
        { id: 1, _vectors: { short: [1, 0], long: [1, -1, 1] } },
        { id: 2, _vectors: { short: null, long: { embeddings: [-1, 1, 1], regenerate: true } } },
      ]),
      { type: 'indexBranch', indexUid: 'next', source: 'films' },
    );
    const { file, files } = await dumped(first);
    const types = linesOf(files, 'batches/queue.jsonl').map(({ stats }) => stats);
    expect(types).toContainEqual(expect.objectContaining({ types: { indexCreation: 1 } }));
    expect(JSON.stringify(types)).not.toContain('indexBranch');
    const vectorsIn = (of: ReadonlyMap<string, string>) =>
      linesOf(of, 'indexes/films/documents.jsonl').map(({ _vectors }) => _vectors);
    expect(vectorsIn(files)).toEqual([
      {
        long: { embeddings: [[1, -1, 1]], regenerate: false },
        short: { embeddings: [[1, 0]], regenerate: false },
      },
      { long: { embeddings: [[-1, 1, 1]], regenerate: true }, short: null },
    ]);
    const second = await start({ dataDir: (await importedFolder(file)).dbPath });
    second.service.start();
    const { embedders: stored } = second.manifest('films')?.settings ?? {};
    expect(Object.keys(stored ?? {}).sort()).toEqual(['long', 'short']);
    expect(second.manifest('next')?.branchOf).toEqual(['films']);
    expect(vectorsIn((await dumped(second)).files)).toEqual(vectorsIn(files));
  });

  it('names no action and no ranking rule that other servers refuse, and keeps them', async () => {
    const first = await start();
    first.service.start();
    const added = ['backups.get', 'analytics.get', 'audit.get', 'telemetry.get', 'events.add'];
    const uid = '0a0a0a0a-0000-4000-8000-000000000004';
    const rights = { actions: ['search', ...added], indexes: ['*'], expiresAt: null };
    const key = await first.service.handlers.createKey({
      uid,
      name: null,
      description: null,
      ...rights,
    });
    const rankingRules = ['words', 'relevance', 'typo', 'year:desc'];
    await first.run(drafts.settings('films', { rankingRules }));
    const { file, files } = await dumped(first);
    const json = (name: string) => JSON.parse(files.get(name) ?? '');
    expect(json('indexes/films/settings.json').rankingRules).toEqual([
      'words',
      'typo',
      'year:desc',
    ]);
    const [settingsTask, dumpTask] = linesOf(files, 'tasks/queue.jsonl');
    const known = { settings: { rankingRules: ['words', 'typo', 'year:desc'] } };
    expect(settingsTask?.['details']).toMatchObject({ SettingsUpdate: known });
    expect(settingsTask?.['type']).toMatchObject({ settings: known });
    const keyLine = linesOf(files, 'keys.jsonl').find((line) => line['uid'] === uid);
    expect(keyLine).toMatchObject({ actions: ['search'], added_actions: added });
    expect(JSON.stringify(dumpTask)).not.toMatch(/"actions":[^\]]*backups/);
    const { dbPath, logged } = await importedFolder(file);
    expect(logged.filter((line) => /left out|unknown|lose/.test(line))).toEqual([]);
    const second = await start({ dataDir: dbPath });
    expect(second.manifest('films')?.settings.rankingRules).toEqual(rankingRules);
    expect([...second.service.parts.keys.all()]).toContainEqual(key);
    const [read] = await second.wait([0]);
    expect(read?.details).toEqual({ rankingRules });
  });

  it('takes along tasks that wait, of every kind, and they go on elsewhere', async () => {
    const first = await start();
    const waiting = await first.send(
      DUMP,
      drafts.add('films', [{ id: 1 }, { id: 2, title: 'a\nb' }]),
      drafts.remove('films', ['1']),
      { type: 'documentDeletion', indexUid: 'films', by: { kind: 'filter', filter: 'id = 7' } },
      drafts.settings('films', {
        filterableAttributes: ['id'],
        rankingRules: ['words', 'relevance', 'sort'],
      }),
      drafts.create('books', 'isbn'),
      drafts.update('books', 'key'),
      drafts.swap(['films', 'books']),
      { type: 'indexCompaction', indexUid: 'gone' },
      drafts.forget({ uids: [1] }),
      { type: 'indexBranch', indexUid: 'branch', source: 'books', settings: { stopWords: ['a'] } },
      drafts.clear('books'),
      drafts.drop('books'),
    );
    first.service.start();
    const done = await first.wait(waiting);
    const dumpUid = uidOf(done[0]);
    const file = path.join(first.dumpFolder, `${dumpUid}.dump`);
    const files = await filesOf(file);
    // There is no index yet; other servers refuse a dump without the folder.
    expect(gunzipSync(fs.readFileSync(file)).includes('indexes/\0')).toBe(true);
    expect(files.get('tasks/update_files/1.jsonl')).toBe('{"id":1}\n{"id":2,"title":"a\\nb"}\n');
    const settingsTask = linesOf(files, 'tasks/queue.jsonl')[4];
    expect(files.get('tasks/queue.jsonl')).not.toContain('indexBranch');
    expect(settingsTask?.['type']).toMatchObject({
      settings: { settings: { rankingRules: ['words', 'sort'] } },
    });
    const { dbPath } = await importedFolder(file);
    const second = await start({ dataDir: dbPath });
    second.service.start();
    const uids = waiting.slice(2);
    // Read when all have ended: the swap changes the index of those before it.
    const facts = async (harness: typeof first) => {
      await harness.wait(uids);
      return (await harness.wait(uids)).map(({ uid, type, status, indexUid, details }) => ({
        uid,
        type,
        status,
        indexUid,
        details,
      }));
    };
    expect(await facts(second)).toEqual(await facts(first));
  });

  it('is of the moment it began at, while tasks are processed', async () => {
    const gate = new Gate();
    const harness = await start({}, (name) => (name === 'readOut' ? gate.pass() : undefined));
    harness.service.start();
    await harness.run(
      drafts.add('a', [{ id: 1 }]),
      drafts.add('b', [{ id: 1 }]),
      drafts.add('c', [{ id: 1 }]),
    );
    const [uid = 0] = await harness.send(DUMP);
    await gate.entered;
    const done = await harness.run(
      drafts.add('a', [{ id: 2 }]),
      drafts.drop('b'),
      drafts.add('c', [{ id: 1, new: true }]),
    );
    expect(done.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(await harness.service.handlers.getTask({ uid })).toMatchObject({ status: 'processing' });
    const batch = (await harness.service.handlers.listBatches(EVERY)).results.find(
      ({ finishedAt }) => finishedAt === null,
    );
    expect(batch?.progress?.steps[0]?.currentStep).toBe('dumping documents');
    gate.release();
    const [task] = await harness.wait([uid]);
    const dumpUid = uidOf(task);
    const files = await filesOf(path.join(harness.dumpFolder, `${dumpUid}.dump`));
    expect(['a', 'b', 'c'].map((index) => files.get(`indexes/${index}/documents.jsonl`))).toEqual([
      '{"id":1}\n',
      '{"id":1}\n',
      '{"id":1}\n',
    ]);
    // What was kept for the dump goes.
    const folderOfB = path.join(harness.dataDir, 'indexes', '1');
    while (fs.existsSync(folderOfB)) await harness.run(drafts.add('a', [{ id: 3 }]));
  });

  it('does not wait for an export to a server that does not answer', async () => {
    const gate = new Gate();
    const send = async () => {
      await gate.pass();
      throw new OutgoingError('unreachable', 'the server never answers');
    };
    const harness = await start({ send });
    harness.service.start();
    await harness.run(drafts.add('a', [{ id: 1 }]));
    const everything = { filter: null, overrideSettings: false };
    const request = { url: 'http://silent', apiKey: null, payloadBytesMax: 1000 };
    const [uid = 0] = await harness.send({
      type: 'export',
      request: { ...request, indexes: { '*': everything } },
      payloadSize: '1000',
    });
    await gate.entered;
    await dumped(harness);
    expect(await harness.service.handlers.getTask({ uid })).toMatchObject({ status: 'processing' });
    const cancelations = await harness.send(drafts.cancel({ uids: [uid] }));
    gate.release();
    await harness.wait(cancelations);
  });

  it('can be canceled, and leaves nothing', async () => {
    const gate = new Gate();
    const harness = await start({}, (name) => (name === 'readOut' ? gate.pass() : undefined));
    harness.service.start();
    await harness.run(...['a', 'b', 'c'].map((index) => drafts.add(index, [{ id: 1 }])));
    const [uid = 0] = await harness.send(DUMP);
    await gate.entered;
    const cancelations = await harness.send(drafts.cancel({ uids: [uid] }));
    gate.release();
    expect(await harness.wait(cancelations)).toMatchObject([{ details: { canceledTasks: 1 } }]);
    expect(await harness.service.handlers.getTask({ uid })).toMatchObject({ status: 'canceled' });
    expect(fs.readdirSync(harness.dumpFolder)).toEqual([]);
    await dumped(harness);
  });

  it('that cannot be written fails with the reason, and tasks go on', async () => {
    const dumpFolder = path.join(temporaryFolder(), 'dumps');
    fs.writeFileSync(dumpFolder, 'a file');
    const harness = await start({ dumpFolder });
    harness.service.start();
    const [task] = await harness.run(DUMP);
    expect(task).toMatchObject({ status: 'failed', details: { dumpUid: null } });
    expect(task?.error?.message).toMatch(/EEXIST|ENOTDIR/);
    await harness.run(drafts.add('a', [{ id: 1 }]));
    const made = harness.manifest('a');
    expect(made && liveDocumentCount(made)).toBe(1);
  });

  it('that a stop cut off is made at the next start', async () => {
    const gate = new Gate();
    const disk = new MemoryDisk();
    let writes = 0;
    const store = new MemoryStore(disk, { onWrite: () => void writes++ });
    const harness = await start({ store }, (name) =>
      name === 'readOut' ? gate.pass() : undefined,
    );
    harness.service.start();
    await harness.run(...['a', 'b', 'c'].map((index) => drafts.add(index, [{ id: 1 }])));
    const [uid = 0] = await harness.send(DUMP);
    await gate.entered;
    const before = writes;
    const drained = harness.service.drain();
    await until('it is noted that the stop ends the dump', () => writes > before);
    gate.release();
    await drained;
    open.pop();
    expect(fs.readdirSync(harness.dumpFolder)).toEqual([]);
    const { dataDir, dumpFolder } = harness;
    const again = await start({ dataDir, dumpFolder, store: new MemoryStore(disk) });
    again.service.start();
    expect(await again.wait([uid])).toMatchObject([{ status: 'succeeded' }]);
    expect(fs.readdirSync(harness.dumpFolder)).toHaveLength(1);
  });
});

const EVERY = { limit: 100, from: null, reverse: false } as const;
