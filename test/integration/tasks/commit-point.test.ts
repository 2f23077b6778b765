/**
 * A crash just before or just after each write of a workload, then a restart: what was acknowledged
 * is there, every task ends exactly once, and the indexes are those of a run without crashes. Only
 * a write that was never acknowledged may or may not have happened.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProcessEnd } from '../../../src/core/process-end.ts';
import type { TaskDraft } from '../../../src/model/task.ts';
import { CUT_OFFS_MAX, OWN_ENDS_MAX } from '../../../src/tasks/store/crash-loop-guard.ts';
import { FakeIndexes } from '../../support/fake-index-writer.ts';
import {
  drafts,
  type Harness,
  harnessOfTest,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { MemoryDisk, MemoryStore } from '../../support/memory-store.ts';
import { isLongRun } from '../../support/run-length.ts';

const { add, remove, settings, create, swap, update, drop, clear, cancel, forget } = drafts;

const WORKLOAD: readonly TaskDraft[] = [
  add('a', [{ id: 1 }, { id: 2 }]),
  add('a', [{ id: 3 }, { bad: true }]),
  create('b', 'id'),
  add('a', [{ id: 2, v: 2 }]),
  settings('a', { stopWords: ['x'] }),
  remove('a', ['1']),
  swap(['a', 'b']),
  add('a', [{ id: 7 }]),
  add('a', [{ id: 8 }]),
  { type: 'indexBranch', indexUid: 'd', source: 'a' },
  update('b', null, 'c'),
  forget({ uids: [0, 1] }),
  clear('a'),
  add('a', [{ id: 9 }]),
  add('gone', [{ id: 1 }]),
  drop('gone'),
  cancel({ uids: [2] }),
];

interface Crash {
  readonly write: number;
  readonly moment: 'before' | 'after';
}

/** Runs the workload over as many restarts as the crash makes necessary. */
async function runWorkload(
  crash: Crash | null,
): Promise<{ harness: Harness; writes: number; restarts: number }> {
  const disk = new MemoryDisk();
  const fakes = new FakeIndexes();
  fakes.mergeFrom = 3;
  const dataDir = temporaryFolder();
  let writes = 0;
  let restarts = 0;
  const store = () =>
    new MemoryStore(disk, {
      onWrite: (moment) => {
        if (moment === 'before') writes++;
        if (crash?.write === writes && crash.moment === moment) throw new Error('power cut');
      },
    });
  const open = () => openHarness({ dataDir, fakes, store: store() });
  /** The first start of a data folder writes too. */
  let harness = await open().catch(() => {
    restarts++;
    return open();
  });
  harness.service.start();
  let acknowledged = 0;
  const restart = async () => {
    restarts++;
    await harness.service.drain();
    harness = await open();
    const stored = await lastUid(harness);
    expect(stored).toBeGreaterThanOrEqual(acknowledged);
    acknowledged = stored;
    harness.service.start();
  };
  while (acknowledged < WORKLOAD.length) {
    try {
      const uids = await harness.send(WORKLOAD[acknowledged]!);
      acknowledged++;
      if (acknowledged % 2 === 0) await harness.wait(uids);
    } catch {
      await restart();
    }
  }
  const settle = async () => {
    for (let uid = 2; uid < WORKLOAD.length; uid++) await harness.wait([uid]);
    await expect
      .poll(() => fs.readdirSync(path.join(dataDir, 'indexes', '0')).length)
      .toBeLessThan(3);
  };
  await settle().catch(async () => {
    await restart();
    await settle();
  });
  return { harness, writes, restarts };
}

async function lastUid(harness: Harness): Promise<number> {
  const { results } = await harness.service.handlers.listTasks({
    limit: 1,
    from: null,
    reverse: false,
  });
  return (results[0]?.uid ?? -1) + 1;
}

async function outcome(harness: Harness) {
  const { results } = await harness.service.handlers.listTasks({
    limit: 99,
    from: null,
    reverse: true,
  });
  const indexes = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'gone'].map((uid) => {
      const byId = (x: Record<string, unknown>, y: Record<string, unknown>) =>
        Number(x['id']) - Number(y['id']);
      return [
        uid,
        {
          documents: harness.documents(uid).sort(byId),
          stopWords: harness.manifest(uid)?.settings.stopWords ?? null,
        },
      ];
    }),
  );
  const tasks = results.map(({ uid, indexUid, status, error }) => ({
    uid,
    indexUid,
    status,
    code: error?.code ?? null,
  }));
  return { indexes, tasks };
}

/**
 * Each task belongs to the batch that counts it, and files on disk are those that manifests name.
 */
