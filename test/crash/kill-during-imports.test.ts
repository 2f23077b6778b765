/** kill -9 at named points of an import of a backup: no start finds half a database. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { archiveOf } from '../support/imported-folder.ts';
import { type KillPoint, killPointEnvironment, nextDiesAt } from '../support/killed-server.ts';
import { isLongRun } from '../support/run-length.ts';
import {
  checkIndex,
  cleanUp,
  freshFolder,
  ServerProcess,
  TestServer,
} from '../support/test-server.ts';

afterAll(cleanUp);

const DOCUMENTS = 3000;
const date = '2024-05-06T07:08:09Z';
const members = {
  'metadata.json': { dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: date },
  'indexes/films/metadata.json': {
    uid: 'films',
    primaryKey: 'id',
    createdAt: date,
    updatedAt: date,
  },
  'indexes/films/settings.json': { sortableAttributes: ['id'] },
  'indexes/films/documents.jsonl': Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    title: `Film ${id}, told ${id % 7} times in ${id % 100} ways`,
  })),
  'tasks/update_files/7.jsonl': [{ id: DOCUMENTS }],
  'tasks/queue.jsonl': [
    {
      uid: 7,
      indexUid: 'films',
      status: 'enqueued',
      type: { documentImport: { primary_key: null, documents_count: 1 } },
      enqueuedAt: date,
    },
  ],
};

/** The last one is after the folder has its name. */
const DUMP_POINTS: readonly KillPoint[] = [
  { call: 'open', moment: 'after', subject: '\\.import/archive/indexes/' },
  { call: 'sync', moment: 'before', subject: '\\.seg\\.tmp$' },
  { call: 'write', moment: 'before', subject: '^rocksdb .*\\btask\\b' },
  { call: 'name', moment: 'before', subject: '/data\\.ms$' },
  { call: 'name', moment: 'after', subject: '/data\\.ms$' },
];
const SNAPSHOT_POINTS: readonly KillPoint[] = [
  { call: 'open', moment: 'after', subject: '\\.import/data/indexes/' },
  { call: 'open', moment: 'after', subject: '\\.import/data/SHA256SUMS$' },
  { call: 'name', moment: 'before', subject: '/data\\.ms$' },
  { call: 'name', moment: 'after', subject: '/data\\.ms$' },
];

/** Dies at every point in turn; in `npm test` at the second and the last. */
async function importKilled(flags: readonly string[], all: readonly KillPoint[]) {
  const points = all.filter((point, i) => isLongRun || i === 1 || point === all.at(-1));
  const dbPath = join(freshFolder(), 'data.ms');
  const pointFile = `${dbPath}.kill-point`;
  for (const point of points) {
    const died = nextDiesAt(point, pointFile);
    const started = new ServerProcess(['--role', 'indexer', '--db-path', dbPath, ...flags], {
      env: killPointEnvironment(pointFile),
    });
    await died;
    const { code, stderr } = await started.exited;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: /import ended with SIGKILL/ });
    expect(existsSync(dbPath), JSON.stringify(point)).toBe(point === points.at(-1));
  }
  return dbPath;
}

async function expectWhole(dbPath: string, flags: readonly string[]): Promise<TestServer> {
  const { code, report } = await checkIndex(dbPath);
  expect(code, report).toBe(0);
  const server = await TestServer.start({ dbPath, flags });
  const { status } = await server.client.tasks.waitForTask(7);
  expect(status).toBe('succeeded');
  const { numberOfDocuments } = await server.client.index('films').getStats();
  expect(numberOfDocuments).toBe(DOCUMENTS + 1);
  return server;
}

test('an import that is killed leaves nothing that a start takes for data, or all of it', async () => {
  const dump = ['--import-dump', await archiveOf(members)];
  const fromDump = await importKilled(dump, DUMP_POINTS);
  const snapshotFolder = freshFolder();
  const first = await expectWhole(fromDump, [
    ...dump,
    '--ignore-dump-if-db-exists',
    '--snapshot-dir',
    snapshotFolder,
  ]);
  await first.client.createSnapshot().waitTask();
  await first.stop();

  const snapshot = ['--import-snapshot', join(snapshotFolder, 'data.ms.snapshot')];
  const fromSnapshot = await importKilled(snapshot, SNAPSHOT_POINTS);
  const second = await expectWhole(fromSnapshot, [...snapshot, '--ignore-snapshot-if-db-exists']);
  await second.stop();
  for (const dbPath of [fromDump, fromSnapshot])
    expect(readdirSync(`${dbPath}.import`), 'what a crash after the end leaves').toEqual([]);
});
