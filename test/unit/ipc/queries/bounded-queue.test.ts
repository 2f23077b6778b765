/**
 * The lane with the least work is next, the longest lane makes room, no item is lost or taken
 * twice.
 */
import { describe, expect, it } from 'vitest';
import { BoundedQueue, type Waiting } from '../../../../src/ipc/queries/bounded-queue.ts';

interface Numbered extends Waiting {
  readonly number: number;
}

/** A queue of numbers, which also keeps those that it refused. */
class NumberQueue {
  readonly refused: number[] = [];
  readonly #queue: BoundedQueue<Numbered>;

  constructor(lanes: Readonly<Record<string, readonly number[]>> = {}, itemsMax = 1e6) {
    this.#queue = new BoundedQueue({ itemsMax, dropAfterMs: 10, retryAfterMs: () => 0 });
    for (const [lane, numbers] of Object.entries(lanes))
      for (const number of numbers) this.add(lane, number);
  }

  get size(): number {
    return this.#queue.size;
  }

  get isOneLane(): boolean {
    return this.#queue.isOneLane;
  }

  add(lane: string, number: number, sinceMs = 0): void {
    this.#queue.add(this.#item(lane, number, sinceMs), 0);
  }

  putBack(lane: string, number: number): void {
    this.#queue.putBack(this.#item(lane, number, 0));
  }

  charge(lane: string, ms: number): void {
    this.#queue.charge(lane, ms);
  }

  take(nowMs = 0): number | undefined {
    return this.#queue.take(nowMs)?.number;
  }

  dropUnwanted(nowMs: number): void {
    this.#queue.dropUnwanted(nowMs);
  }

  drained(): number[] {
    const numbers: number[] = [];
    for (let number = this.take(); number !== undefined; number = this.take()) numbers.push(number);
    return numbers;
  }

  #item(lane: string, number: number, sinceMs: number): Numbered {
    const reject = () => void this.refused.push(number);
    return { lane, number, sinceMs, caller: undefined, reject };
  }
}

describe('the queue of searches', () => {
  it('takes the oldest item of each lane in turn while all are charged the same', () => {
    const queue = new NumberQueue({ a: [1, 2, 3, 4], b: [10, 11], c: [20] });
    expect(queue.size).toBe(7);
    expect(queue.drained()).toEqual([1, 10, 20, 2, 11, 3, 4]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  it('takes a returned item before the others of its lane', () => {
    const queue = new NumberQueue({ a: [1, 2, 3] });
    const taken = [queue.take(), queue.take()];
    expect([taken, queue.isOneLane]).toEqual([[1, 2], true]);
    queue.putBack('a', 2);
    queue.putBack('a', 1);
    queue.add('b', 10);
    expect([queue.size, queue.isOneLane]).toEqual([4, false]);
    expect(queue.drained()).toEqual([1, 10, 2, 3]);
  });

  it('takes a returned item before other lanes with the same charge', () => {
    for (const calm of [[1], [1, 2]]) {
      const queue = new NumberQueue({ calm, other: [10] });
      expect(queue.take()).toBe(1);
      queue.putBack('calm', 1);
      expect(queue.drained()).toEqual([1, 10, ...calm.slice(1)]);
    }
  });

  it('serves a lane again when the others have used as much time', () => {
    const queue = new NumberQueue({ slow: [1, 2], quick: [10, 11, 12, 13] });
    const taken: (number | undefined)[] = [];
    for (let i = 0; i < 6; i++) {
      const item = queue.take();
      taken.push(item);
      queue.charge((item ?? 0) < 10 ? 'slow' : 'quick', (item ?? 0) < 10 ? 3000 : 1);
    }
    expect(taken).toEqual([1, 10, 11, 12, 13, 2]);
  });

  it('gives no credit for idleness, and no debt to a lane that was alone', () => {
    const queue = new NumberQueue({ busy: [1, 2, 3] });
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
    const queue = new NumberQueue({ a: [1, 2, 3], b: [10] }, 4);
    queue.add('a', 4);
    expect(queue.refused).toEqual([4]);
    queue.add('b', 11);
    expect(queue.refused).toEqual([4, 3]);
    queue.add('b', 12);
    expect(queue.refused).toEqual([4, 3, 12]);
    queue.add('c', 20);
    expect(queue.refused).toEqual([4, 3, 12, 2]);
    expect(queue.drained()).toEqual([1, 10, 20, 11]);
  });

  it('drops what waited too long, and lanes that are empty then', () => {
    const queue = new NumberQueue({ a: [1], b: [4] });
    queue.add('a', 3, 20);
    queue.dropUnwanted(11);
    expect([queue.refused, queue.size, queue.isOneLane]).toEqual([[1, 4], 1, true]);
    queue.add('b', 5, 20);
    queue.add('a', 6, 0);
    expect([queue.take(20), queue.take(20), queue.take(20)]).toEqual([3, 5, undefined]);
    expect([queue.refused, queue.size]).toEqual([[1, 4, 6], 0]);
  });

  it('forgets charges of the past, however many lanes there were', () => {
    const queue = new NumberQueue();
    for (let i = 0; i < 5000; i++) {
      queue.add(`${i}`, i);
      expect(queue.take()).toBe(i);
      queue.charge(`${i}`, 1);
    }
    queue.add('0', -1);
    expect(queue.take()).toBe(-1);
  });
});
