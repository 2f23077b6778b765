/** Pool of typed arrays: ownership, return of arrays, and the bound of its memory. */
import { describe, expect, it } from 'vitest';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { TYPED_ARRAY_POOL, TypedArrayPool } from '../../../../src/search/sets/typed-array-pool.ts';

const LENGTH = 5000;

describe('TypedArrayPool', () => {
  it('hands out an array once per search, and reuses it in the next search', () => {
    const space = new TypedArrayPool();
    const take = () => space.during(() => [space.numbers(LENGTH), space.numbers(LENGTH)]);
    const first = take();
    expect(first[0]).not.toBe(first[1]);
    expect(new Set(take())).toEqual(new Set(first));
    expect(space.isLent(first[0]!)).toBe(false);
  });

  it('uses a block for similar lengths', () => {
    const space = new TypedArrayPool();
    const [short, long] = [LENGTH, LENGTH + 1].map((length) =>
      space.during(() => space.numbers(length)),
    );
    expect([short!.length, long!.length]).toEqual([LENGTH, LENGTH + 1]);
    expect(long!.buffer).toBe(short!.buffer);
  });

  it('reuses arrays that were released during the search', () => {
    const space = new TypedArrayPool();
    space.during(() => {
      const numbers = space.numbers(LENGTH);
      space.release(numbers);
      expect(space.numbers(LENGTH)).toBe(numbers);
      space.release(new Uint32Array(LENGTH));
      expect(space.numbers(LENGTH)).not.toBe(numbers);
    });
  });

  it('clears reused arrays when zeros are requested', () => {
    const space = new TypedArrayPool();
    space.during(() => space.numbers(LENGTH).fill(7));
    expect(space.during(() => space.zeros(LENGTH)).every((number) => number === 0)).toBe(true);
  });

  it('pools nothing outside of searches, and releases all arrays when a search fails', () => {
    const space = new TypedArrayPool();
    expect(space.isLent(space.numbers(LENGTH))).toBe(false);
    let lent = space.numbers(0);
    const fail = () => {
      lent = space.numbers(LENGTH);
      throw new Error('made');
    };
    expect(() => space.during(fail)).toThrow('made');
    expect(space.isLent(lent)).toBe(false);
    expect(space.during(() => space.numbers(LENGTH))).toBe(lent);
  });

  it('stays within its limit, whatever lengths are requested', () => {
    const space = new TypedArrayPool(512 << 10);
    for (let round = 1; round < 20; round++)
      space.during(() => {
        for (let i = 0; i < 20; i++) expect(space.numbers(round * 5000)).toHaveLength(round * 5000);
      });
    expect(space.bytes).toBeLessThanOrEqual(512 << 10);
  });
});

describe('a cached set', () => {
  const even = Uint32Array.from({ length: 80_000 }, (_, i) => 2 * i);

  it.each([
    ['bits', 5000],
    ['a list', 200_000],
  ])('as %s has memory of its own', (_, bitsetLength) => {
    const kept = TYPED_ARRAY_POOL.during(
      () => DocSet.fromUnordered(even.slice(), bitsetLength).owned,
    );
    TYPED_ARRAY_POOL.during(() => {
      for (let i = 0; i < 8; i++) {
        TYPED_ARRAY_POOL.numbers(even.length).fill(1);
        TYPED_ARRAY_POOL.numbers(bitsetLength).fill(1);
      }
    });
    expect(kept.toList()).toEqual(even);
  });
});
