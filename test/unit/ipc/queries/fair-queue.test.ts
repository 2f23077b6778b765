/**
 * The lane with the least work is next, the longest lane makes room, no item is lost or taken
 * twice.
 */
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../src/ipc/queries/fair-queue.ts';

function queueOf(lanes: Readonly<Record<string, readonly number[]>>): FairQueue<number> {
  const queue = new FairQueue<number>();
  for (const [lane, items] of Object.entries(lanes))
    for (const item of items) queue.add(lane, item);
  return queue;
}

function drained(queue: FairQueue<number>): number[] {
  const items: number[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items;
}

describe('FairQueue', () => {
  it('takes the oldest item of each lane in turn while all are charged the same', () => {
    const queue = queueOf({ a: [1, 2, 3, 4], b: [10, 11], c: [20] });
    expect(queue.size).toBe(7);
    expect(drained(queue)).toEqual([1, 10, 20, 2, 11, 3, 4]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  it('takes a returned item before the others of its lane', () => {
    const queue = queueOf({ a: [1, 2, 3] });
    const taken = [queue.take(), queue.take()];
    expect([taken, queue.laneCount]).toEqual([[1, 2], 1]);
    queue.putBack('a', 2);
    queue.putBack('a', 1);
    queue.add('b', 10);
    expect([queue.size, queue.laneCount]).toEqual([4, 2]);
    expect(drained(queue)).toEqual([1, 10, 2, 3]);
  });

  it('takes a returned item before other lanes with the same charge', () => {
    for (const calm of [[1], [1, 2]]) {
      const queue = queueOf({ calm, other: [10] });
      expect(queue.take()).toBe(1);
      queue.putBack('calm', 1);
      expect(drained(queue)).toEqual([1, 10, ...calm.slice(1)]);
    }
  });

  it('serves a lane again when the others have used as much time', () => {
    const queue = queueOf({ slow: [1, 2], quick: [10, 11, 12, 13] });
    const taken: (number | undefined)[] = [];
    for (let i = 0; i < 6; i++) {
      const item = queue.take();
      taken.push(item);
      queue.charge((item ?? 0) < 10 ? 'slow' : 'quick', (item ?? 0) < 10 ? 3000 : 1);
    }
    expect(taken).toEqual([1, 10, 11, 12, 13, 2]);
  });

  it('gives no credit for idleness, and no debt to a lane that was alone', () => {
    const queue = queueOf({ busy: [1, 2, 3] });
    for (let i = 0; i < 2; i++) {
      queue.take();
      queue.charge('busy', 1000);
    }
    for (const item of [10, 11]) queue.add('late', item);
    expect(queue.take()).toBe(10);
    queue.charge('late', 1000);
    expect(queue.take()).toBe(3);
    expect(queue.take()).toBe(11);
  });

  it('makes room at the cost of the longest lane, unless that is the one that asks', () => {
    const queue = queueOf({ a: [1, 2, 3], b: [10] });
    expect(queue.makeRoom('a')).toBe(undefined);
    expect(queue.makeRoom('b')).toBe(3);
    expect(queue.makeRoom('b')).toBe(undefined);
    expect(queue.makeRoom('c')).toBe(2);
    expect(queue.makeRoom('c')).toBe(undefined);
    expect(drained(queue)).toEqual([1, 10]);
  });

  it('removes what meets a condition, and lanes that are empty then', () => {
    const queue = queueOf({ a: [1, 2, 3], b: [4] });
    expect(queue.removeWhere((item) => item % 2 === 0)).toEqual([2, 4]);
    expect(queue.size).toBe(2);
    queue.add('b', 5);
    expect(drained(queue)).toEqual([1, 5, 3]);
  });

  it('forgets charges of the past, however many lanes there were', () => {
    const queue = new FairQueue<number>();
    for (let i = 0; i < 5000; i++) {
      queue.add(`${i}`, i);
      expect(queue.take()).toBe(i);
      queue.charge(`${i}`, 1);
    }
    queue.add('0', -1);
    expect(queue.take()).toBe(-1);
  });
});