async function checkConsistency(harness: Harness): Promise<void> {
  const { results: tasks } = await harness.service.handlers.listTasks({
    limit: 99,
    from: null,
    reverse: true,
  });
  const { results: batches } = await harness.service.handlers.listBatches({
    limit: 99,
    from: null,
    reverse: true,
  });
  for (const batch of batches) {
    const members = tasks.filter(({ batchUid }) => batchUid === batch.uid).length;
    expect(members).toBeGreaterThan(0);
    expect(members).toBeLessThanOrEqual(batch.stats.totalNbTasks);
  }
  await harness.service.drain();
  const named = [...harness.service.parts.catalog.all()].flatMap(({ id, segments }) =>
    segments.map((segment) =>
      path.join(harness.dataDir, 'indexes', String(id), `${segment.id}.seg`),
    ),
  );
  for (const file of named) expect(fs.existsSync(file)).toBe(true);
  fs.rmSync(harness.dataDir, { recursive: true, force: true });
}

describe('the commit point', () => {
  it('makes a crash at any write harmless', async () => {
    const { harness, writes } = await runWorkload(null);
    const expected = await outcome(harness);
    expect(expected.indexes).toEqual({
      a: { documents: [{ id: 9 }], stopWords: [] },
      b: { documents: [], stopWords: null },
      c: { documents: [{ id: 2, v: 2 }], stopWords: ['x'] },
      d: { documents: [{ id: 7 }, { id: 8 }], stopWords: [] },
      gone: { documents: [], stopWords: null },
    });
    await checkConsistency(harness);
    let restarts = 0;
    for (let write = 1; write <= writes; write++) {
      for (const moment of ['before', 'after'] as const) {
        // `npm test` crashes at every other write, in turn before and after it.
        if (!isLongRun && write % 4 !== (moment === 'before' ? 1 : 3)) continue;
        const run = await runWorkload({ write, moment });
        restarts += run.restarts;
        expect(await outcome(run.harness), `crash ${moment} write ${write}`).toEqual(expected);
        await checkConsistency(run.harness);
      }
    }
    expect(restarts).toBeGreaterThan(isLongRun ? writes : writes / 4);
  });

  it('tells the process to end when a task could not be stored, after the answer', async () => {
    let isCut = false;
    const store = new MemoryStore(new MemoryDisk(), {
      onWrite: () => {
        if (isCut) throw new Error('power cut');
      },
    });
    const harness = await harnessOfTest({ store });
    isCut = true;
    await expect(harness.send(add('a', [{ id: 1 }]))).rejects.toThrow('power cut');
    expect(harness.fatal).toEqual([]);
    await expect.poll(() => harness.fatal.length).toBe(1);
  });

  it('tells the process to end when a commit could not be written', async () => {
    let isFull = false;
    const store = new MemoryStore(new MemoryDisk(), {
      onWrite: (moment) => {
        if (isFull && moment === 'before')
          throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      },
    });
    const harness = await harnessOfTest({ store });
    const uids = await harness.send(add('a', [{ id: 1 }]));
    isFull = true;
    harness.service.start();
    await expect(harness.wait(uids)).rejects.toThrow('no space');
    expect(harness.fatal).toHaveLength(1);
    expect(harness.events).toEqual([]);
    expect(harness.manifest('a')).toBeNull();
  });
});

describe('a task whose batch ends the process every time', () => {
  /** Starts, and is gone as soon as a batch with the poison has begun. */
  async function startAndDie(
    disk: MemoryDisk,
    dataDir: string,
    fakes: FakeIndexes,
    predecessorEnd: ProcessEnd,
  ) {
    let isDead = false;
    const dead = () => {
      if (isDead) throw new Error('gone');
    };
    const harness = await openHarness({
      dataDir,
      fakes,
      predecessorEnd,
      store: new MemoryStore(disk, { onWrite: dead }),
    });
    const begun = new Promise<void>((resolve) => {
      fakes.before = () => {
        isDead = true;
        resolve();
        throw new Error('gone');
      };
    });
    harness.service.start();
    await begun;
    await expect.poll(() => harness.fatal.length).toBe(1);
    await harness.service.drain();
  }

  it.each([
    ['died by itself', 'own', OWN_ENDS_MAX],
    ['was killed', 'outside', CUT_OFFS_MAX],
  ] as const)('is failed once it %s too often, and the queue goes on', async (_, end, times) => {
    const disk = new MemoryDisk();
    const dataDir = temporaryFolder();
    const fakes = new FakeIndexes();
    const first = await openHarness({ dataDir, fakes, store: new MemoryStore(disk) });
    const uids = await first.send(add('poison', [{ id: 1 }]), add('fine', [{ id: 2 }]));
    await first.service.drain();
    for (let time = 0; time < times; time++) await startAndDie(disk, dataDir, fakes, end);
    fakes.before = () => undefined;
    const store = new MemoryStore(disk);
    const harness = await openHarness({ dataDir, fakes, store, predecessorEnd: end });
    harness.service.start();
    const [poison, fine] = await harness.wait(uids);
    expect(poison).toMatchObject({
      status: 'failed',
      details: { receivedDocuments: 1, indexedDocuments: 0 },
      error: {
        code: 'internal',
        message: expect.stringContaining(`ended unexpectedly ${times} times`),
      },
    });
    expect(fine?.status).toBe('succeeded');
    expect(harness.documents('fine')).toEqual([{ id: 2 }]);
    await harness.service.drain();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });
});
