/** Snapshots: made while tasks go on, restored as they were, refused when they are not whole. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { IndexingTaskName } from '../../../src/indexing/indexing-tasks.ts';
import type { TaskDraft } from '../../../src/model/task.ts';
import { encodeKey } from '../../../src/storage/database/key-encoding.ts';
import { RocksDbStore } from '../../../src/storage/database/rocksdb-store.ts';
import { PayloadStore } from '../../../src/storage/payload-store.ts';
import { Gate } from '../../support/gate.ts';
import { importedFolder } from '../../support/imported-folder.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import {
  drafts,
  type Harness,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';

const SNAPSHOT: TaskDraft = { type: 'snapshotCreation' };

const open: Harness[] = [];
afterEach(async () => {
  for (const { service } of open.splice(0)) await service.drain();
});

async function start(
  dataDir?: string,
  snapshotsKept = 1,
  afterTask?: (name: IndexingTaskName) => Promise<void>,
) {
  const snapshotFolder = path.join(temporaryFolder(), 'snapshots');
  const places = { dumpFolder: snapshotFolder, snapshotFolder, snapshotName: 'data.ms' };
  const harness = await openHarness({
    ...(dataDir !== undefined && { dataDir }),
    openWriter: inProcessWriters(1, afterTask),
    backupPlaces: { ...places, snapshotsKept },
  });
  open.push(harness);
  return { ...harness, snapshotFolder, file: path.join(snapshotFolder, 'data.ms.snapshot') };
}

type Started = Awaited<ReturnType<typeof start>>;

const tasksOf = async ({ service }: Started) =>
  (await service.handlers.listTasks({ limit: 100, from: null, reverse: true })).results;

/** A snapshot with an index, and a task that waits with a payload of its own file. */
async function snapshotOf(harness: Started): Promise<string> {
  harness.service.start();
  await harness.run(drafts.add('films', [{ id: 1, title: 'Heat' }]));
  const [task] = await harness.run(SNAPSHOT);
  expect(task).toMatchObject({ status: 'succeeded', error: null });
  expect(task).not.toHaveProperty('details');
  return harness.file;
}

/** The archive with one member changed, by system tools. */
function changed(file: string, change: (folder: string) => void): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  change(folder);
  const other = path.join(temporaryFolder(), 'changed.snapshot');
  execFileSync('tar', ['-czf', other, '-C', folder, ...fs.readdirSync(folder)]);
  return other;
}

