/** Tasks of different indexes run side by side, those of one index in order. */
import { expect, it } from 'vitest';
import type { TaskRecord } from '../../../src/model/task.ts';
import type { StoredFiles } from '../../../src/storage/object-store/stored-files.ts';
import { Gate } from '../../support/gate.ts';
import { drafts, type Harness, harnessOfTest } from '../../support/indexer-harness.ts';

const { add, create, swap, cancel, update } = drafts;

const statusOf = async ({ service }: Harness, uid: number) =>
  (await service.handlers.getTask({ uid }))?.status;

/** The first piece of work of a writer is held: an addition to index `a`. */
async function holding(): Promise<{ harness: Harness; gate: Gate; held: number }> {
  const harness = await harnessOfTest();
  harness.service.start();
  const gate = new Gate();
  let isFirst = true;
  harness.fakes.before = () => {
    if (!isFirst) return;
    isFirst = false;
    return gate.pass();
  };
  const [held = -1] = await harness.send(add('a', [{ id: 1 }]));
  await gate.entered;
  return { harness, gate, held };
}

it('a task of another index completes while a batch is held, and a later one of its index waits', async () => {
  const { harness, gate, held } = await holding();
  const [later = -1] = await harness.send(add('a', [{ id: 2 }]));
  const [other] = await harness.run(add('b', [{ id: 1 }]));
  expect(other).toMatchObject({ status: 'succeeded' });
  expect(await statusOf(harness, held)).toBe('processing');
  expect(await statusOf(harness, later)).toBe('enqueued');
  gate.release();
  const [first, second] = (await harness.wait([held, later])) as [TaskRecord, TaskRecord];
  expect([first.status, second.status]).toEqual(['succeeded', 'succeeded']);
  expect(first.batchUid).toBeLessThan(other?.batchUid ?? -1);
  expect(second.batchUid).toBeGreaterThan(other?.batchUid ?? -1);
});

it('indexes that are created side by side are both there, and after a restart too', async () => {
  const { harness, gate, held } = await holding();
  await harness.run(create('b', 'id'));
  gate.release();
  await harness.wait([held]);
  await harness.run(create('c', 'id'));
  await harness.service.drain();
  const { dataDir, fakes } = harness;
  const again = await harnessOfTest({ dataDir, fakes });
  again.service.start();
  const ended = await again.run(swap(['a', 'b']), create('b', 'id'), create('c', 'id'));
  expect(ended).toMatchObject([
    { status: 'succeeded' },
    { status: 'failed', error: { code: 'index_already_exists' } },
    { status: 'failed', error: { code: 'index_already_exists' } },
  ]);
});

it('a swap waits for the batches of both indexes, and their later tasks wait for the swap', async () => {
  const { harness, gate, held } = await holding();
  await harness.run(create('b', 'id'));
  const [swapping = -1, later = -1] = await harness.send(swap(['a', 'b']), add('b', [{ id: 3 }]));
  await harness.run(create('c', 'id'));
  expect(await statusOf(harness, swapping)).toBe('enqueued');
  expect(await statusOf(harness, later)).toBe('enqueued');
  gate.release();
  const ended = await harness.wait([held, swapping, later]);
  expect(ended.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  const batchUids = ended.map(({ batchUid }) => batchUid ?? -1);
  expect(batchUids).toEqual([...batchUids].sort((x, y) => x - y));
});

it('a cancelation ends the batch of one index and leaves that of another alone', async () => {
  const { harness, gate, held } = await holding();
  const second = new Gate();
  harness.fakes.before = second.pass;
  const [other = -1] = await harness.send(add('b', [{ id: 1 }]));
  await second.entered;
  const [canceling = -1] = await harness.send(cancel({ uids: [held] }));
  gate.release();
  expect(await harness.wait([held, canceling])).toMatchObject([
    { status: 'canceled' },
    { status: 'succeeded' },
  ]);
  expect(await statusOf(harness, other)).toBe('processing');
  second.release();
  expect(await harness.wait([other])).toMatchObject([{ status: 'succeeded' }]);
});

/** A harness whose batches wait before their commit as `keep` says. */
async function uploading(keep: StoredFiles['keep']): Promise<Harness> {
  const stored = {
    snapshots: { load: async () => [] },
    fetch: async () => 0,
    removeOrphans: async () => 0,
    removeSegment: () => undefined,
    keep,
    close: () => undefined,
  } satisfies { [Name in keyof StoredFiles]?: unknown };
  const harness = await harnessOfTest({ stored: stored as unknown as StoredFiles });
  harness.service.start();
  return harness;
}

it('a task of another index completes while the files of a batch are uploaded', async () => {
  const gate = new Gate();
  const harness = await uploading(async (keys) => {
    if (keys.some((key) => key.startsWith('indexes/0/'))) await gate.pass();
  });
  const [held = -1] = await harness.send(add('a', [{ id: 1 }]));
  await gate.entered;
  const [other] = await harness.run(add('b', [{ id: 1 }]));
  expect(other).toMatchObject({ status: 'succeeded' });
  expect(await statusOf(harness, held)).toBe('processing');
  expect(harness.manifest('a')).toBe(null);
  gate.release();
  expect(await harness.wait([held])).toMatchObject([{ status: 'succeeded' }]);
});

it('renames that overlap both change the names in an earlier swap', async () => {
  const gate = new Gate();
  let holds = false;
  const harness = await uploading(async () => {
    if (!holds) return;
    holds = false;
    await gate.pass();
  });
  await harness.run(create('a'), create('b'), create('c'));
  const [earlier] = await harness.run(swap(['a', 'b'], ['c', 'd', true]));
  holds = true;
  const [renaming = -1] = await harness.send(update('d', null, 'e'));
  await gate.entered;
  await harness.run(swap(['b', 'a']));
  gate.release();
  await harness.wait([renaming]);
  expect(await harness.wait([earlier?.uid ?? -1])).toMatchObject([
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
