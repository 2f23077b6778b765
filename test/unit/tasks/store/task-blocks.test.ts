/** Rows of finished tasks in blocks: the same tasks are read, from few values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BLOCK_TASKS,
  changesAfter,
  LoggedStore,
} from '../../../../src/storage/database/change-log.ts';
import { keyRange } from '../../../../src/storage/database/key-encoding.ts';
import { entriesIn, type KeyValueStore } from '../../../../src/storage/database/key-value-store.ts';
import { toNewTask } from '../../../../src/tasks/kinds/task-kinds.ts';
import {
  decodeBlock,
  encodeBlock,
  rowsInStore,
  storedRows,
} from '../../../../src/tasks/store/task-blocks.ts';
import { type TaskChange, TaskStore, taskWrites } from '../../../../src/tasks/store/task-store.ts';
import type { TaskRow } from '../../../../src/tasks/store/task-table.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const open = (store: KeyValueStore) => TaskStore.open(store, new Map());

const newTask = (indexUid: string) =>
  toNewTask({ type: 'indexCreation', indexUid, primaryKey: null }, []);

const enqueue = (tasks: TaskStore, indexUid = 'a', uid?: number) =>
  tasks.enqueue(newTask(indexUid), 1, uid);

async function commit(
  store: KeyValueStore,
  tasks: TaskStore,
  stage: (change: TaskChange) => void,
): Promise<void> {
  const change = tasks.begin();
  stage(change);
  await store.write(await change.operations());
  await change.apply();
}

const finish = (store: KeyValueStore, tasks: TaskStore, uids: readonly number[]) =>
  commit(store, tasks, (change) => {
    for (const uid of uids) {
      const row = tasks.row(uid) as TaskRow;
      const stored = { work: null, details: {}, error: null };
      change.finish({ ...row, status: 'succeeded', finishedAt: 2 }, stored);
    }
  });

/** Writes tasks as an import of a dump does. */
function add(store: KeyValueStore, uids: readonly number[], status: TaskRow['status']) {
  const { stored } = newTask('a');
  const shared = { status, type: 'indexCreation', indexUid: 'a', canceledBy: null } as const;
  const dates = { batchUid: null, enqueuedAt: 1, startedAt: null, finishedAt: null };
  return store.write(uids.flatMap((uid) => taskWrites({ uid, ...shared, ...dates }, stored, null)));
}

const count = async (store: KeyValueStore, kind: string) =>
  (await entriesIn(store, keyRange(kind))).length;

const range = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, i) => first + i);

