/** Compaction of an index, and of the database of tasks, on a real database; writers are fakes. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskDraft } from '../../../src/model/task.ts';
import { Gate } from '../../support/gate.ts';
import { drafts, type Harness, harnessOfTest } from '../../support/indexer-harness.ts';

const { add, remove, cancel, forget } = drafts;
const compact = (indexUid: string): TaskDraft => ({ type: 'indexCompaction', indexUid });

async function start(): Promise<Harness> {
  const harness = await harnessOfTest();
  harness.service.start();
  return harness;
}

/** Four segments, one of them with a dead document. */
async function startWithSegments(): Promise<Harness> {
  const harness = await start();
  for (let id = 0; id < 4; id++) await harness.run(add('a', [{ id }, { id: id + 10 }]));
  await harness.run(remove('a', ['10']));
  return harness;
}

const filesOf = ({ dataDir }: Harness) => fs.readdirSync(path.join(dataDir, 'indexes', '0'));

describe('compaction of an index', () => {
  it('leaves one segment without dead documents, tells both sizes, and is no update', async () => {
    const harness = await startWithSegments();
    const before = harness.manifest('a');
    expect(before?.segments).toHaveLength(4);
    const [task] = await harness.run(compact('a'));
    expect(task).toMatchObject({
      status: 'succeeded',
      type: 'indexCompaction',
      indexUid: 'a',
      details: { preCompactionSize: '4 B', postCompactionSize: '1 B' },
    });
    const after = harness.manifest('a');
    expect(after?.segments).toMatchObject([{ documentCount: 7, deadCount: 0 }]);
    expect(after?.updatedAt).toBe(before?.updatedAt);
    expect(harness.documents('a').map(({ id }) => id)).not.toContain(10);
    expect(harness.documents('a')).toHaveLength(7);
    await expect.poll(() => filesOf(harness)).toHaveLength(1);
  });

  it('changes nothing of an index that is compact', async () => {
    const harness = await start();
    await harness.run(add('a', [{ id: 1 }]));
    const before = harness.manifest('a');
    const [task] = await harness.run(compact('a'));
    expect(task?.details).toEqual({ preCompactionSize: '1 B', postCompactionSize: '1 B' });
    expect(harness.manifest('a')).toEqual(before);
  });

  it('fails on an index that does not exist, and when a merge fails', async () => {
    const harness = await startWithSegments();
    const [missing] = await harness.run(compact('b'));
    expect(missing).toMatchObject({
      status: 'failed',
      details: {},
      error: { code: 'index_not_found' },
    });
    harness.fakes.before = () => {
      throw new Error('no');
    };
    const [broken] = await harness.run(compact('a'));
    expect(broken).toMatchObject({ status: 'failed', error: { code: 'internal', message: 'no' } });
    expect(harness.documents('a')).toHaveLength(7);
  });

  it('is aborted when it is canceled, and leaves no file', async () => {
    const harness = await startWithSegments();
    const files = filesOf(harness);
    const gate = new Gate();
    harness.fakes.before = gate.pass;
    const [uid] = await harness.send(compact('a'));
    await gate.entered;
    const uids = await harness.send(cancel({ uids: [uid ?? 0] }));
    gate.release();
    await harness.wait(uids);
    const [task] = await harness.wait([uid ?? 0]);
    expect(task).toMatchObject({ status: 'canceled', canceledBy: uids[0] });
    expect(filesOf(harness).sort()).toEqual(files.sort());
  });
});

describe('compaction of the database', () => {
  it('gives the space of deleted tasks back while tasks go on', async () => {
    const harness = await start();
    const documents = Array.from({ length: 200 }, (_, id) => ({ id, text: 'x'.repeat(200) }));
    for (let i = 0; i < 20; i++) await harness.run(add('a', documents));
    await harness.run(forget({ statuses: ['succeeded'] }));
    const compacting = harness.service.handlers.compactTasks({});
    const [task] = await harness.run(add('a', [{ id: 1 }]));
    const { bytesBefore, bytesAfter } = await compacting;
    expect(task?.status).toBe('succeeded');
    expect(bytesAfter).toBeGreaterThan(0);
    expect(bytesBefore).toBeGreaterThan(0);
  });
});
