/** Ties among the counts of a small set: a recorded order, and properties of any. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValueTree } from '../../../../src/search/snapshot/cached-values.ts';
import { firstByCount } from '../../../../src/search/values/count-ties.ts';
import { growTree } from '../../../../src/search/values/value-tree.ts';

/** One document for each count of a place. */
function singles(counts: ReadonlyMap<number, number>): { places: number[]; ends: number[] } {
  const places = [...counts].flatMap(([place, count]) =>
    Array.from({ length: count }, () => place),
  );
  return { places, ends: places.map((_, i) => i + 1) };
}

/** Written as `place x count`. */
const countsOf = (pairs: string): ReadonlyMap<number, number> =>
  new Map(pairs.split(' ').map((pair) => pair.split('x').map(Number) as [number, number]));

const IN_ONE_BATCH = 1;

/** The tree of `valueCount` values added by one batch. */
const treeOf = (valueCount: number): ValueTree =>
  growTree(new Uint32Array(valueCount).fill(IN_ONE_BATCH));

/** Bits of the batches, of six, that added each of 45 values in the recorded orders. */
const RECORDED_BATCHES = [
  39, 36, 4, 33, 35, 54, 36, 44, 40, 40, 40, 40, 40, 40, 40, 40, 8, 40, 56, 48, 48, 48, 48, 48, 48,
  48, 48, 32, 32, 1, 33, 33, 33, 35, 34, 34, 34, 34, 34, 34, 34, 34, 38, 36, 4,
];

describe('the order of values by count', () => {
  it.each([
    [
      '6x67 8x13 0x7 18x6 5x5 14x4 4x4 17x3 11x3 39x2 36x2 26x2 10x2 1x2 27x1 25x1 19x1 15x1 7x1 3x1 43x1 20x1',
      [6, 8, 0, 18, 5, 4, 14, 17, 11, 26, 1, 39, 36, 10, 27, 20, 19, 7, 43, 25],
    ],
    [
      '0x7 4x5 18x5 33x3 7x3 43x2 26x2 42x1 40x1 39x1 36x1 32x1 10x1 9x1 3x1 2x1 14x1',
      [0, 4, 18, 33, 7, 43, 26, 42, 40, 39, 10, 9, 3, 2, 36, 32, 14],
    ],
  ])('takes values out of groups in the order that was recorded: %s', (pairs, recorded) => {
    const counts = countsOf(pairs);
    const tree = growTree(Uint32Array.from(RECORDED_BATCHES));
    const found = firstByCount(singles(counts), tree, recorded.length);
    expect(found.map(({ place }) => place)).toEqual(recorded);
  });

  it('follows groups of values that one batch added', () => {
    const pairs =
      '302x1 283x1 273x6 270x2 268x1 266x1 261x1 253x1 240x2 239x1 218x1 216x2 208x1 196x1 160x1 154x1 137x1 134x2 131x1 107x1 96x4 95x1 92x3 81x1 80x2 70x1 67x3 54x2 26x2 6x1';
    const recorded = [
      273, 96, 92, 67, 270, 216, 80, 240, 134, 54, 26, 268, 218, 95, 81, 302, 283, 266, 261, 253,
    ];
    const found = firstByCount(singles(countsOf(pairs)), treeOf(304), 20);
    expect(found.map(({ place }) => place)).toEqual(recorded);
  });

  it('is decreasing by count, then by place, for few values', () => {
    const counts = new Map([
      [0, 1],
      [3, 2],
      [7, 1],
      [12, 2],
      [18, 1],
    ]);
    expect(firstByCount(singles(counts), treeOf(19), 100).map(({ place }) => place)).toEqual([
      12, 3, 18, 7, 0,
    ]);
  });

  it('returns each value once with its count, greatest first, and a limit cuts the end', () => {
    const documents = fc.array(fc.uniqueArray(fc.nat(4999), { maxLength: 4 }), { maxLength: 60 });
    fc.assert(
      fc.property(
        documents,
        fc.constantFrom(10, 100, 5000),
        fc.infiniteStream(fc.integer({ min: 1, max: 63 })),
        fc.nat(30),
        (lists, valueCount, batches, limit) => {
          const tree = growTree(Uint32Array.from([...batches.take(valueCount)]));
          const places: number[] = [];
          const ends: number[] = [];
          const counts = new Map<number, number>();
          for (const list of lists) {
            const own = [...new Set(list.map((place) => place % valueCount))].sort((a, b) => a - b);
            for (const place of own) counts.set(place, (counts.get(place) ?? 0) + 1);
            places.push(...own);
            ends.push(places.length);
          }
          const all = firstByCount({ places, ends }, tree, Number.POSITIVE_INFINITY);
          expect(new Map(all.map(({ place, count }) => [place, count]))).toEqual(counts);
          expect(all).toHaveLength(counts.size);
          for (let i = 1; i < all.length; i++)
            expect(all[i]!.count).toBeLessThanOrEqual(all[i - 1]!.count);
          expect(firstByCount({ places, ends }, tree, limit)).toEqual(all.slice(0, limit));
        },
      ),
    );
  });
});
