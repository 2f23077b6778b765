/** How many threads join in with a search that another one does. */
import { describe, expect, it } from 'vitest';
import { JointYouth } from '../../../../src/ipc/queries/joint-youth.ts';

describe('threads that are young together', () => {
  it('join in as far as they are idle and cores are free', () => {
    const youth = (freeCores: number) =>
      new JointYouth({ alone: 0, together: 9, togetherMs: 9, freeCores: () => freeCores });
    expect(youth(4).joining(3, 1)).toBe(3);
    expect(youth(3.4).joining(3, 1)).toBe(2);
    expect(youth(1.6).joining(1, 1)).toBe(1);
    expect(youth(1.4).joining(1, 1)).toBe(0);
    expect(youth(8).joining(0, 2)).toBe(0);
    expect(youth(8).joining(-2, 4)).toBe(0);
  });

  it('leave the first searches to one, and have had their youth after so many others', () => {
    let freeCores = 0;
    const youth = new JointYouth({
      ...{ alone: 3, together: 2, togetherMs: 9 },
      freeCores: () => freeCores,
    });
    const next = (count: number) => Array.from({ length: count }, () => youth.joining(1, 1));
    expect(next(1)).toEqual([0]);
    freeCores = 2;
    expect(next(3)).toEqual([0, 0, 1]);
    freeCores = 1;
    expect(next(2)).toEqual([0, 0]);
    freeCores = 2;
    expect(next(2)).toEqual([1, 0]);
  });

  it('have had it sooner when searches are long', () => {
    const options = { alone: 0, together: 9, togetherMs: 9, freeCores: () => 2 };
    const youth = new JointYouth(options);
    const joining = [5, 5, 1].map((ms) => {
      const count = youth.joining(1, 1);
      youth.took(ms);
      return count;
    });
    expect(joining).toEqual([1, 1, 0]);
  });
});
