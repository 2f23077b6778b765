import { describe, expect, it } from 'vitest';
import type { TaskType } from '../../../../src/model/task.ts';
import { PendingTasks } from '../../../../src/tasks/store/pending-tasks.ts';

/** Tasks in order: additions to `a` and `b`, a swap of both, additions to `c`, `b`, `d`. */
function queue(): PendingTasks {
  const tasks = new PendingTasks();
  const list: readonly (readonly [string | null, readonly string[]])[] = [
    ['a', []],
    ['b', []],
    [null, ['a', 'b']],
    ['c', []],
    ['b', []],
    ['d', []],
  ];
  for (const [uid, [indexUid, otherUids]] of list.entries()) {
    const type = indexUid === null ? 'indexSwap' : 'documentAdditionOrUpdate';
    tasks.add({ uid, type, indexUid, otherUids });
  }
  return tasks;
}

const NO_TYPES: ReadonlySet<TaskType> = new Set();

const readyUids = (tasks: PendingTasks, types = NO_TYPES): number[] =>
  [...tasks.ready(types)].map(({ uid }) => uid).sort((a, b) => a - b);

describe('tasks that are ready', () => {
  it.each<[string, readonly number[], readonly number[]]>([
    ['are the oldest of each index', [], [0, 1, 3, 5]],
    ['are not of an index whose swap waits for another index', [0], [1, 3, 5]],
    ['include a swap that is the oldest of both indexes', [0, 1], [2, 3, 5]],
    ['include the tasks behind a swap that has ended', [0, 1, 2], [3, 4, 5]],
    ['are none when all have ended', [0, 1, 2, 3, 4, 5], []],
  ])('%s', (_, ended, uids) => {
    const tasks = queue();
    for (const uid of ended) tasks.remove(uid);
    expect(readyUids(tasks)).toEqual(uids);
  });

  it('are not of the types, which hold nothing up', () => {
    expect(readyUids(queue(), new Set<TaskType>(['documentAdditionOrUpdate']))).toEqual([2]);
  });
});