describe('rows of tasks in blocks', () => {
  it('are written with the commit that ends the last task of a block', async () => {
    const store = new MemoryStore();
    const tasks = await open(store);
    for (let i = 0; i < BLOCK_TASKS + 10; i++) await enqueue(tasks);
    await finish(store, tasks, range(1, BLOCK_TASKS + 5));
    expect(await count(store, 'row')).toBe(BLOCK_TASKS + 10);
    await finish(store, tasks, [0]);
    expect(await count(store, 'row')).toBe(10);
    expect(await count(store, 'rowBlock')).toBe(1);
    expect([...(await open(store)).rows()]).toEqual([...tasks.rows()]);
  });

  it('are changed and deleted with their tasks', async () => {
    const store = new MemoryStore();
    const tasks = await open(store);
    for (let i = 0; i <= BLOCK_TASKS; i++) await enqueue(tasks);
    await finish(store, tasks, range(0, BLOCK_TASKS));
    await commit(store, tasks, (change) => {
      change.rewriteRow({ ...(tasks.row(3) as TaskRow), indexUid: 'b' });
      change.delete([4, 5]);
    });
    const again = await open(store);
    expect(again.row(3)?.indexUid).toBe('b');
    expect([4, 5].map((uid) => again.row(uid))).toEqual([null, null]);
    expect(again.length).toBe(BLOCK_TASKS - 1);
    await commit(store, again, (change) => change.delete(range(0, BLOCK_TASKS)));
    expect(await count(store, 'rowBlock')).toBe(0);
    expect([...(await open(store)).rows()].map(({ uid }) => uid)).toEqual([BLOCK_TASKS]);
  });

  it('of an imported database are written with later commits, four blocks with each', async () => {
    const store = new MemoryStore();
    await add(store, range(0, 6 * BLOCK_TASKS + 1), 'succeeded');
    const tasks = await open(store);
    const before = [...tasks.rows()];
    for (const blocks of [4, 6]) {
      const { uid } = await enqueue(tasks);
      await finish(store, tasks, [uid]);
      expect(await count(store, 'rowBlock')).toBe(blocks);
    }
    expect(await count(store, 'row')).toBe(3);
    expect([...(await open(store)).rows()].slice(0, before.length)).toEqual(before);
  });

  it('are read once if they move into a block during the read', async () => {
    const store = new MemoryStore();
    const tasks = await open(store);
    for (let i = 0; i < BLOCK_TASKS + 2; i++) await enqueue(tasks);
    await finish(store, tasks, range(1, BLOCK_TASKS));
    const rows = rowsInStore({
      get: (key) => store.get(key),
      getMany: (keys) => store.getMany(keys),
      async *iterate(wanted) {
        // As a follower reads: the second iteration sees a later state than the first one.
        const entries = await entriesIn(store, wanted);
        await finish(store, tasks, tasks.row(0)?.status === 'enqueued' ? [0] : []);
        yield* entries;
      },
    });
    const uids: number[] = [];
    for await (const group of rows) uids.push(...group.rows.map(({ uid }) => uid));
    expect(uids).toEqual(range(0, BLOCK_TASKS + 2));
  });

  it('are not read in blocks that are newer than the read', async () => {
    const store = new MemoryStore();
    let tasks = await open(store);
    for (let i = 0; i < 10; i++) await enqueue(tasks);
    const found: number[] = [];
    for await (const { rows } of rowsInStore({
      get: (key) => store.get(key),
      getMany: (keys) => store.getMany(keys),
      async *iterate(wanted) {
        const entries = await entriesIn(store, wanted);
        const isOfRows = wanted.limit === undefined && entries.length === 10;
        if (isOfRows) {
          await add(store, range(10, 3 * BLOCK_TASKS), 'enqueued');
          tasks = await open(store);
          await finish(store, tasks, range(BLOCK_TASKS, 2 * BLOCK_TASKS));
        }
        yield* entries;
      },
    }))
      found.push(...rows.map(({ uid }) => uid));
    expect(await count(store, 'rowBlock')).toBe(1);
    expect(found).toEqual(range(0, 10));
  });

  it('are the changes that a follower reads, also after a takeover', async () => {
    const store = new MemoryStore();
    const logged = await LoggedStore.open(store);
    const tasks = await open(logged);
    const follower = await open(store);
    let position = -1;
    const follow = async () => {
      const changes = (await changesAfter(store, position)) ?? [];
      position += changes.length;
      const uids = [...new Set(changes.flatMap(({ row }) => row))].sort((a, b) => a - b);
      follower.applyCommitted(await storedRows(store, uids));
      expect([...follower.rows()]).toEqual([...tasks.rows()]);
    };
    for (let i = 0; i < BLOCK_TASKS + 2; i++) await enqueue(tasks);
    await follow();
    await finish(logged, tasks, range(0, BLOCK_TASKS));
    await follow();
    await commit(logged, tasks, (change) => {
      change.rewriteRow({ ...(tasks.row(3) as TaskRow), indexUid: 'b' });
      change.delete([4]);
    });
    await follow();
    const next = await TaskStore.openKnown(store, { known: follower, changed: [] }, new Map());
    await commit(store, next, (change) => change.delete([5]));
    expect(await count(store, 'row')).toBe(2);
    expect([...(await open(store)).rows()]).toEqual([...next.rows()]);
  });

  it('are changed, deleted and read by few calls', async () => {
    const store = new MemoryStore();
    const blocks = 2;
    await add(store, range(0, blocks * BLOCK_TASKS + 1), 'succeeded');
    const tasks = await open(store);
    const { uid } = await enqueue(tasks);
    await finish(store, tasks, [uid]);
    const deleted = range(100, blocks * BLOCK_TASKS);
    const rename = tasks.begin();
    for (const row of tasks.rows()) rename.rewriteRow({ ...row, indexUid: 'b' });
    expect((await rename.operations()).length).toBeLessThan(10);
    await commit(store, tasks, (change) => change.delete(deleted));
    let calls = 0;
    const rows = await storedRows(
      {
        get: (key) => store.get(key),
        getMany: (keys) => {
          calls += keys.length;
          return store.getMany(keys);
        },
        iterate: (wanted) => {
          calls++;
          return store.iterate(wanted);
        },
      },
      [99, ...deleted],
    );
    expect(rows.get(99)).toEqual(tasks.row(99));
    expect([...rows.values()].filter((row) => row !== null)).toHaveLength(1);
    expect(calls).toBeLessThan(10);
  });

  it('are those of a database without blocks, whatever is done', async () => {
    const step = fc.record({
      action: fc.constantFrom(
        'enqueue',
        'enqueue',
        'finish',
        'finish',
        'delete',
        'rename',
        'open',
        'skip',
      ),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const store = new MemoryStore();
        let tasks = await open(store);
        for (const { action, part, share } of steps) {
          const all = [...tasks.rows()];
          const first = Math.floor(part * all.length);
          const some = all.slice(first, first + Math.ceil(share * all.length));
          const ended = some.filter(({ status }) => status === 'succeeded');
          if (action === 'enqueue') {
            const next = tasks.nextTaskUid;
            await add(store, range(next, next + Math.floor(share * 1500)), 'enqueued');
            tasks = await open(store);
          } else if (action === 'skip') await enqueue(tasks, 'a', tasks.nextTaskUid + first);
          else if (action === 'open') tasks = await open(store);
          else if (action === 'finish') {
            const waiting = some.filter(({ status }) => status === 'enqueued');
            await finish(
              store,
              tasks,
              waiting.map(({ uid }) => uid),
            );
          } else if (action === 'delete') {
            // The task that deletes is newer than the tasks that it deletes.
            const { uid: last = -1 } = all.at(-1) ?? {};
            const uids = ended.map(({ uid }) => uid).filter((uid) => uid < last);
            await commit(store, tasks, (change) => change.delete(uids));
          } else {
            await commit(store, tasks, (change) => {
              for (const row of ended) change.rewriteRow({ ...row, indexUid: `i${first}` });
            });
          }
          expect([...(await open(store)).rows()]).toEqual([...tasks.rows()]);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('are read as they were written', () => {
    const rows: TaskRow[] = [2 * BLOCK_TASKS, 3 * BLOCK_TASKS - 1].map((uid) => ({
      uid,
      status: 'failed',
      type: 'indexSwap',
      indexUid: uid % 2 === 0 ? null : 'ü'.repeat(200),
      batchUid: 7,
      canceledBy: null,
      enqueuedAt: 1,
      startedAt: 2,
      finishedAt: 3,
    }));
    expect(decodeBlock(2, encodeBlock(2, rows))).toEqual(rows);
  });
});
