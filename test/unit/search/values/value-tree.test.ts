/** Growth of the tree of a field's values, batch by batch. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growTree } from '../../../../src/search/values/value-tree.ts';

/** @param batches for each value the numbers of the batches that added it */
const startsOf = (batches: readonly (readonly number[])[]): number[][] =>
  growTree(
    Uint32Array.from(batches, (own) => own.reduce((bits, b) => bits | (1 << b), 0)),
  ).levels.map(({ starts }) => [...starts]);

const times = <Value>(count: number, value: Value): Value[] =>
  Array.from({ length: count }, () => value);

describe('the tree of values', () => {
  it('has no level below twenty values', () => {
    expect(startsOf(times(19, [0]))).toEqual([]);
    expect(startsOf([...times(9, [0]), ...times(10, [1])])).toEqual([]);
  });

  it('has groups of four, and one level for less than a thousand values of one batch', () => {
    expect(startsOf([...times(10, [0]), ...times(10, [1])])).toEqual([[0, 4, 8, 12, 16]]);
    const [first, ...none] = startsOf(times(999, [0]));
    expect(first).toEqual(Array.from({ length: 250 }, (_, i) => 4 * i));
    expect(none).toEqual([]);
    expect(startsOf([...times(999, [0]), [1]]).map(({ length }) => length)).toEqual([250, 63, 16]);
    expect(startsOf(times(1000, [0])).map(({ length }) => length)).toEqual([250, 63, 16]);
  });

  it('halves the groups that a batch changes until they have at most three members', () => {
    const values = times<readonly number[]>(80, [0]).toSpliced(1, 0, ...times<number[]>(7, [1]));
    const [first] = startsOf(values.with(30, [0, 1]));
    expect(first?.slice(0, 5)).toEqual([0, 2, 5, 8, 11]);
    expect(first?.filter((start) => start >= 25 && start < 36)).toEqual([27, 29, 31, 35]);
  });

  it('lets the last group grow by groups of eight at its end', () => {
    const [first] = startsOf([...times(80, [0]), ...times(20, [1])]);
    expect(first?.slice(-4)).toEqual([72, 76, 84, 92]);
  });

  it('has every value in one group of each level, and groups within groups', () => {
    const batches = fc.array(fc.integer({ min: 1, max: 255 }), { maxLength: 400 });
    fc.assert(
      fc.property(batches, (bits) => {
        const { levels, valueCount } = growTree(Uint32Array.from(bits));
        expect(valueCount).toBe(bits.length);
        let below: readonly number[] = bits.map((_, place) => place);
        for (const { starts, groupOf } of levels) {
          const own = [...starts];
          expect(own[0]).toBe(0);
          expect(own.every((start) => below.includes(start))).toBe(true);
          expect(own.every((start, i) => i === 0 || start > own[i - 1]!)).toBe(true);
          expect([...groupOf]).toEqual(
            bits.map((_, place) => own.filter((start) => start <= place).length - 1),
          );
          below = own;
        }
      }),
    );
  });
});
