/** Which task is next: urgent kinds before others, the tasks of each index in their order. */
import { describe, expect, it } from 'vitest';
import type { TaskDraft, TaskRecord } from '../../../src/model/task.ts';
import { drafts, type Harness, harnessOfTest } from '../../support/indexer-harness.ts';

const { add, cancel, forget, settings } = drafts;
const compact = (indexUid: string): TaskDraft => ({ type: 'indexCompaction', indexUid });
const edit = (indexUid: string): TaskDraft => ({
  type: 'documentEdition',
  indexUid,
  function: 'doc.a = 1',
  filter: null,
  context: null,
});

/** Enqueues all, then lets the scheduler see them at once; the tasks by batch. */
async function batchesOf(harness: Harness, ...list: readonly TaskDraft[]): Promise<string[]> {
  const uids = await harness.send(...list);
  harness.service.start();
  const byBatch = new Map<number, TaskRecord[]>();
  for (const task of await harness.wait(uids)) {
    const batch = task.batchUid ?? -1;
    byBatch.set(batch, [...(byBatch.get(batch) ?? []), task]);
  }
  return [...byBatch.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, tasks]) => tasks.map(({ uid }) => uid).join(' '));
}

describe('urgent tasks', () => {
  it('go first: cancelations by themselves, the newest first, deletions together, compactions one by one', async () => {
    const harness = await harnessOfTest();
    expect(
      await batchesOf(
        harness,
        add('a', [{ id: 1 }]),
        compact('a'),
        forget({ uids: [7] }),
        cancel({ uids: [90] }),
        forget({ uids: [8] }),
        cancel({ uids: [91] }),
        compact('a'),
        settings('b', { stopWords: ['x'] }),
      ),
      // The other index does not wait for the compactions.
    ).toEqual(['5', '3', '2 4', '1', '7', '6', '0']);
  });
});

describe('editions by a function', () => {
  it('wait for their turn in the order of their index', async () => {
    const harness = await harnessOfTest();
    const batches = await batchesOf(
      harness,
      edit('a'),
      add('b', [{ id: 1 }]),
      edit('a'),
      add('a', [{ id: 1 }]),
      add('b', [{ id: 2 }]),
      edit('b'),
      add('a', [{ id: 2 }]),
    );
    const ofB = ['1 4', '5'];
    expect(batches.filter((batch) => !ofB.includes(batch))).toEqual(['0', '2', '3 6']);
    expect(batches.filter((batch) => ofB.includes(batch))).toEqual(ofB);
  });
});
