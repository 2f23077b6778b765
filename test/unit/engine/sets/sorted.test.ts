/** Searches in ascending numbers. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lowerBound, lowerBoundFrom } from '../../../../src/engine/sets/sorted.ts';

it('a search from an index finds what a search of the whole finds, but not before the index', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 80 }),
      fc.integer({ min: -1, max: 62 }),
      fc.nat(80),
      fc.nat(100),
      (numbers, value, from, distance) => {
        const sorted = Float64Array.from(numbers).sort();
        const start = Math.min(from, sorted.length);
        const expected = Math.max(start, lowerBound(sorted, value));
        expect(lowerBoundFrom(sorted, value, start)).toBe(expected);
        expect(lowerBoundFrom(sorted, value, start, start + distance)).toBe(expected);
      },
    ),
  );
});
