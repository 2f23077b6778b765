/** Pinned results among others: every page is a cut of the one list that all of them make. */
import { describe, expect, it } from 'vitest';
import { pageWithPins } from '../../../src/model/pin-places.ts';

const others = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => String(from + i));

const whole = (positions: readonly number[], count: number): string[] =>
  pageWithPins(
    positions.map((position, i) => ({ result: `p${i}`, position })),
    { results: others(count), from: 0, isEnd: true },
    { offset: 0, limit: 1000 },
  );

describe('the whole list', () => {
  it.each([
    [[0], 3, 'p0 0 1 2'],
    [[1, 3], 4, '0 p0 1 p1 2 3'],
    [[2, 2, 2], 4, '0 1 p0 p1 p2 2 3'],
    [[3, 2, 2], 4, '0 1 p1 p0 p2 2 3'],
    [[9, 5], 2, '0 1 p1 p0'],
    [[0, 7], 0, 'p0 p1'],
    [[], 2, '0 1'],
  ])('places %j among %i', (positions, count, expected) => {
    expect(whole(positions, count).join(' ')).toBe(expected);
  });

  it('gives each of many the next free place', () => {
    const positions = Array.from({ length: 50_000 }, () => 0);
    expect(whole(positions, 1).slice(0, 3)).toEqual(['p0', 'p1', 'p2']);
  });
});

describe('a page', () => {
  const lists = [[0], [1, 3], [2, 2, 2], [4, 3, 9], [30, 2], [12, 11, 10]];

  it.each(lists)('is cut out of that list with pins at %j %j %j', (...positions) => {
    const places = positions.filter((position) => position !== undefined);
    const pinned = places.map((position, i) => ({ result: `p${i}`, position }));
    for (const count of [0, 1, 5, 12]) {
      const all = whole(places, count);
      for (let offset = 0; offset < 16; offset++) {
        for (const limit of [0, 1, 3, 20]) {
          const from = Math.max(0, offset - pinned.length);
          const wanted = offset + limit - from;
          const results = others(count).slice(from, from + wanted);
          const page = pageWithPins(
            pinned,
            { results, from, isEnd: results.length < wanted },
            { offset, limit },
          );
          expect(page).toEqual(all.slice(offset, offset + limit));
        }
      }
    }
  });
});
