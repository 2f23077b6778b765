/** Lanes in turn, the longest one makes room, and nothing is lost or taken twice. */
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
  it('takes the oldest of each lane in turn', () => {
    const queue = queueOf({ a: [1, 2, 3, 4], b: [10, 11], c: [20] });
    expect(queue.size).toBe(7);
    expect(drained(queue)).toEqual([1, 10, 20, 2, 11, 3, 4]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  it('gives a new lane its turn before those that had theirs, however many wait there', () => {
    const queue = queueOf({ a: Array.from({ length: 1000 }, (_, i) => i), b: [-1] });
    queue.take();
    queue.add('c', -2);
    expect([queue.take(), queue.take(), queue.take()]).toEqual([-1, -2, 1]);
  });

  it('gives nobody two turns in a round, also who comes anew or had one without waiting', () => {
    const queue = queueOf({ a: [1, 2], b: [10] });
    queue.passed('c');
    queue.add('c', 20);
    expect(queue.take()).toBe(1);
    expect(queue.take()).toBe(10);
    queue.add('b', 11);
    expect(drained(queue)).toEqual([20, 2, 11]);
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
});