describe('a snapshot', () => {
  it('is restored as it was made, tasks included', async () => {
    const first = await start();
    const file = await snapshotOf(first);
    expect(fs.statSync(file).mode & 0o777).toBe(0o400);
    expect(fs.readdirSync(first.snapshotFolder)).toEqual(['data.ms.snapshot']);
    const { dbPath } = await importedFolder(file, undefined, 'snapshot');
    expect(fs.readdirSync(path.dirname(dbPath))).toEqual(['data.ms']);
    const second = await start(dbPath);
    expect(second.manifest('films')).toEqual(first.manifest('films'));
    const [a, b] = [await tasksOf(first), await tasksOf(second)];
    const facts = (tasks: typeof a) => tasks.map(({ uid, type, status }) => [uid, type, status]);
    expect(facts(b)).toEqual(facts(a));
    second.service.start();
    const [next] = await second.run(drafts.add('films', [{ id: 2 }]));
    expect(next).toMatchObject({ uid: 2, status: 'succeeded' });
  });

  it('takes along tasks that wait, with their files, and one is made for all that ask', async () => {
    const first = await start();
    const payloads = path.join(first.dataDir, 'spool');
    const writer = new PayloadStore(payloads).create();
    writer.write(Buffer.from('[{"id":1},{"id":2}]'));
    const payload = { kind: 'file', ...(await writer.finish()) } as const;
    const uids = await first.send(SNAPSHOT, SNAPSHOT, drafts.add('films', [], { payload }));
    first.service.start();
    const done = await first.wait(uids);
    expect(done[0]?.batchUid).toBe(done[1]?.batchUid);
    const { dbPath } = await importedFolder(first.file, undefined, 'snapshot');
    const second = await start(dbPath);
    expect((await tasksOf(second)).map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
      'enqueued',
    ]);
    second.service.start();
    expect(await second.wait(uids)).toMatchObject([{}, {}, { status: 'succeeded' }]);
    expect(fs.existsSync(second.file)).toBe(false);
  });

  it('shows a task that ran meanwhile as it was, and it is done after the restore', async () => {
    const gate = new Gate();
    const first = await start(undefined, 1, () => gate.pass());
    const [added = -1] = await first.send(drafts.add('films', [{ id: 1 }]));
    first.service.start();
    await gate.entered;
    const [snapshot] = await first.run(SNAPSHOT);
    const [running] = await tasksOf(first);
    expect([running?.status, snapshot?.status]).toEqual(['processing', 'succeeded']);
    gate.release();
    expect(await first.wait([added])).toMatchObject([{ status: 'succeeded' }]);
    const { dbPath } = await importedFolder(first.file, undefined, 'snapshot');
    const second = await start(dbPath);
    expect(await tasksOf(second)).toMatchObject([
      {
        status: 'enqueued',
        startedAt: null,
        finishedAt: null,
        details: { indexedDocuments: null },
      },
      { status: 'succeeded' },
    ]);
    expect(second.manifest('films')).toBeNull();
    second.service.start();
    expect(await second.wait([added])).toMatchObject([
      { status: 'succeeded', details: { indexedDocuments: 1 } },
    ]);
  });

  it('is a data folder that tar opens, with the checksums of its files', async () => {
    const file = await snapshotOf(await start());
    const folder = temporaryFolder();
    execFileSync('tar', ['-xzf', file, '-C', folder]);
    const sums = fs.readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    for (const line of sums) {
      const bytes = fs.readFileSync(path.join(folder, line.slice(66)));
      expect(line.slice(0, 64)).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
    fs.rmSync(path.join(folder, 'SHA256SUMS'));
    const store = await RocksDbStore.open(path.join(folder, 'rocksdb-3'));
    const notes = ['attempt', 'attemptBeside'].map((name) => store.get(encodeKey('meta', name)));
    expect(await Promise.all(notes)).toEqual([null, null]);
    await store.close();
    const unpacked = await start(folder);
    expect(unpacked.manifest('films')?.segments).toHaveLength(1);
  });

  it('takes the place of the one before, or leaves as many as are to stay', async () => {
    const harness = await start(undefined, 2);
    await snapshotOf(harness);
    for (let i = 0; i < 3; i++) await harness.run(SNAPSHOT);
    const names = fs.readdirSync(harness.snapshotFolder).sort();
    expect(names).toEqual([
      expect.stringMatching(/^data\.ms\.\d{8}-\d{9}\.snapshot$/),
      'data.ms.snapshot',
    ]);
  });
});

describe('a snapshot that is not whole', () => {
  it.each<readonly [string, (folder: string) => void, RegExp]>([
    [
      'with a changed file',
      (folder) => fs.appendFileSync(path.join(folder, 'VERSION'), ' '),
      /is damaged: the checksum of VERSION does not match/,
    ],
    [
      'without one of its files',
      (folder) => fs.rmSync(path.join(folder, 'rocksdb-3/CURRENT')),
      /lacks rocksdb-3\/CURRENT/,
    ],
    [
      'with a file more',
      (folder) => fs.writeFileSync(path.join(folder, 'rocksdb-3/more'), ''),
      /holds rocksdb-3\/more, which its checksum file does not list/,
    ],
    [
      'without checksums',
      (folder) => fs.rmSync(path.join(folder, 'SHA256SUMS')),
      /is no snapshot: it holds no SHA256SUMS/,
    ],
    [
      'with a link',
      (folder) => fs.symlinkSync('/etc/passwd', path.join(folder, 'rocksdb-3/link')),
      /neither a file nor a folder/,
    ],
  ])('%s is refused and leaves nothing', async (_, change, reason) => {
    const file = changed(await snapshotOf(await start()), change);
    const dbPath = path.join(temporaryFolder(), 'data.ms');
    await expect(importedFolder(file, dbPath, 'snapshot')).rejects.toThrow(reason);
    expect(fs.readdirSync(path.dirname(dbPath))).toEqual([]);
  });

  it('with flipped bits inside is refused', async () => {
    const file = await snapshotOf(await start());
    const bytes = gunzipSync(fs.readFileSync(file));
    const at = bytes.indexOf('Heat');
    bytes[at > 0 ? at : Math.floor(bytes.length / 2)] = 0;
    const other = path.join(temporaryFolder(), 'flipped.snapshot');
    fs.writeFileSync(other, gzipSync(bytes));
    const dbPath = path.join(temporaryFolder(), 'data.ms');
    await expect(importedFolder(other, dbPath, 'snapshot')).rejects.toThrow(
      /is damaged|of which its checksums|lacks/,
    );
  });
});
