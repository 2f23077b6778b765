/** Ties among the counts of a small set: a recorded order, and properties of any. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstByCount } from '../../../../src/search/values/count-ties.ts';

/** One document for each time that a place is counted. */
function singles(counts: ReadonlyMap<number, number>): { places: number[]; ends: number[] } {
  const places = [...counts].flatMap(([place, count]) =>
    Array.from({ length: count }, () => place),
  );
  return { places, ends: places.map((_, i) => i + 1) };
}

describe('the order of values by count', () => {
  it('takes values out of groups in the order that was recorded', () => {
    const pairs =
      '302x1 283x1 273x6 270x2 268x1 266x1 261x1 253x1 240x2 239x1 218x1 216x2 208x1 196x1 160x1 154x1 137x1 134x2 131x1 107x1 96x4 95x1 92x3 81x1 80x2 70x1 67x3 54x2 26x2 6x1';
    const counts = new Map(
      pairs.split(' ').map((pair) => pair.split('x').map(Number) as [number, number]),
    );
    const recorded = [
      273, 96, 92, 67, 270, 216, 80, 240, 134, 54, 26, 268, 218, 95, 81, 302, 283, 266, 261, 253,
    ];
    expect(firstByCount(singles(counts), 304, 20).map(({ place }) => place)).toEqual(recorded);
  });

  it('is decreasing by count, then by place, where there are few values', () => {
    const counts = new Map([
      [0, 1],
      [3, 2],
      [7, 1],
      [12, 2],
      [18, 1],
    ]);
    expect(firstByCount(singles(counts), 19, 100).map(({ place }) => place)).toEqual([
      12, 3, 18, 7, 0,
    ]);
  });

  it('gives each value once with its number of documents, the greatest first, and a limit cuts the end', () => {
    const documents = fc.array(fc.uniqueArray(fc.nat(4999), { maxLength: 4 }), { maxLength: 60 });
    fc.assert(
      fc.property(
        documents,
        fc.constantFrom(10, 100, 5000),
        fc.nat(30),
        (lists, valueCount, limit) => {
          const places: number[] = [];
          const ends: number[] = [];
          const counts = new Map<number, number>();
          for (const list of lists) {
            const own = [...new Set(list.map((place) => place % valueCount))].sort((a, b) => a - b);
            for (const place of own) counts.set(place, (counts.get(place) ?? 0) + 1);
            places.push(...own);
            ends.push(places.length);
          }
          const all = firstByCount({ places, ends }, valueCount, Number.POSITIVE_INFINITY);
          expect(new Map(all.map(({ place, count }) => [place, count]))).toEqual(counts);
          expect(all).toHaveLength(counts.size);
          for (let i = 1; i < all.length; i++)
            expect(all[i]!.count).toBeLessThanOrEqual(all[i - 1]!.count);
          expect(firstByCount({ places, ends }, valueCount, limit)).toEqual(all.slice(0, limit));
        },
      ),
    );
  });
});
