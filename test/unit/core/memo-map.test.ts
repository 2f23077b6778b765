/** Remembered results in bounded space. */
import { describe, expect, it } from 'vitest';
import { MemoMap } from '../../../src/core/memo-map.ts';

describe('a memo map', () => {
  it('computes what it does not know, null as well, once', () => {
    const memo = new MemoMap<number, number | null>(8);
    const computed: number[] = [];
    const halved = (n: number): number | null => {
      computed.push(n);
      return n % 2 === 0 ? n / 2 : null;
    };
    expect([4, 3, 4, 3].map((n) => memo.getOrCompute(n, halved))).toEqual([2, null, 2, null]);
    expect(computed).toEqual([4, 3]);
  });

  it('forgets all of it when one more would be too many', () => {
    const memo = new MemoMap<number, string>(2);
    memo.set(1, 'one');
    memo.set(2, 'two');
    memo.set(3, 'three');
    expect([memo.get(1), memo.get(2), memo.get(3)]).toEqual([undefined, undefined, 'three']);
  });
});
