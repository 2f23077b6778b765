/** Goal: places of a range are given out once at a time, and become one again. */
import { describe, expect, it } from 'vitest';
import { FreePlaces } from '../../../../src/storage/files/mapped-ranges.ts';

describe('free places', () => {
  it('are the first that are long enough', () => {
    const free = new FreePlaces(100);
    expect([free.take(40), free.take(40), free.take(30), free.take(20)]).toEqual([0, 40, null, 80]);
    expect(free.take(1)).toBeNull();
    free.release(40, 40);
    expect([free.take(41), free.take(10), free.take(30)]).toEqual([null, 40, 50]);
  });

  it('become one again, in whichever order they are given back', () => {
    for (const order of [
      [0, 1, 2, 3],
      [3, 1, 0, 2],
      [2, 0, 3, 1],
      [1, 3, 2, 0],
    ]) {
      const free = new FreePlaces(40);
      const taken = [10, 10, 10, 10].map((length) => free.take(length));
      expect(taken).toEqual([0, 10, 20, 30]);
      for (const place of order) free.release(place * 10, 10);
      expect(free.take(40)).toBe(0);
    }
  });
});
