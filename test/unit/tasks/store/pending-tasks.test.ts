import { describe, expect, it } from 'vitest';
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

describe('the oldest task', () => {
  it.each<[string, readonly string[], number | null]>([
    ['is the first one', [], 0],
    ['is of no index that waits', ['a'], 1],
    ['is of no index whose turn comes after a task that waits', ['a', 'b'], 3],
    ['is of no index that a swap with one that waits holds up', ['a', 'c'], 1],
    ['is the last one when all others wait', ['a', 'b', 'c'], 5],
    ['is none when all wait', ['a', 'b', 'c', 'd'], null],
  ])('%s', (_, waiting, uid) => {
    expect(queue().oldestExcept([], waiting)?.uid ?? null).toBe(uid);
  });

  it('is not of the types', () => {
    expect(queue().oldestExcept(['documentAdditionOrUpdate'])?.uid).toBe(2);
    const tasks = queue();
    tasks.remove(1);
    expect(tasks.oldestExcept([], ['a'])?.uid).toBe(3);
  });
});
