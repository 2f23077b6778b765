/** Changes of many tasks: the event loop turns while they are staged and shown. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TimeSlices } from '../../../../src/core/time-slices.ts';
import { toNewTask } from '../../../../src/tasks/kinds/task-kinds.ts';
import { TaskStore } from '../../../../src/tasks/store/task-store.ts';
import type { TaskRow } from '../../../../src/tasks/store/task-table.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const TASKS = 3000;

it('a change of many tasks lets the event loop turn', async () => {
  const store = new MemoryStore();
  const tasks = await TaskStore.open(store, new Map());
  const newTask = toNewTask({ type: 'indexCreation', indexUid: 'a', primaryKey: null }, []);
  for (let i = 0; i < TASKS; i++) await tasks.enqueue(newTask, 1);
  let nowMs = 0;
  // Each look at the clock finds the slice over.
  const slices = new TimeSlices(() => {
    nowMs += 100;
    return nowMs;
  });
  const change = tasks.begin(slices);
  for (let uid = 0; uid < TASKS; uid++)
    change.finish(
      { ...(tasks.row(uid) as TaskRow), status: 'canceled' },
      { work: null, details: {}, error: null },
    );
  const turnsOf = async (work: Promise<unknown>): Promise<number> => {
    let isDone = false;
    void work.then(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await nextTurn();
    return turns;
  };
  const operations = change.operations();
  expect(await turnsOf(operations)).toBeGreaterThan(2);
  await store.write(await operations);
  expect(await turnsOf(change.apply())).toBeGreaterThan(TASKS / 100);
  expect([tasks.pending.size, tasks.select({ statuses: ['canceled'] }).length]).toEqual([0, TASKS]);
});
